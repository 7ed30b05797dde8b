// Owns the way from a function's JSON Schema to the narrow schema of Gemini's function declarations, an OpenAPI
// subset that refuses what it does not know. Source: Google's Gemini API reference, `Schema`.
import { isObject, type JsonObject } from './json.ts'
import { withToldLimits } from './narrow-schema.ts'

/** Recursive schemas are cut off here: the format has no references. */
const MAX_DEPTH = 24
/** Keywords taken over as they are. */
const SAME = [
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'pattern',
  'title',
] as const
const FORMATS: ReadonlySet<unknown> = new Set(['date-time', 'double', 'enum', 'float', 'int32', 'int64'])
const TYPES: ReadonlySet<string> = new Set(['array', 'boolean', 'integer', 'number', 'object', 'string'])
/** Keywords without a counterpart whose meaning the description can keep. */
const TOLD = ['multipleOf', 'uniqueItems', 'exclusiveMaximum', 'exclusiveMinimum'] as const

/** The schema a local `$ref` (`#/$defs/Name`) stands for, with what stands beside the reference on top. */
function resolve(schema: JsonObject, root: JsonObject): JsonObject {
  if (typeof schema.$ref !== 'string') return schema
  const { $ref, ...beside } = schema
  let found: unknown = root
  for (const name of $ref.replace(/^#\/?/, '').split('/')) {
    const key = decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')
    if (key !== '') found = isObject(found) ? found[key] : undefined
  }
  return isObject(found) ? { ...found, ...beside } : beside
}

/** One schema that says what all of `allOf` say; on a conflict the schema's own words win. */
function merged(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const { allOf, ...own } = schema
  if (!Array.isArray(allOf) || depth > MAX_DEPTH) return own
  const parts = [...allOf.filter(isObject).map((part) => merged(resolve(part, root), root, depth + 1)), own]
  const properties = Object.assign({}, ...parts.map((part) => asObject(part.properties)))
  const required = [...new Set(parts.flatMap((part) => asList(part.required)))]
  return {
    ...Object.assign({}, ...parts),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  }
}

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {})
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** `type: ["string", "null"]` is a nullable string here; several real types are alternatives. */
function typesOf(schema: JsonObject): { types: string[]; nullable: boolean } {
  const said = asList(Array.isArray(schema.type) ? schema.type : [schema.type])
  const implied = isObject(schema.properties) ? ['object'] : isObject(schema.items) ? ['array'] : []
  const types = said.filter((type) => typeof type === 'string')
  const known = types.filter((type) => TYPES.has(type))
  return {
    types: known.length > 0 ? known : implied,
    nullable: types.includes('null') || schema.nullable === true,
  }
}

/** Enumerations are of strings only; others are told in words. */
function enumOf(schema: JsonObject): { values: string[] | null; told: unknown } {
  const values = 'const' in schema ? [schema.const] : schema.enum
  if (!Array.isArray(values)) return { values: null, told: undefined }
  const texts = values.filter((value) => typeof value === 'string')
  const others = values.filter((value) => typeof value !== 'string' && value !== null)
  return others.length === 0 && texts.length > 0
    ? { values: texts, told: undefined }
    : { values: null, told: values }
}

function objectFields(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const properties = Object.entries(asObject(schema.properties)).filter(([, value]) => isObject(value))
  if (properties.length === 0) return {}
  const names = new Set(properties.map(([name]) => name))
  const required = asList(schema.required).filter((name) => typeof name === 'string' && names.has(name))
  return {
    properties: Object.fromEntries(
      properties.map(([name, value]) => [name, convert(asObject(value), root, depth)]),
    ),
    ...(required.length > 0 && { required }),
  }
}

function convert(given: JsonObject, root: JsonObject, depth: number): JsonObject {
  if (depth > MAX_DEPTH) return { type: 'OBJECT' }
  const schema = merged(resolve(given, root), root, depth)
  const { types, nullable } = typesOf(schema)
  const [only, another] = types
  const { values, told } = enumOf(schema)
  const limits = Object.fromEntries(TOLD.filter((keyword) => keyword in schema).map((k) => [k, schema[k]]))
  const alternatives = [...asList(schema.anyOf), ...asList(schema.oneOf)].filter(isObject)
  const real = alternatives.filter((each) => each.type !== 'null')
  const mayBeNull = nullable || real.length < alternatives.length
  const note = {
    ...withToldLimits(schema.description, told === undefined ? limits : { ...limits, enum: told }),
    ...(mayBeNull && { nullable: true }),
  }
  // One alternative beside null is that alternative.
  const [sole, more] = real
  if (sole && !more) return { ...convert(sole, root, depth + 1), ...note }
  if (real.length > 1) return { ...note, anyOf: real.map((each) => convert(each, root, depth + 1)) }
  if (another !== undefined) {
    return {
      ...note,
      anyOf: types.map((type) => convert({ ...schema, description: '', type }, root, depth + 1)),
    }
  }
  const type = values ? 'string' : only
  return {
    ...note,
    ...(type !== undefined && { type: type.toUpperCase() }),
    ...Object.fromEntries(SAME.filter((keyword) => keyword in schema).map((k) => [k, schema[k]])),
    ...(FORMATS.has(schema.format) && { format: schema.format }),
    ...(values && { enum: values }),
    ...(type === 'array' && { items: convert(asObject(schema.items), root, depth + 1) }),
    ...(type === 'object' && objectFields(schema, root, depth + 1)),
  }
}

/** The `parameters` of a declaration; null for a function without any, because an empty object is refused. */
export function geminiParameters(schema: JsonObject | null): JsonObject | null {
  if (schema === null) return null
  const converted = convert({ type: 'object', ...schema }, schema, 0)
  return converted.type === 'OBJECT' && !isObject(converted.properties) ? null : converted
}
