// An agent runs the tools that a model calls, often without confirmation. The sandbox does not understand a prompt, so it
// calls a tool only where the client's own code requires it (`tool_choice`), or on the command `[[sandbox:tool NAME]]`,
// which no one writes by accident. The arguments depend on the tool's schema alone.
import type { KnownChatRequest as ChatRequest, Tool, ToolCall } from '../../shared/formats/chat.ts'
import { isObject, type JsonObject } from '../formats/json/json.ts'

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
  const id = `call_sandbox_${request.messages.length}`
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

function readNumber(schema: JsonObject, name: string, fallback: number): number {
  return typeof schema[name] === 'number' ? schema[name] : fallback
}

function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The number nearest to 0 that the bounds allow. */
function createNumber(schema: JsonObject, isInteger: boolean): number {
  const gap = isInteger ? 1 : readNumber(schema, 'multipleOf', 0.5)
  const min = Math.max(
    readNumber(schema, 'minimum', Number.NEGATIVE_INFINITY),
    readNumber(schema, 'exclusiveMinimum', Number.NEGATIVE_INFINITY) + gap,
  )
  const max = Math.min(
    readNumber(schema, 'maximum', Number.POSITIVE_INFINITY),
    readNumber(schema, 'exclusiveMaximum', Number.POSITIVE_INFINITY) - gap,
  )
  return Math.min(Math.max(0, isInteger ? Math.ceil(min) : min), max)
}

function createText(schema: JsonObject): string {
  const format = typeof schema.format === 'string' ? FORMATS.get(schema.format) : undefined
  const text = (format ?? INERT_TEXT).slice(0, Math.max(0, readNumber(schema, 'maxLength', 2000)))
  return text.padEnd(Math.min(readNumber(schema, 'minLength', 0), 2000), '.')
}

/** A reference that leads nowhere allows anything. */
function resolve(schema: JsonObject, root: JsonObject): JsonObject {
  if (typeof schema.$ref !== 'string' || !schema.$ref.startsWith('#')) return schema
  let target: unknown = root
  for (const step of schema.$ref.slice(1).split('/').filter(Boolean)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    target = isObject(target) ? target[name] : undefined
  }
  return isObject(target) ? target : {}
}

function getType({ type, properties, items }: JsonObject): unknown {
  const types = Array.isArray(type) ? type : [type]
  const [first = types[0]] = types.filter((each) => typeof each === 'string' && each !== 'null')
  return first ?? (isObject(properties) ? 'object' : items === undefined ? 'string' : 'array')
}

interface Place {
  root: JsonObject
  depth: number
  /** Shared by the whole schema: values that may still be created. */
  remaining: { values: number }
}

function createObject(schema: JsonObject, place: Place): JsonObject {
  const required = new Set(readList(schema.required))
  const value: JsonObject = {}
  for (const [name, property] of Object.entries(isObject(schema.properties) ? schema.properties : {}))
    if (required.has(name) || (required.size === 0 && place.depth < 5))
      value[name] = createValue(property, place)
  for (const name of required) if (typeof name === 'string' && !(name in value)) value[name] = INERT_TEXT
  return value
}

function createList(schema: JsonObject, place: Place): unknown[] {
  const prefix = readList(schema.prefixItems)
  const minItems = Math.max(readNumber(schema, 'minItems', 0), prefix.length)
  const length = Math.min(minItems || (place.depth < 7 ? 1 : 0), readNumber(schema, 'maxItems', 100), 100)
  return Array.from({ length }, (_, at) => createValue(prefix[at] ?? schema.items ?? {}, place))
}

/** The schema with what the parts of its `allOf` add. */
function mergeParts(schema: JsonObject, root: JsonObject): JsonObject {
  if (!Array.isArray(schema.allOf)) return schema
  const parts = [schema, ...schema.allOf.filter(isObject).map((part) => resolve(part, root))]
  const properties = Object.assign({}, ...parts.map((part) => part.properties ?? {}))
  const required = parts.flatMap((part) => readList(part.required))
  return Object.assign({}, ...parts, Object.keys(properties).length > 0 && { properties, required })
}

function createValue(raw: unknown, { root, depth, remaining }: Place): unknown {
  remaining.values -= 1
  if (!isObject(raw) || depth > MAX_DEPTH || remaining.values < 0) return null
  const schema = mergeParts(resolve(raw, root), root)
  const place = { root, depth: depth + 1, remaining }
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null
  const options = Array.isArray(schema.anyOf) ? schema.anyOf : schema.oneOf
  if (Array.isArray(options)) {
    const option = options.find((each) => isObject(each) && each.type !== 'null') ?? options[0]
    return createValue(
      isObject(option) ? { ...schema, anyOf: undefined, oneOf: undefined, ...option } : option,
      place,
    )
  }
  const type = getType(schema)
  if (type === 'object') return createObject(schema, place)
  if (type === 'array') return createList(schema, place)
  if (type === 'integer' || type === 'number') return createNumber(schema, type === 'integer')
  return type === 'boolean' ? false : type === 'null' ? null : createText(schema)
}

/** A value that fits `schema`, always the same one. */
export function createInstance(schema: unknown): unknown {
  const root = isObject(schema) ? schema : {}
  return createValue(root, { root, depth: 0, remaining: { values: MAX_VALUES } })
}
