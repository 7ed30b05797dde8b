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

interface WithParameters extends Parameters {
  models: readonly string[]
  /** One for each model when they differ; empty while all models have the same. */
  lanes: readonly Parameters[]
}

/** The parameters of a column. */
export function getParameters(chat: WithParameters, column: number): Parameters {
  return pickParameters(chat.lanes[column] ?? chat)
}

export function pickParameters(from: Parameters): Parameters {
  return Parameters.parse(from)
}

/** Gives each model its own parameters, at first the same. */
export function splitLanes(chat: WithParameters): { lanes: Parameters[] } {
  return { lanes: chat.models.map((_, column) => getParameters(chat, column)) }
}

/** Gives all models the parameters of one column. */
export function joinLanes(chat: WithParameters, column: number): Parameters & { lanes: Parameters[] } {
  return { ...getParameters(chat, column), lanes: [] }
}

/** Changes the parameters of a column, or of all models while they have the same. */
export function changeParameters(
  { lanes }: WithParameters,
  column: number,
  part: Partial<Parameters>,
): Partial<Parameters> & { lanes?: Parameters[] } {
  if (lanes.length === 0) return part
  return { lanes: lanes.map((own, index) => (index === column ? { ...own, ...part } : own)) }
}

/** Adds a model, with the parameters of the last one. */
export function addModel(chat: WithParameters, model: string): { models: string[]; lanes: Parameters[] } {
  const last = chat.lanes.at(-1)
  return { models: [...chat.models, model], lanes: last ? [...chat.lanes, last] : [] }
}

export function removeModel(
  { models, lanes }: WithParameters,
  column: number,
): { models: string[]; lanes: Parameters[] } {
  return { models: models.toSpliced(column, 1), lanes: [...lanes].toSpliced(column, 1) }
}
