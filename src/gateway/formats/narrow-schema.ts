// Owns the narrowing of a JSON Schema to the keywords that a vendor knows. Knows no vendor: limits are values.
import { isObject, type JsonObject } from './json.ts'

export interface SchemaLimits {
  /** The keywords that are kept. */
  keywords: readonly string[]
  /** Every object must say `additionalProperties: false`. */
  closedObjects?: true
}

/** Keywords whose value is a schema, a list of schemas, or a table of schemas by name. */
const NESTED: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not', 'contains'])
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const TABLES: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties'])
/** Limits worth telling the model in words when the vendor's format cannot hold them. */
const TOLD: ReadonlySet<string> = new Set([
  'enum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'maxItems',
  'maxLength',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'multipleOf',
  'pattern',
  'uniqueItems',
])

function mapValue(keyword: string, value: unknown, map: (schema: JsonObject) => JsonObject): unknown {
  const each = (inner: unknown): unknown => (isObject(inner) ? map(inner) : inner)
  if (NESTED.has(keyword)) return each(value)
  if (LISTS.has(keyword)) return Array.isArray(value) ? value.map(each) : value
  if (TABLES.has(keyword) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, each(inner)]))
  }
  return value
}

/** The schema's direct sub-schemas replaced by what `map` makes of them. */
function mapSubSchemas(schema: JsonObject, map: (schema: JsonObject) => JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, mapValue(keyword, value, map)]),
  )
}

/** `description` with the limits that had to go, as words: `(minimum: 1)`. */
export function describeLimits(description: unknown, dropped: JsonObject): { description?: string } {
  const told = Object.entries(dropped).filter(([keyword]) => TOLD.has(keyword))
  const words = told.map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`)
  const note = words.length > 0 ? `(${words.join(', ')})` : ''
  const whole = [typeof description === 'string' ? description : '', note]
    .filter((text) => text !== '')
    .join(' ')
  return whole === '' ? {} : { description: whole }
}

/** The schema with only the keywords within the limits, all the way down; what is left out is told in descriptions. */
export function narrowSchema(schema: JsonObject, limits: SchemaLimits): JsonObject {
  const kept: JsonObject = {}
  const dropped: JsonObject = {}
  for (const [keyword, value] of Object.entries(schema)) {
    // Where exactly-one is not known, at-least-one is the nearest there is.
    if (keyword === 'oneOf' && !limits.keywords.includes(keyword)) kept.anyOf = value
    else if (limits.keywords.includes(keyword)) kept[keyword] = value
    else dropped[keyword] = value
  }
  const narrowed = mapSubSchemas(kept, (inner) => narrowSchema(inner, limits))
  const isObjectType = schema.type === 'object' || isObject(schema.properties)
  return {
    ...narrowed,
    ...describeLimits(schema.description, dropped),
    ...(limits.closedObjects && isObjectType && { additionalProperties: false }),
  }
}
