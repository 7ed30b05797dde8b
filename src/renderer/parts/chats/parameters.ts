import { z } from 'zod'

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
