// Owns the making of a value that fits a JSON Schema, in a simple way: types, required, enums, bounds, references.
// Words and numbers of the prompt are used where they fit. Patterns and cross-field rules are not attempted.
import { isObject, type JsonObject } from '../wire/json.ts'
import { shorten, topicsOf } from './sandbox-prose.ts'

const MAX_DEPTH = 12

/** Where values come from: numbers and quoted texts of the prompt, each used once, in order. */
export class PromptValues {
  readonly #text: string
  readonly #numbers: number[]
  readonly #quoted: string[]
  readonly #named: string[]

  constructor(text: string) {
    this.#text = text
    this.#numbers = (text.match(/(?<![\w.-])-?\d+(?:\.\d+)?(?![\w.]*\w)/g) ?? []).map(Number)
    this.#quoted = [...text.matchAll(/"([^"\n]{1,200})"|“([^”\n]{1,200})”/g)].map(
      (match) => match[1] ?? match[2] ?? '',
    )
    this.#named = [
      ...text.matchAll(
        /\b(?:in|for|at|to|of|from|named|called|about)\s+(\p{Lu}[\p{L}\p{N}-]*(?:\s\p{Lu}[\p{L}\p{N}-]*)*)/gu,
      ),
    ].map((match) => match[1] ?? '')
  }

  /** What the prompt says of `name`: `name: value`, else a quoted text, else a name in it, else its subject. */
  string(name: string): string {
    const escaped = name.replace(/[^\p{L}\p{N}_]/gu, '.').replaceAll('_', '[_ ]')
    const stated = name && new RegExp(`\\b${escaped}\\s*[:=]\\s*"?([^\\s",;]+)`, 'iu').exec(this.#text)?.[1]
    if (stated) return stated
    if (/query|text|prompt|message|input|question|content/i.test(name)) {
      return this.#quoted.shift() ?? shorten(this.#text, 200)
    }
    return this.#quoted.shift() ?? this.#named.shift() ?? topicsOf(this.#text, 1)[0] ?? 'sandbox'
  }

  number(): number | null {
    return this.#numbers.shift() ?? null
  }

  mentions(word: string): boolean {
    return word !== '' && this.#text.toLowerCase().includes(word.toLowerCase())
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-01',
  'date-time': '2026-01-01T12:00:00Z',
  time: '12:00:00Z',
  duration: 'PT1H',
  email: 'sandbox@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
}

function numberIn(schema: JsonObject, name: string, fallback: number): number {
  return typeof schema[name] === 'number' ? schema[name] : fallback
}

function numberFor(schema: JsonObject, whole: boolean, values: PromptValues): number {
  const step =
    typeof schema.multipleOf === 'number' && schema.multipleOf > 0 ? schema.multipleOf : whole ? 1 : 0
  const small = step || 0.5
  const least = Math.max(
    numberIn(schema, 'minimum', Number.NEGATIVE_INFINITY),
    numberIn(schema, 'exclusiveMinimum', Number.NEGATIVE_INFINITY) + small,
  )
  const most = Math.min(
    numberIn(schema, 'maximum', Number.POSITIVE_INFINITY),
    numberIn(schema, 'exclusiveMaximum', Number.POSITIVE_INFINITY) - small,
  )
  const wanted = Math.min(Math.max(values.number() ?? 1, least), most)
  if (!step) return wanted
  const down = Math.floor(wanted / step) * step
  return down >= least ? down : Math.ceil(least / step) * step
}

function stringFor(schema: JsonObject, name: string, values: PromptValues): string {
  const format = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined
  const most = numberIn(schema, 'maxLength', 2000)
  const text = (format ?? values.string(name)).slice(0, Math.max(0, most))
  return text.padEnd(Math.min(numberIn(schema, 'minLength', 0), 2000), '.')
}

function resolve(schema: JsonObject, root: JsonObject): JsonObject {
  if (typeof schema.$ref !== 'string' || !schema.$ref.startsWith('#')) return schema
  let found: unknown = root
  for (const step of schema.$ref.slice(1).split('/').filter(Boolean)) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    found = isObject(found) ? found[name] : undefined
  }
  return isObject(found) ? found : {}
}

function typeOf(schema: JsonObject): string {
  const { type } = schema
  if (typeof type === 'string') return type
  const types: unknown[] = Array.isArray(type) ? type : []
  const first = types.find((one) => typeof one === 'string' && one !== 'null') ?? types[0]
  if (typeof first === 'string') return first
  if (isObject(schema.properties)) return 'object'
  return schema.items === undefined ? 'string' : 'array'
}

interface Place {
  root: JsonObject
  /** The property the value is for. */
  name: string
  depth: number
  values: PromptValues
}

function objectFor(schema: JsonObject, place: Place): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const made: JsonObject = {}
  for (const [name, property] of Object.entries(properties)) {
    const wanted = required.has(name) || (required.size === 0 && place.depth < 4)
    if (wanted) made[name] = valueAt(property, { ...place, name, depth: place.depth + 1 })
  }
  for (const name of required)
    if (typeof name === 'string' && !(name in made)) made[name] = place.values.string(name)
  return made
}

function arrayFor(schema: JsonObject, place: Place): unknown[] {
  const prefix: unknown[] = Array.isArray(schema.prefixItems) ? schema.prefixItems : []
  const least = Math.max(numberIn(schema, 'minItems', 0), prefix.length)
  const wanted = Math.min(least || (place.depth < 6 ? 1 : 0), numberIn(schema, 'maxItems', 100), 100)
  return Array.from({ length: wanted }, (_, at) =>
    valueAt(prefix[at] ?? schema.items ?? {}, { ...place, depth: place.depth + 1 }),
  )
}

function valueAt(raw: unknown, place: Place): unknown {
  if (!isObject(raw) || place.depth > MAX_DEPTH) return null
  let schema = resolve(raw, place.root)
  if (Array.isArray(schema.allOf)) {
    const parts = schema.allOf.filter(isObject).map((part) => resolve(part, place.root))
    const properties = Object.assign({}, ...[schema, ...parts].map((part) => part.properties ?? {}))
    const required = [schema, ...parts].flatMap((part) => (Array.isArray(part.required) ? part.required : []))
    schema = Object.assign(
      {},
      schema,
      ...parts,
      Object.keys(properties).length > 0 ? { properties, required } : {},
    )
  }
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) {
    return (
      schema.enum.find((one) => typeof one === 'string' && place.values.mentions(one)) ??
      schema.enum[0] ??
      null
    )
  }
  const options = Array.isArray(schema.anyOf) ? schema.anyOf : schema.oneOf
  if (Array.isArray(options)) {
    const option = options.find((one) => isObject(one) && one.type !== 'null') ?? options[0]
    return valueAt(isObject(option) ? { ...schema, anyOf: undefined, oneOf: undefined, ...option } : option, {
      ...place,
      depth: place.depth + 1,
    })
  }
  if (schema.default !== undefined) return schema.default
  switch (typeOf(schema)) {
    case 'object':
      return objectFor(schema, place)
    case 'array':
      return arrayFor(schema, place)
    case 'integer':
      return numberFor(schema, true, place.values)
    case 'number':
      return numberFor(schema, false, place.values)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return stringFor(schema, place.name, place.values)
  }
}

/** A value that fits `schema`, filled from the prompt where that is simple. */
export function instanceOf(schema: unknown, prompt: string): unknown {
  const root = isObject(schema) ? schema : {}
  return valueAt(root, { root, name: '', depth: 0, values: new PromptValues(prompt) })
}
