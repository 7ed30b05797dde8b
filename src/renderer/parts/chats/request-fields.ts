// How each parameter is written in a request: its field, and the text that the user types for it.
import { parseCount } from '../../kit/number-input.ts'
import type { ParameterName } from './parameters.ts'
import { parseTools } from './parse-tools.ts'

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
