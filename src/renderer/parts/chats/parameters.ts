// The parameters of a chat, as the user types them. The schema says how each field looks, and what of it is sent.
import { z } from 'zod'
import { Tool } from '../../../shared/formats/chat.ts'
import { errorMessage } from '../../../shared/values/text.ts'
import { countText } from '../../kit/number-input.ts'

/** A number; null for a blank field. */
function numberText(min: number, max: number) {
  return z.string().transform((text, context) => {
    if (text.trim() === '') return null
    const value = Number(text)
    if (value >= min && value <= max) return value
    context.addIssue(`Enter a number from ${min} to ${max}.`)
    return z.NEVER
  })
}

/** JSON of a shape; null for a blank field. */
export function jsonText<Value>(shape: z.ZodType<Value>) {
  return z.string().transform((text, context) => {
    if (text.trim() === '') return null
    try {
      const parsed = shape.safeParse(JSON.parse(text))
      if (parsed.success) return parsed.data
      for (const { path, message } of parsed.error.issues)
        context.addIssue(path.length === 0 ? message : `${z.core.toDotPath(path)}: ${message}.`)
    } catch (thrown) {
      context.addIssue(`Invalid JSON: ${errorMessage(thrown)}.`)
    }
    return z.NEVER
  })
}

const CONTROLLED_FIELDS = ['temperature', 'top_p', 'max_tokens', 'reasoning_effort', 'tools']
/** What the playground sets in every request. */
const FIXED_FIELDS = ['model', 'messages', 'stream', 'stream_options', 'n']

const OtherFields = z
  .record(z.string(), z.unknown(), 'Enter a JSON object: { … }.')
  .superRefine((fields, context) => {
    const name = [...FIXED_FIELDS, ...CONTROLLED_FIELDS].find((field) => Object.hasOwn(fields, field))
    if (name !== undefined) context.addIssue(`Remove “${name}”: the playground sets it.`)
  })

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
const NUMBER = { placeholder: 'Default', inputMode: 'decimal' } as const
const JSON_AREA = { placeholder: 'None', rows: 5, mono: true } as const

/** Reads the texts of the fields. A blank one is the model's default. */
export const ParameterFields = z.object({
  system: z.string().meta({ label: 'System prompt', rows: 4, placeholder: 'None' }),
  temperature: numberText(0, 2).meta({ ...NUMBER, label: 'Temperature' }),
  topP: numberText(0, 1).meta({ ...NUMBER, label: 'Top P' }),
  maxTokens: countText.meta({ ...NUMBER, label: 'Max tokens' }),
  reasoningEffort: z.string().meta({
    label: 'Reasoning effort',
    options: [{ value: '', label: 'Default' }, ...EFFORTS.map((value) => ({ value, label: value }))],
  }),
  tools: jsonText(z.array(Tool, 'Enter a JSON array of tools: [ … ].')).meta({
    ...JSON_AREA,
    label: 'Tools',
    hint: 'A JSON array in the chat-completions format. You enter the results of calls by hand.',
  }),
  extra: jsonText(OtherFields).meta({
    ...JSON_AREA,
    label: 'Other fields',
    hint: 'A JSON object of further request fields, such as response_format, stop, seed or top_k.',
  }),
})
export type ParameterName = keyof typeof ParameterFields.shape

const Text = z.string().default('')

/** The texts of the fields, as they are stored. */
export const Parameters = z.object({
  system: Text,
  temperature: Text,
  topP: Text,
  maxTokens: Text,
  reasoningEffort: Text,
  tools: Text,
  extra: Text,
})
export type Parameters = z.infer<typeof Parameters>

export const DEFAULT_PARAMETERS: Parameters = Parameters.parse({})

interface ReadParameters {
  /** The request fields of those that are set and valid. The system prompt is a message, and not among them. */
  fields: Record<string, unknown>
  /** The mistakes in the others. */
  errors: ReadonlyMap<string, string>
}

export function readParameters(parameters: Parameters): ReadParameters {
  const parsed = ParameterFields.safeParse(parameters)
  if (!parsed.success) {
    const errors = new Map(parsed.error.issues.map(({ path, message }) => [String(path[0]), message]))
    const blank = Object.fromEntries([...errors.keys()].map((name) => [name, '']))
    return { fields: readParameters({ ...parameters, ...blank }).fields, errors }
  }
  const { temperature, topP, maxTokens, reasoningEffort, tools, extra } = parsed.data
  const controlled = {
    temperature,
    top_p: topP,
    max_tokens: maxTokens,
    reasoning_effort: reasoningEffort || null,
    tools,
  }
  const set = Object.entries(controlled).filter(([, value]) => value !== null)
  return { fields: { ...Object.fromEntries(set), ...extra }, errors: new Map() }
}

/** The parameters for the fields of a request. */
export function writeParameters(request: Readonly<Record<string, unknown>>): Parameters {
  const { temperature, top_p, max_tokens, reasoning_effort, tools, ...others } = request
  const extra = Object.entries(others).filter(
    ([name, value]) => !FIXED_FIELDS.includes(name) && value !== null && value !== undefined,
  )
  return {
    system: '',
    temperature: writeText(temperature),
    topP: writeText(top_p),
    maxTokens: writeText(max_tokens),
    reasoningEffort: writeText(reasoning_effort),
    tools: writeText(tools),
    extra: extra.length === 0 ? '' : writeText(Object.fromEntries(extra)),
  }
}

function writeText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
