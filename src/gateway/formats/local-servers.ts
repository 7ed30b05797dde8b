// Owns the reading of what local servers say of their models beside OpenAI's list: Ollama's `/api/show`, LM Studio's
// `/api/v0/models`, llama.cpp's `/props`. Pure functions of parsed JSON; knows nothing of sockets.
import type { Capability } from '../../shared/models.ts'
import type { UpstreamModel } from './codec.ts'
import { isObject, type JsonObject, wholeNumber } from './json.ts'
import { readModelList } from './openai-chat/models.ts'

/** Which of them a server speaks. */
export type LocalDetails = 'ollama' | 'lmstudio' | 'llamacpp'

export interface DetailsRequest {
  /** Below the server's root, which is the base URL without its `/v1`. */
  path: string
  /** Sent as a POST; null asks with a GET. */
  body: JsonObject | null
  /** The models with what the answer says of them. */
  read(answer: unknown, models: readonly UpstreamModel[]): UpstreamModel[]
}

/** What to ask a server about `models`. The answers may be read in any order. */
export function detailsRequests(kind: LocalDetails, models: readonly UpstreamModel[]): DetailsRequest[] {
  switch (kind) {
    case 'ollama':
      return models.map(({ id }) => ({
        path: '/api/show',
        body: { model: id },
        read: (answer, all) => all.map((model) => (model.id === id ? readOllama(model, answer) : model)),
      }))
    case 'lmstudio':
      return [{ path: '/api/v0/models', body: null, read: readLmStudio }]
    case 'llamacpp':
      return [{ path: '/props', body: null, read: readLlamaCpp }]
  }
}

/** `capabilities` is a list of words; `model_info` has `<architecture>.context_length` (Ollama's API reference). */
function readOllama(model: UpstreamModel, answer: unknown): UpstreamModel {
  if (!isObject(answer)) return model
  const info = isObject(answer.model_info) ? answer.model_info : {}
  const key = Object.keys(info).find((name) => name.endsWith('.context_length'))
  const words = Array.isArray(answer.capabilities) ? answer.capabilities : null
  return known(
    model,
    key === undefined ? null : wholeNumber(info[key], 1),
    words && {
      vision: words.includes('vision'),
      tools: words.includes('tools'),
      reasoning: words.includes('thinking'),
      json: words.includes('completion'),
      streaming: words.includes('completion'),
    },
  )
}

function readLmStudio(answer: unknown, models: readonly UpstreamModel[]): UpstreamModel[] {
  const rows = new Map(readModelList(answer, Number.POSITIVE_INFINITY)?.map((row) => [row.id, row]))
  return models.map((model) => ({ ...model, ...rows.get(model.id) }))
}

/** One server, one model: its context is what it was started with (llama.cpp's server documentation). */
function readLlamaCpp(answer: unknown, models: readonly UpstreamModel[]): UpstreamModel[] {
  if (!isObject(answer)) return [...models]
  const settings = isObject(answer.default_generation_settings) ? answer.default_generation_settings : {}
  const modalities = isObject(answer.modalities) ? answer.modalities : null
  const template = typeof answer.chat_template === 'string' ? answer.chat_template : ''
  return models.map((model) =>
    known(
      model,
      wholeNumber(settings.n_ctx, 1),
      modalities && {
        vision: modalities.vision === true,
        tools: template.includes('tools'),
        reasoning: /<think>|enable_thinking|reasoning/.test(template),
        json: true,
        streaming: true,
      },
    ),
  )
}

function known(
  model: UpstreamModel,
  contextWindow: number | null,
  has: Record<Capability, boolean> | null,
): UpstreamModel {
  const all: Capability[] = ['vision', 'tools', 'json', 'reasoning', 'streaming']
  return {
    ...model,
    ...(contextWindow === null ? {} : { contextWindow }),
    ...(has === null ? {} : { capabilities: all.filter((capability) => has[capability]) }),
  }
}
