import { z } from 'zod'
import { Tool } from '../../../shared/formats/chat.ts'
import { parseCount } from '../../kit/number-input.ts'

// How each parameter is written in a request: its field, and the text that the user types for it.

type ParseResult = { ok: true; value: unknown } | { ok: false; message: string }

interface RequestField {
  name: Exclude<ParameterName, 'system' | 'responseFormat' | 'schema' | 'extra'>
  field: string
  label: string
  /** Reads what was typed, which is not blank. */
  parse: (text: string) => ParseResult
  /** The text for a value; null for one that the control cannot show. */
  write: (value: unknown) => string | null
}

export const RANGES = {
  temperature: { min: 0, max: 2 },
  topP: { min: 0, max: 1 },
  presencePenalty: { min: -2, max: 2 },
  frequencyPenalty: { min: -2, max: 2 },
} as const satisfies Partial<Record<ParameterName, { min: number; max: number }>>

const MAX_STOPS = 4

const writeNumber = (value: unknown) => (typeof value === 'number' ? String(value) : null)

function fieldWithin(name: keyof typeof RANGES, field: string, label: string): RequestField {
  const { min, max } = RANGES[name]
  const message = `Enter a number from ${min} to ${max}.`.replace('-', '−')
  const parse = (text: string): ParseResult => {
    const value = Number(text)
    return value >= min && value <= max ? { ok: true, value } : { ok: false, message }
  }
  return { name, field, label, parse, write: writeNumber }
}

const REQUEST_FIELDS: readonly RequestField[] = [
  fieldWithin('temperature', 'temperature', 'Temperature'),
  fieldWithin('topP', 'top_p', 'Top P'),
  {
    name: 'maxTokens',
    field: 'max_tokens',
    label: 'Max tokens',
    parse(text) {
      const parsed = parseCount(text)
      return parsed.ok ? { ok: true, value: parsed.count } : { ok: false, message: 'Enter a whole number.' }
    },
    write: writeNumber,
  },
  {
    name: 'reasoningEffort',
    field: 'reasoning_effort',
    label: 'Reasoning effort',
    parse: (text) => ({ ok: true, value: text.trim() }),
    write: (value) => (typeof value === 'string' ? value : null),
  },
  {
    name: 'seed',
    field: 'seed',
    label: 'Seed',
    parse(text) {
      const value = Number(text)
      return Number.isSafeInteger(value)
        ? { ok: true, value }
        : { ok: false, message: 'Enter a whole number.' }
    },
    write: writeNumber,
  },
  {
    name: 'stop',
    field: 'stop',
    label: 'Stop sequences',
    parse(text) {
      const value = text
        .split('\n')
        .filter(Boolean)
        .map((line) => line.replaceAll('\\n', '\n'))
      return value.length > MAX_STOPS
        ? { ok: false, message: `Enter at most ${MAX_STOPS} sequences.` }
        : { ok: true, value }
    },
    write(value) {
      const list: unknown[] = Array.isArray(value) ? value : [value]
      return list.every((one) => typeof one === 'string')
        ? list.map((one) => one.replaceAll('\n', '\\n')).join('\n')
        : null
    },
  },
  fieldWithin('presencePenalty', 'presence_penalty', 'Presence penalty'),
  fieldWithin('frequencyPenalty', 'frequency_penalty', 'Frequency penalty'),
  {
    name: 'tools',
    field: 'tools',
    label: 'Tools',
    parse(text) {
      const parsed = parseTools(text)
      if (!parsed.ok) return parsed
      return { ok: true, value: parsed.tools.length > 0 ? parsed.tools : undefined }
    },
    write: (value) => (Array.isArray(value) && value.length > 0 ? JSON.stringify(value, null, 2) : null),
  },
]

type ParsedExtraFields = { ok: true; fields: Record<string, unknown> } | { ok: false; message: string }

/** Request fields that the playground sets itself, and the reason to give. */
const CONTROLLED_FIELDS: Readonly<Record<string, string>> = {
  model: 'The model is chosen above.',
  messages: 'The messages come from the conversation.',
  stream: 'The playground always streams.',
  stream_options: 'The playground always streams.',
  ...Object.fromEntries(REQUEST_FIELDS.map(({ field, label }) => [field, `Use the ${label} field.`])),
  response_format: 'Use the Response format field.',
  n: 'The playground requests one answer at a time.',
}

/** Parses the JSON object of further request fields that the user typed; blank is an empty object. */
export function parseExtraFields(text: string): ParsedExtraFields {
  if (text.trim() === '') return { ok: true, fields: {} }
  const parsed = parseJson(text)
  if (!parsed.ok) return parsed
  const json = parsed.value
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return { ok: false, message: 'Enter a JSON object: { … }.' }
  }
  const fields = new Map(Object.entries(json))
  for (const [name, why] of Object.entries(CONTROLLED_FIELDS)) {
    if (fields.has(name)) return { ok: false, message: `Remove “${name}”. ${why}` }
  }
  return { ok: true, fields: Object.fromEntries(fields) }
}

function parseJson(text: string): ParseResult {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : 'unexpected end'
    return { ok: false, message: `Invalid JSON: ${why}.` }
  }
}

/** Whether the playground has its own control for a request field. */
export function isControlledField(field: string): boolean {
  return field in CONTROLLED_FIELDS
}

type ParsedTools = { ok: true; tools: Tool[] } | { ok: false; message: string }

/** Parses the tools that the user typed: a JSON array in the chat-completions format; blank is an empty array. */
export function parseTools(text: string): ParsedTools {
  if (text.trim() === '') return { ok: true, tools: [] }
  const parsed = parseJson(text)
  if (!parsed.ok) return parsed
  const json = parsed.value
  if (!Array.isArray(json)) return { ok: false, message: 'Enter a JSON array of tools: [ … ].' }
  const tools = z.array(Tool).safeParse(json)
  if (tools.success) return { ok: true, tools: tools.data }
  const [issue] = tools.error.issues
  const where = (issue?.path ?? []).map(String)
  const place = where.length > 1 ? `, ${where.slice(1).join('.')}` : ''
  return {
    ok: false,
    message: `Tool ${Number(where[0] ?? 0) + 1}${place}: ${issue?.message ?? 'not a tool'}.`,
  }
}

export const EXAMPLE_TOOLS = JSON.stringify(
  [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather in a city now.',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' } },
          required: ['city'],
        },
      },
    },
  ],
  null,
  2,
)

const Text = z.string().default('')

/** The parameters of a request as typed; blank for the model's default. */
export const Parameters = z.object({
  system: Text,
  temperature: Text,
  topP: Text,
  maxTokens: Text,
  reasoningEffort: Text,
  responseFormat: z.enum(['text', 'json_object', 'json_schema']).default('text'),
  /** A JSON Schema, or an object of the API with `name` and `schema`. */
  schema: Text,
  seed: Text,
  /** One sequence in each line; `\n` stands for a line break. */
  stop: Text,
  presencePenalty: Text,
  frequencyPenalty: Text,
  /** A JSON array. */
  tools: Text,
  /** A JSON object of further request fields. */
  extra: Text,
})
export type Parameters = z.infer<typeof Parameters>
export type ParameterName = keyof Parameters

/** Every parameter at the model's default. */
export const DEFAULT_PARAMETERS: Parameters = Parameters.parse({})

/** The parameters alone, of a chat or whatever else has them. */
export function pickParameters(from: Parameters): Parameters {
  return Parameters.parse(from)
}

export interface ReadParameters {
  /** The request fields of the parameters that are valid and set. */
  fields: Record<string, unknown>
  /** Further request fields. */
  extra: Record<string, unknown>
  /** The mistakes in the others. */
  errors: ReadonlyMap<ParameterName, string>
}

/** The request fields for parameters as typed. The system prompt is a message, and not among them. */
export function readParameters(parameters: Parameters): ReadParameters {
  const fields: Record<string, unknown> = {}
  const errors = new Map<ParameterName, string>()
  for (const { name, field, parse } of REQUEST_FIELDS) {
    if (parameters[name].trim() === '') continue
    const parsed = parse(parameters[name])
    if (!parsed.ok) errors.set(name, parsed.message)
    else if (parsed.value !== undefined) fields[field] = parsed.value
  }
  const format = parseResponseFormat(parameters)
  if (!format.ok) errors.set('schema', format.message)
  else if (format.value !== undefined) fields.response_format = format.value
  const extra = parseExtraFields(parameters.extra)
  if (!extra.ok) errors.set('extra', extra.message)
  return { fields, extra: extra.ok ? extra.fields : {}, errors }
}

/** The parameters for the fields of a request, and the fields that have no control of their own. */
export function writeParameters(fields: Readonly<Record<string, unknown>>): {
  parameters: Parameters
  rest: Record<string, unknown>
} {
  const rest = new Map(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))
  let parameters = DEFAULT_PARAMETERS
  for (const { name, field, write } of REQUEST_FIELDS) {
    const text = rest.has(field) ? write(rest.get(field)) : null
    if (text !== null) parameters = { ...parameters, [name]: text }
    rest.delete(field)
  }
  const format = writeResponseFormat(rest.get('response_format'))
  if (format) parameters = { ...parameters, ...format }
  rest.delete('response_format')
  return { parameters, rest: Object.fromEntries(rest) }
}

type ParsedFormat = { ok: true; value: object | undefined } | { ok: false; message: string }
type Format = Pick<Parameters, 'responseFormat' | 'schema'>

const NamedSchema = z.looseObject({ name: z.string(), schema: z.record(z.string(), z.unknown()) })
const Field = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({ type: z.literal('json_schema'), json_schema: z.record(z.string(), z.unknown()) }),
])

/** The request field `response_format`; undefined for text. */
function parseResponseFormat({ responseFormat, schema }: Format): ParsedFormat {
  if (responseFormat === 'text') return { ok: true, value: undefined }
  if (responseFormat === 'json_object') return { ok: true, value: { type: 'json_object' } }
  const json = parseObject(schema)
  if (!json) return { ok: false, message: 'Enter a JSON Schema: an object such as { "type": "object", … }.' }
  const named = NamedSchema.safeParse(json)
  const title = typeof json.title === 'string' ? json.title.replaceAll(/[^\w-]+/g, '_') : ''
  return {
    ok: true,
    value: {
      type: 'json_schema',
      json_schema: named.success ? json : { name: title || 'answer', schema: json },
    },
  }
}

/** The parameters for a `response_format`; null for one of an unknown type. */
function writeResponseFormat(field: unknown): Format | null {
  const known = Field.safeParse(field)
  if (!known.success) return null
  const schema = known.data.type === 'json_schema' ? JSON.stringify(known.data.json_schema, null, 2) : ''
  return { responseFormat: known.data.type, schema }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text))
  } catch {
    return null
  }
}
