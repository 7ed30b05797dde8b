// An agent runs the tools that a model calls, often without confirmation. The sandbox does not understand a prompt, so it
// calls a tool only where the client's own code requires it (`tool_choice`), or on the command `[[sandbox:tool NAME]]`,
// which no one writes by accident. The arguments depend on the tool's schema alone.
import type { KnownChatRequest as ChatRequest, Tool, ToolCall } from '../../shared/formats/chat.ts'
import { isObject, type JsonObject } from '../formats/json/json.ts'

/** A 32-bit FNV-1a hash, which makes the ids of calls. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  }
  return hash
}

function namesIn(choice: Record<string, unknown>): string[] {
  const member = choice.function ?? choice.custom
  if (isObject(member) && typeof member.name === 'string') return [member.name]
  const allowed = isObject(choice.allowed_tools) ? choice.allowed_tools.tools : undefined
  return Array.isArray(allowed) ? allowed.filter(isObject).flatMap(namesIn) : []
}

interface Choice {
  /** A tool must be called, regardless of the message. */
  forced: boolean
  tools: readonly Tool[]
}

function readChoice(request: ChatRequest): Choice {
  const tools = request.tools ?? []
  const choice = request.tool_choice ?? 'auto'
  if (choice === 'none') return { forced: false, tools: [] }
  if (choice === 'auto') return { forced: false, tools }
  if (choice === 'required') return { forced: true, tools }
  const names = namesIn(choice)
  const allowed = choice.allowed_tools
  const mayAnswer = choice.type === 'allowed_tools' && isObject(allowed) && allowed.mode !== 'required'
  return { forced: !mayAnswer, tools: tools.filter((tool) => names.includes(getName(tool))) }
}

function getName(tool: Tool): string {
  return tool.type === 'function' ? tool.function.name : tool.custom.name
}

/** The number of answers with tool calls since the last user message. */
function stepsDone({ messages }: ChatRequest): number {
  const question = messages.findLastIndex(({ role }) => role === 'user')
  return messages
    .slice(question + 1)
    .filter((message) => message.role === 'assistant' && (message.tool_calls?.length ?? 0) > 0).length
}

/**
 * The call that the sandbox makes in answer to the request, if any. `named` are the tools that the last user message
 * commands, one for each step of an agent's loop.
 */
export function createToolCall(request: ChatRequest, named: readonly string[]): ToolCall | null {
  const { forced, tools } = readChoice(request)
  const step = stepsDone(request)
  const commanded = request.messages.at(-1)?.role === 'assistant' ? undefined : named[step]
  const tool = tools.find((one) => getName(one) === commanded) ?? (forced ? tools[0] : undefined)
  if (!tool) return null
  const name = getName(tool)
  const id = `call_${hashText(`${name} ${request.messages.length}`).toString(36)}`
  if (tool.type === 'custom') return { id, type: 'custom', custom: { name, input: INERT_TEXT } }
  const value = createInstance(tool.function.parameters ?? { type: 'object' })
  return { id, type: 'function', function: { name, arguments: JSON.stringify(isObject(value) ? value : {}) } }
}

// Creates a value that fits a JSON Schema: types, required, enums, bounds, references; not patterns and cross-field rules.
// The client may execute the result, because a schema is often that of a tool. So no value contains text of the prompt, and
// each is as harmless as possible: the default, the first of an enum, a meaningless word, 0, false.

const MAX_DEPTH = 12
/** Limits the values created for a recursive schema. */
const MAX_VALUES = 2000

/** Not a command, and unlikely to be a file name: a tool called with it fails or does nothing. */
const INERT_TEXT = 'sandbox-value'

/** Addresses and names reserved for examples: they never resolve, so nothing is sent to them. */
const FORMATS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    date: '2026-01-01',
    'date-time': '2026-01-01T12:00:00Z',
    time: '12:00:00Z',
    duration: 'PT1H',
    email: 'sandbox@example.invalid',
    hostname: 'example.invalid',
    ipv4: '192.0.2.1',
    ipv6: '2001:db8::1',
    uri: 'https://example.invalid/',
    url: 'https://example.invalid/',
    uuid: '00000000-0000-4000-8000-000000000000',
  }),
)

function numberIn(schema: JsonObject, name: string, fallback: number): number {
  return typeof schema[name] === 'number' ? schema[name] : fallback
}

/** The number nearest to 0 that the bounds allow. */
function numberFor(schema: JsonObject, isInteger: boolean): number {
  const step =
    typeof schema.multipleOf === 'number' && schema.multipleOf > 0 ? schema.multipleOf : isInteger ? 1 : 0
  const small = step || 0.5
  const min = Math.max(
    numberIn(schema, 'minimum', Number.NEGATIVE_INFINITY),
    numberIn(schema, 'exclusiveMinimum', Number.NEGATIVE_INFINITY) + small,
  )
  const max = Math.min(
    numberIn(schema, 'maximum', Number.POSITIVE_INFINITY),
    numberIn(schema, 'exclusiveMaximum', Number.POSITIVE_INFINITY) - small,
  )
  const nearest = Math.min(Math.max(0, min), max)
  if (!step) return nearest
  const down = Math.floor(nearest / step) * step
  return down >= min ? down : Math.ceil(min / step) * step
}

function stringFor(schema: JsonObject): string {
  const format = typeof schema.format === 'string' ? FORMATS.get(schema.format) : undefined
  const max = numberIn(schema, 'maxLength', 2000)
  const text = (format ?? INERT_TEXT).slice(0, Math.max(0, max))
  return text.padEnd(Math.min(numberIn(schema, 'minLength', 0), 2000), '.')
}

/** Decodes percent escapes; a malformed step is returned unchanged. */
function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

function resolve(schema: JsonObject, root: JsonObject): JsonObject {
  if (typeof schema.$ref !== 'string' || !schema.$ref.startsWith('#')) return schema
  let found: unknown = root
  for (const step of schema.$ref.slice(1).split('/').filter(Boolean)) {
    const name = decodeStep(step).replaceAll('~1', '/').replaceAll('~0', '~')
    found = isObject(found) ? found[name] : undefined
  }
  return isObject(found) ? found : {}
}

function getType(schema: JsonObject): string {
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
  depth: number
  /** Shared by the whole schema: values that may still be created. */
  remaining: { values: number }
}

function objectFor(schema: JsonObject, place: Place): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const value: JsonObject = {}
  for (const [name, property] of Object.entries(properties)) {
    const included = required.has(name) || (required.size === 0 && place.depth < 4)
    if (included) value[name] = valueAt(property, { ...place, depth: place.depth + 1 })
  }
  for (const name of required) if (typeof name === 'string' && !(name in value)) value[name] = INERT_TEXT
  return value
}

function arrayFor(schema: JsonObject, place: Place): unknown[] {
  const prefix: unknown[] = Array.isArray(schema.prefixItems) ? schema.prefixItems : []
  const minItems = Math.max(numberIn(schema, 'minItems', 0), prefix.length)
  const length = Math.min(minItems || (place.depth < 6 ? 1 : 0), numberIn(schema, 'maxItems', 100), 100)
  return Array.from({ length }, (_, at) =>
    valueAt(prefix[at] ?? schema.items ?? {}, { ...place, depth: place.depth + 1 }),
  )
}

function valueAt(raw: unknown, place: Place): unknown {
  place.remaining.values -= 1
  if (!isObject(raw) || place.depth > MAX_DEPTH || place.remaining.values < 0) return null
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
  if (schema.default !== undefined) return schema.default
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null
  const options = Array.isArray(schema.anyOf) ? schema.anyOf : schema.oneOf
  if (Array.isArray(options)) {
    const option = options.find((one) => isObject(one) && one.type !== 'null') ?? options[0]
    return valueAt(isObject(option) ? { ...schema, anyOf: undefined, oneOf: undefined, ...option } : option, {
      ...place,
      depth: place.depth + 1,
    })
  }
  switch (getType(schema)) {
    case 'object':
      return objectFor(schema, place)
    case 'array':
      return arrayFor(schema, place)
    case 'integer':
      return numberFor(schema, true)
    case 'number':
      return numberFor(schema, false)
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return stringFor(schema)
  }
}

/** A value that fits `schema`, always the same one. */
export function createInstance(schema: unknown): unknown {
  const root = isObject(schema) ? schema : {}
  return valueAt(root, { root, depth: 0, remaining: { values: MAX_VALUES } })
}
