// Reduces a JSON Schema to the keywords that a vendor supports.
import { wordSet } from '../../../shared/values/text.ts'
import { isObject, type JsonObject } from './json.ts'

export interface SchemaLimits {
  /** The keywords that the vendor supports. */
  keywords: readonly string[]
  /** Every object must have `additionalProperties: false`. */
  closedObjects?: true
}

/** Keywords whose value is a schema, a list of schemas, or a table of schemas by name. */
const NESTED: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not', 'contains'])
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const TABLES: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties'])
/** Constraints that are described to the model in text when the vendor's format does not support them. */
const DESCRIBED = wordSet(`
  enum exclusiveMaximum exclusiveMinimum maxItems maxLength maximum minItems minLength minimum multipleOf
  pattern uniqueItems`)

function mapValue(keyword: string, value: unknown, map: (schema: JsonObject) => JsonObject): unknown {
  const mapInner = (inner: unknown): unknown => (isObject(inner) ? map(inner) : inner)
  if (NESTED.has(keyword)) return mapInner(value)
  if (LISTS.has(keyword)) return Array.isArray(value) ? value.map(mapInner) : value
  if (TABLES.has(keyword) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapInner(inner)]))
  }
  return value
}

function mapSubSchemas(schema: JsonObject, map: (schema: JsonObject) => JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, mapValue(keyword, value, map)]),
  )
}

/** Appends the dropped constraints to the description: `(minimum: 1)`. */
export function describeLimits(description: unknown, dropped: JsonObject): { description?: string } {
  const described = Object.entries(dropped).filter(([keyword]) => DESCRIBED.has(keyword))
  const texts = described.map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`)
  const note = texts.length > 0 ? `(${texts.join(', ')})` : ''
  const text = [typeof description === 'string' ? description : '', note]
    .filter((part) => part !== '')
    .join(' ')
  return text === '' ? {} : { description: text }
}

/** Removes unsupported keywords at every level and describes the removed constraints in `description`. */
export function narrowSchema(schema: JsonObject, limits: SchemaLimits): JsonObject {
  const supported: JsonObject = {}
  const dropped: JsonObject = {}
  for (const [keyword, value] of Object.entries(schema)) {
    // `anyOf` is the closest match for an unsupported `oneOf`.
    if (keyword === 'oneOf' && !limits.keywords.includes(keyword)) supported.anyOf = value
    else if (limits.keywords.includes(keyword)) supported[keyword] = value
    else dropped[keyword] = value
  }
  const narrowed = mapSubSchemas(supported, (inner) => narrowSchema(inner, limits))
  const isObjectType = schema.type === 'object' || isObject(schema.properties)
  return {
    ...narrowed,
    ...describeLimits(schema.description, dropped),
    ...(limits.closedObjects && isObjectType && { additionalProperties: false }),
  }
}
