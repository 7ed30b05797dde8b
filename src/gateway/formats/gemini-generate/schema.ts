// Owns the way from a function's JSON Schema to the narrow schema of Gemini's function declarations, an OpenAPI
// subset that refuses what it does not know. Source: Google's Gemini API reference, `Schema`.
import { isObject, type JsonObject } from '../json.ts'
import { describeLimits } from '../narrow-schema.ts'

/**
 * The format has no references, so they are written out. A schema that holds itself is cut off where it begins again,
 * and whatever grows beyond this many schemas where it does.
 */
const MAX_SCHEMAS = 2_000

interface Scope {
  /** What references point into. */
  root: JsonObject
  /** The references being written out, from the outermost in. */
  within: readonly string[]
  /** How many schemas were written so far, over all. */
  written: { count: number }
}

function isSpent({ written }: Scope): boolean {
  written.count += 1
  return written.count > MAX_SCHEMAS
}
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
function resolve(schema: JsonObject, scope: Scope): { schema: JsonObject; scope: Scope } {
  const { $ref, ...beside } = schema
  if (typeof $ref !== 'string') return { schema, scope }
  if (scope.within.includes($ref)) return { schema: { type: 'object', ...beside }, scope }
  let found: unknown = scope.root
  for (const name of $ref.replace(/^#\/?/, '').split('/')) {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
    if (key !== '') found = isObject(found) ? found[key] : undefined
  }
  // What is referred to may itself be a reference.
  return resolve(isObject(found) ? { ...found, ...beside } : beside, {
    ...scope,
    within: [...scope.within, $ref],
  })
}

/** One schema that says what all of `allOf` say; on a conflict the schema's own words win. */
function merged(schema: JsonObject, scope: Scope): JsonObject {
  const { allOf, ...own } = schema
  if (!Array.isArray(allOf) || isSpent(scope)) return own
  const each = allOf.filter(isObject).map((part) => {
    const resolved = resolve(part, scope)
    return merged(resolved.schema, resolved.scope)
  })
  const parts = [...each, own]
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
function readTypes(schema: JsonObject): { types: string[]; nullable: boolean } {
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
function readEnum(schema: JsonObject): { values: string[] | null; told: unknown } {
  const values = 'const' in schema ? [schema.const] : schema.enum
  if (!Array.isArray(values)) return { values: null, told: undefined }
  const texts = values.filter((value) => typeof value === 'string')
  const others = values.filter((value) => typeof value !== 'string' && value !== null)
  return others.length === 0 && texts.length > 0
    ? { values: texts, told: undefined }
    : { values: null, told: values }
}

function convertObjectFields(schema: JsonObject, scope: Scope): JsonObject {
  const properties = Object.entries(asObject(schema.properties)).filter(([, value]) => isObject(value))
  if (properties.length === 0) return {}
  const names = new Set(properties.map(([name]) => name))
  const required = asList(schema.required).filter((name) => typeof name === 'string' && names.has(name))
  return {
    properties: Object.fromEntries(
      properties.map(([name, value]) => [name, convert(asObject(value), scope)]),
    ),
    ...(required.length > 0 && { required }),
  }
}

function convert(given: JsonObject, outer: Scope): JsonObject {
  if (isSpent(outer)) return { type: 'OBJECT' }
  const resolved = resolve(given, outer)
  const { scope } = resolved
  const schema = merged(resolved.schema, scope)
  const { types, nullable } = readTypes(schema)
  const [only, another] = types
  const { values, told } = readEnum(schema)
  const limits = Object.fromEntries(TOLD.filter((keyword) => keyword in schema).map((k) => [k, schema[k]]))
  const alternatives = [...asList(schema.anyOf), ...asList(schema.oneOf)].filter(isObject)
  const real = alternatives.filter((each) => each.type !== 'null')
  const mayBeNull = nullable || real.length < alternatives.length
  const note = {
    ...describeLimits(schema.description, told === undefined ? limits : { ...limits, enum: told }),
    ...(mayBeNull && { nullable: true }),
  }
  // One alternative beside null is that alternative.
  const [sole, more] = real
  if (sole && !more) return { ...convert(sole, scope), ...note }
  if (real.length > 1) return { ...note, anyOf: real.map((each) => convert(each, scope)) }
  if (another !== undefined) {
    return {
      ...note,
      anyOf: types.map((type) => convert({ ...schema, description: '', type }, scope)),
    }
  }
  const type = values ? 'string' : only
  return {
    ...note,
    ...(type !== undefined && { type: type.toUpperCase() }),
    ...Object.fromEntries(SAME.filter((keyword) => keyword in schema).map((k) => [k, schema[k]])),
    ...(FORMATS.has(schema.format) && { format: schema.format }),
    ...(values && { enum: values }),
    ...(type === 'array' && { items: convert(asObject(schema.items), scope) }),
    ...(type === 'object' && convertObjectFields(schema, scope)),
  }
}

/** The `parameters` of a declaration; null for a function without any, because an empty object is refused. */
export function encodeParameters(schema: JsonObject | null): JsonObject | null {
  if (schema === null) return null
  const scope = { root: schema, within: [], written: { count: 0 } }
  const converted = convert({ type: 'object', ...schema }, scope)
  return converted.type === 'OBJECT' && !isObject(converted.properties) ? null : converted
}
