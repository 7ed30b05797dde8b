// Model details that local servers report beside OpenAI's model list: Ollama's `/api/show`, LM Studio's
// `/api/v0/models`, llama.cpp's `/props`.
import type { Capability } from '../../../shared/models.ts'
import type { UpstreamModel } from '../chat/codec.ts'
import { isObject, type JsonObject, wholeNumber } from '../json/json.ts'
import { readModelList } from './models.ts'

/** The API that a server offers for them. */
export type LocalDetails = 'ollama' | 'lmstudio' | 'llamacpp'

export interface DetailsRequest {
  /** Relative to the server's root, which is the base URL without `/v1`. */
  path: string
  /** Sent with POST; null sends a GET. */
  body: JsonObject | null
  /** Returns the models with the details in the answer. */
  read(answer: unknown, models: readonly UpstreamModel[]): UpstreamModel[]
}

/** The requests for the details of `models`. Their answers may be read in any order. */
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

/** `capabilities` is a list of strings; `model_info` has `<architecture>.context_length` (Ollama's API reference). */
function readOllama(model: UpstreamModel, answer: unknown): UpstreamModel {
  if (!isObject(answer)) return model
  const info = isObject(answer.model_info) ? answer.model_info : {}
  const key = Object.keys(info).find((name) => name.endsWith('.context_length'))
  const names = Array.isArray(answer.capabilities) ? answer.capabilities : null
  return addDetails(
    model,
    key === undefined ? null : wholeNumber(info[key], 1),
    names && {
      vision: names.includes('vision'),
      tools: names.includes('tools'),
      reasoning: names.includes('thinking'),
      json: names.includes('completion'),
      streaming: names.includes('completion'),
      embeddings: names.includes('embedding'),
    },
  )
}

function readLmStudio(answer: unknown, models: readonly UpstreamModel[]): UpstreamModel[] {
  const rows = new Map(readModelList(answer, Number.POSITIVE_INFINITY)?.map((row) => [row.id, row]))
  return models.map((model) => ({ ...model, ...rows.get(model.id) }))
}

/** llama.cpp serves one model, with the context size it was started with (llama.cpp's server documentation). */
function readLlamaCpp(answer: unknown, models: readonly UpstreamModel[]): UpstreamModel[] {
  if (!isObject(answer)) return [...models]
  const settings = isObject(answer.default_generation_settings) ? answer.default_generation_settings : {}
  const modalities = isObject(answer.modalities) ? answer.modalities : null
  const template = typeof answer.chat_template === 'string' ? answer.chat_template : ''
  return models.map((model) =>
    addDetails(
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

function addDetails(
  model: UpstreamModel,
  contextWindow: number | null,
  has: Partial<Record<Capability, boolean>> | null,
): UpstreamModel {
  const all: Capability[] = ['vision', 'tools', 'json', 'reasoning', 'streaming', 'embeddings']
  return {
    ...model,
    ...(contextWindow === null ? {} : { contextWindow }),
    ...(has === null ? {} : { capabilities: all.filter((capability) => has[capability]) }),
  }
}
