import { z } from 'zod'
import { Tool } from '../../../shared/formats/chat.ts'
import { parseCount } from '../../kit/number-input.ts'
import type { ParameterName } from './parameters.ts'

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

function within({ min, max }: { min: number; max: number }): RequestField['parse'] {
  const message = `Enter a number from ${min} to ${max}.`.replace('-', '−')
  return (text) => {
    const value = Number(text)
    return value >= min && value <= max ? { ok: true, value } : { ok: false, message }
  }
}

export const REQUEST_FIELDS: readonly RequestField[] = [
  {
    name: 'temperature',
    field: 'temperature',
    label: 'Temperature',
    parse: within(RANGES.temperature),
    write: writeNumber,
  },
  { name: 'topP', field: 'top_p', label: 'Top P', parse: within(RANGES.topP), write: writeNumber },
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
  {
    name: 'presencePenalty',
    field: 'presence_penalty',
    label: 'Presence penalty',
    parse: within(RANGES.presencePenalty),
    write: writeNumber,
  },
  {
    name: 'frequencyPenalty',
    field: 'frequency_penalty',
    label: 'Frequency penalty',
    parse: within(RANGES.frequencyPenalty),
    write: writeNumber,
  },
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
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : 'unexpected end'
    return { ok: false, message: `Invalid JSON: ${why}.` }
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return { ok: false, message: 'Enter a JSON object: { … }.' }
  }
  const fields = new Map(Object.entries(json))
  for (const [name, why] of Object.entries(CONTROLLED_FIELDS)) {
    if (fields.has(name)) return { ok: false, message: `Remove “${name}”. ${why}` }
  }
  return { ok: true, fields: Object.fromEntries(fields) }
}

/** Whether the playground has its own control for a request field. */
export function isControlledField(field: string): boolean {
  return field in CONTROLLED_FIELDS
}

type ParsedTools = { ok: true; tools: Tool[] } | { ok: false; message: string }

/** Parses the tools that the user typed: a JSON array in the chat-completions format; blank is an empty array. */
export function parseTools(text: string): ParsedTools {
  if (text.trim() === '') return { ok: true, tools: [] }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (thrown) {
    return {
      ok: false,
      message: `Invalid JSON: ${thrown instanceof Error ? thrown.message : 'unexpected end'}.`,
    }
  }
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
