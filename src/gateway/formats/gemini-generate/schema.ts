// Converts a function's JSON Schema to the schema of Gemini's function declarations, an OpenAPI subset that rejects
// unknown keywords. Source: Google's Gemini API reference, `Schema`.
import { splitWords } from '../../../shared/values/text.ts'
import { asList, asObject, isObject, type JsonObject } from '../json/json.ts'
import { describeLimits } from '../json/narrow-schema.ts'

/**
 * The format has no references, so they are expanded. A recursive schema is cut at the first recursion, and expansion
 * stops at this many schemas.
 */
const MAX_SCHEMAS = 2_000

interface Scope {
  /** The target of references. */
  root: JsonObject
  /** The references that are being expanded, outermost first. */
  within: readonly string[]
  converted: { count: number }
}

function countSchema({ converted }: Scope): boolean {
  converted.count += 1
  return converted.count <= MAX_SCHEMAS
}
/** Keywords that are copied unchanged. */
const COPIED = splitWords(`
  maxItems maxLength maxProperties maximum minItems minLength minProperties minimum pattern title`)
const FORMATS: ReadonlySet<unknown> = new Set(['date-time', 'double', 'enum', 'float', 'int32', 'int64'])
const TYPES: ReadonlySet<string> = new Set(['array', 'boolean', 'integer', 'number', 'object', 'string'])
/** Keywords without a counterpart that are added to the description. */
const DESCRIBED = ['multipleOf', 'uniqueItems', 'exclusiveMaximum', 'exclusiveMinimum'] as const

/** Resolves a local `$ref` (`#/$defs/Name`). Keywords next to the reference override the referenced schema's. */
function resolve(schema: JsonObject, scope: Scope): { schema: JsonObject; scope: Scope } {
  const { $ref, ...rest } = schema
  if (typeof $ref !== 'string') return { schema, scope }
  if (scope.within.includes($ref)) return { schema: { type: 'object', ...rest }, scope }
  let target: unknown = scope.root
  for (const name of $ref.replace(/^#\/?/, '').split('/')) {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
    if (key !== '') target = isObject(target) ? target[key] : undefined
  }
  // The referenced schema may itself be a reference.
  return resolve(isObject(target) ? { ...target, ...rest } : rest, {
    ...scope,
    within: [...scope.within, $ref],
  })
}

/** Merges `allOf` into one schema; on a conflict the schema's own keywords win. */
function mergeAllOf(schema: JsonObject, scope: Scope): JsonObject {
  const { allOf, ...keywords } = schema
  if (!Array.isArray(allOf) || !countSchema(scope)) return keywords
  const merged = allOf.filter(isObject).map((part) => {
    const resolved = resolve(part, scope)
    return mergeAllOf(resolved.schema, resolved.scope)
  })
  const parts = [...merged, keywords]
  const properties = Object.assign({}, ...parts.map((part) => asObject(part.properties)))
  const required = [...new Set(parts.flatMap((part) => asList(part.required)))]
  return {
    ...Object.assign({}, ...parts),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  }
}

/** `type: ["string", "null"]` becomes a nullable string; several other types become alternatives. */
function readTypes(schema: JsonObject): { types: string[]; nullable: boolean } {
  const stated = asList(Array.isArray(schema.type) ? schema.type : [schema.type])
  const implied = isObject(schema.properties) ? ['object'] : isObject(schema.items) ? ['array'] : []
  const types = stated.filter((type) => typeof type === 'string')
  const knownTypes = types.filter((type) => TYPES.has(type))
  return {
    types: knownTypes.length > 0 ? knownTypes : implied,
    nullable: types.includes('null') || schema.nullable === true,
  }
}

/** Gemini supports enumerations of strings only; others are added to the description. */
function readEnum(schema: JsonObject): { values: string[] | null; described: unknown } {
  const values = 'const' in schema ? [schema.const] : schema.enum
  if (!Array.isArray(values)) return { values: null, described: undefined }
  const texts = values.filter((value) => typeof value === 'string')
  const others = values.filter((value) => typeof value !== 'string' && value !== null)
  return others.length === 0 && texts.length > 0
    ? { values: texts, described: undefined }
    : { values: null, described: values }
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

function convert(unresolved: JsonObject, outer: Scope): JsonObject {
  if (!countSchema(outer)) return { type: 'OBJECT' }
  const resolved = resolve(unresolved, outer)
  const { scope } = resolved
  const schema = mergeAllOf(resolved.schema, scope)
  const { types, nullable } = readTypes(schema)
  const [only, another] = types
  const { values, described } = readEnum(schema)
  const limits = Object.fromEntries(
    DESCRIBED.filter((keyword) => keyword in schema).map((k) => [k, schema[k]]),
  )
  const alternatives = [...asList(schema.anyOf), ...asList(schema.oneOf)].filter(isObject)
  const real = alternatives.filter((alternative) => alternative.type !== 'null')
  const mayBeNull = nullable || real.length < alternatives.length
  const note = {
    ...describeLimits(schema.description, described === undefined ? limits : { ...limits, enum: described }),
    ...(mayBeNull && { nullable: true }),
  }
  // A single alternative besides null replaces the schema.
  const [sole, more] = real
  if (sole && !more) return { ...convert(sole, scope), ...note }
  if (real.length > 1) return { ...note, anyOf: real.map((alternative) => convert(alternative, scope)) }
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
    ...Object.fromEntries(COPIED.filter((keyword) => keyword in schema).map((k) => [k, schema[k]])),
    ...(FORMATS.has(schema.format) && { format: schema.format }),
    ...(values && { enum: values }),
    ...(type === 'array' && { items: convert(asObject(schema.items), scope) }),
    ...(type === 'object' && convertObjectFields(schema, scope)),
  }
}

/** The `parameters` of a declaration; null for a function without any, because Gemini rejects an empty object. */
export function encodeParameters(schema: JsonObject | null): JsonObject | null {
  if (schema === null) return null
  const scope = { root: schema, within: [], converted: { count: 0 } }
  const converted = convert({ type: 'object', ...schema }, scope)
  return converted.type === 'OBJECT' && !isObject(converted.properties) ? null : converted
}
