// Reads model lists in OpenAI's shape, and the additional fields of OpenRouter and Together (context, prices), vLLM
// (`max_model_len`), LM Studio, Ollama, Groq and Mistral.
import { type Capability, MAX_PER_MILLION, type Pricing } from '../../../shared/api/models.ts'
import type { UpstreamModel } from '../chat/codec-types.ts'
import { identifyModel, readModels } from '../chat/models.ts'
import { asObject, isObject, type JsonObject, wholeNumber } from '../json/json.ts'

function firstCount(...values: unknown[]): number | undefined {
  return values.map((value) => wholeNumber(value, 1)).find((value) => value !== null) ?? undefined
}

/** OpenRouter gives USD per token as a decimal string; -1 means "variable". Returns USD per million, or undefined. */
function perMillion(value: unknown): number | undefined {
  const usd = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof usd !== 'number' || !(usd >= 0 && usd * 1e6 <= MAX_PER_MILLION)) return undefined
  return Math.round(usd * 1e15) / 1e9
}

function readPricing(row: JsonObject): Pricing | undefined {
  const prices = asObject(row.pricing)
  const inputPerMillion = perMillion(prices.prompt)
  const outputPerMillion = perMillion(prices.completion)
  if (inputPerMillion === undefined || outputPerMillion === undefined) return undefined
  const cacheReadPerMillion = perMillion(prices.input_cache_read)
  const cacheWritePerMillion = perMillion(prices.input_cache_write)
  return {
    inputPerMillion,
    outputPerMillion,
    ...(cacheReadPerMillion !== undefined && { cacheReadPerMillion }),
    ...(cacheWritePerMillion !== undefined && { cacheWritePerMillion }),
  }
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** Kinds of models that do not chat, as LM Studio and Together name them. */
const KINDS: ReadonlyMap<unknown, Capability> = new Map([
  ['embedding', 'embeddings'],
  ['embeddings', 'embeddings'],
  ['moderation', 'moderation'],
  ['rerank', 'rerank'],
  ['image', 'images'],
  ['transcribe', 'transcription'],
  ['audio', 'speech'],
])

/** The capabilities that an entry states, or undefined when it has no such fields. */
function readCapabilities(row: JsonObject): Capability[] | undefined {
  const kind = KINDS.get(row.type)
  if (kind) return [kind]
  const parameters = strings(row.supported_parameters)
  const modalities = strings(asObject(row.architecture).input_modalities)
  const flags = asObject(row.capabilities)
  const named = strings(row.capabilities)
  if (parameters.length + modalities.length + Object.keys(flags).length + named.length === 0) {
    return row.type === 'vlm' ? ['vision', 'streaming'] : undefined
  }
  const has: Partial<Record<Capability, boolean>> = {
    vision:
      modalities.includes('image') || flags.vision === true || named.includes('vision') || row.type === 'vlm',
    tools:
      parameters.includes('tools') ||
      flags.function_calling === true ||
      named.includes('tools') ||
      named.includes('tool_use'),
    json: parameters.includes('response_format') || parameters.includes('structured_outputs'),
    reasoning:
      parameters.includes('reasoning') ||
      flags.reasoning === true ||
      named.includes('thinking') ||
      named.includes('reasoning'),
    streaming: true,
  }
  const stated: Capability[] = ['vision', 'tools', 'json', 'reasoning', 'streaming']
  return stated.filter((capability) => has[capability])
}

function readRow(value: unknown): UpstreamModel | null {
  const row = typeof value === 'string' ? { id: value } : asObject(value)
  const id = row.id ?? row.name ?? row.model
  const name = [row.display_name, row.name].find(
    (text) => typeof text === 'string' && text !== '' && text !== id,
  )
  const identity = identifyModel(id, name)
  if (!identity) return null
  const created = wholeNumber(row.created, 1)
  const topProvider = asObject(row.top_provider)
  const contextWindow = firstCount(
    row.context_length,
    row.context_window,
    row.max_model_len,
    row.max_context_length,
    topProvider.context_length,
    asObject(row.meta).n_ctx_train,
  )
  const maxOutputTokens = firstCount(
    topProvider.max_completion_tokens,
    row.max_completion_tokens,
    row.max_output_tokens,
  )
  const capabilities = readCapabilities(row)
  const pricing = readPricing(row)
  return {
    ...identity,
    ...(created !== null && { created }),
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(capabilities !== undefined && { capabilities }),
    ...(pricing !== undefined && { pricing }),
    ...readRetirement(row),
  }
}

/** OpenAI's day, if its list has one: https://developers.openai.com/api/docs/deprecations */
function readRetirement({ shutdown_date: day }: JsonObject): Pick<UpstreamModel, 'retiresOn'> {
  return typeof day === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(day) ? { retiresOn: day } : {}
}

/** The rows of `{ data: [...] }`, `{ models: [...] }` or a bare array; null for anything else. */
export function readModelList(body: unknown, limit: number): UpstreamModel[] | null {
  const { data, models } = asObject(body)
  return readModels(Array.isArray(body) ? body : (data ?? models), limit, readRow)
}

// Model details that local servers report in addition to OpenAI's model list: Ollama's `/api/show`, LM Studio's
// `/api/v0/models`, llama.cpp's `/props`.

/** The API that a server offers for them. */
export type LocalDetails = 'ollama' | 'lmstudio' | 'llamacpp'

export interface DetailsRequest {
  /** Relative to the server's root, which is the base URL without `/v1`. */
  path: string
  /** Sent with POST; null sends a GET. */
  body: JsonObject | null
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
  const info = asObject(answer.model_info)
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
  const settings = asObject(answer.default_generation_settings)
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
