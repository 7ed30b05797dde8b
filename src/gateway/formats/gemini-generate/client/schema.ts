// Converts Google's `Schema`, a subset of OpenAPI 3.0, to JSON Schema. Source: the Gemini API reference, `Schema`.
import { isObject, type JsonObject } from '../../json/json.ts'

/** Counts, which Google's clients write as texts. */
const COUNTS: ReadonlySet<string> = new Set([
  'maxItems',
  'maxLength',
  'maxProperties',
  'minItems',
  'minLength',
  'minProperties',
])
/** Members whose values are schemas or lists of schemas. */
const SCHEMAS: ReadonlySet<string> = new Set(['additionalProperties', 'anyOf', 'items'])
/** Without a counterpart. */
const DROPPED: ReadonlySet<string> = new Set(['nullable', 'propertyOrdering'])

function decodeValue(name: string, value: unknown): unknown {
  if (SCHEMAS.has(name)) return Array.isArray(value) ? value.map(decodeAny) : decodeAny(value)
  if (name === 'type' && typeof value === 'string') return value.toLowerCase()
  if (COUNTS.has(name) && typeof value === 'string') return Number(value)
  const isMap = (name === 'properties' || name === '$defs') && isObject(value)
  return isMap
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, decodeAny(each)]))
    : value
}

function decodeAny(value: unknown): unknown {
  return isObject(value) ? decodeSchema(value) : value
}

function camelCase(name: string): string {
  return name.replace(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function makeNullable(schema: JsonObject): JsonObject {
  const { type, anyOf, enum: values } = schema
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: 'null' }] }
  if (typeof type !== 'string') return schema
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) }
}

/** The enumerations of numbers are texts, too. */
function decodeEnum({ type, enum: values, ...rest }: JsonObject): JsonObject {
  const isNumber = type === 'integer' || type === 'number'
  return {
    ...(type !== undefined && type !== 'type_unspecified' && { type }),
    ...rest,
    ...(Array.isArray(values) && { enum: isNumber ? values.map(Number) : values }),
  }
}

/** Keywords of JSON Schema stay. */
export function decodeSchema(given: JsonObject): JsonObject {
  const members = Object.entries(given).map(([name, value]): [string, unknown] => [camelCase(name), value])
  const kept = members.filter(
    ([name, value]) => !DROPPED.has(name) && !(name === 'format' && value === 'enum'),
  )
  const schema = decodeEnum(
    Object.fromEntries(
      kept.map(([name, value]) =>
        name === 'example' ? ['examples', [value]] : [name, decodeValue(name, value)],
      ),
    ),
  )
  return members.some(([name, value]) => name === 'nullable' && value === true)
    ? makeNullable(schema)
    : schema
}
