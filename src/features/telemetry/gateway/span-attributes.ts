// The attributes of a request in its spans. They include no text of a prompt, an answer or an error: errors of providers
// quote prompts.
import type { Attributes } from '@opentelemetry/api'
import * as semconv from '@opentelemetry/semantic-conventions/incubating'
import type { Target } from '../../../gateway/formats/chat/codec-types.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import type { ChatRequest } from '../../../shared/formats/chat.ts'

type NullableAttributes = Readonly<Record<string, Attributes[string] | null>>

/** Without what is not known. */
function listKnown(attributes: NullableAttributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined),
  )
}

/** The attributes of a request before it is served. */
export function requestAttributes(request: ChatRequest): Attributes {
  const { n, max_completion_tokens: maxTokens = request.max_tokens } = request
  return listKnown({
    [semconv.ATTR_GEN_AI_REQUEST_STREAM]: request.stream === true ? true : null,
    [semconv.ATTR_GEN_AI_REQUEST_MAX_TOKENS]: maxTokens ?? null,
    [semconv.ATTR_GEN_AI_REQUEST_TEMPERATURE]: request.temperature ?? null,
    [semconv.ATTR_GEN_AI_REQUEST_TOP_P]: toNumber(request.top_p),
    [semconv.ATTR_GEN_AI_REQUEST_FREQUENCY_PENALTY]: toNumber(request.frequency_penalty),
    [semconv.ATTR_GEN_AI_REQUEST_PRESENCE_PENALTY]: toNumber(request.presence_penalty),
    [semconv.ATTR_GEN_AI_REQUEST_SEED]: request.seed ?? null,
    [semconv.ATTR_GEN_AI_REQUEST_CHOICE_COUNT]: n === 1 ? null : (n ?? null),
  })
}

/**
 * What the server's span says of the settled request. Its tokens are in the span of the attempt only: back ends add up
 * `gen_ai.usage.*` over all spans of a trace.
 */
export function recordAttributes(record: RequestRecord): Attributes {
  return listKnown({
    [semconv.ATTR_GEN_AI_REQUEST_MODEL]: record.requestedModel,
    [semconv.ATTR_GEN_AI_RESPONSE_MODEL]: record.model,
    [semconv.ATTR_GEN_AI_CONVERSATION_ID]: record.sessionId,
    'tollgate.status': record.status,
    'tollgate.cost.usd': record.costUsd,
    'tollgate.cost.status': record.costStatus,
    'tollgate.cost.worth_usd': record.worthUsd,
    'tollgate.key.id': record.keyId,
    'tollgate.key.name': record.keyName,
    'tollgate.tag': record.tag,
    'tollgate.client': record.clientName,
    'tollgate.provider.id': record.provider,
    'tollgate.attempts': record.attempts.length,
    'tollgate.queue_ms': record.timings.queueMs,
  })
}

/** The attributes of the settled request in the span of the attempt that answered. */
export function servingAttributes(record: RequestRecord): Attributes {
  const { model, tokensIn, tokensOut, usage, sessionId } = record
  return listKnown({
    [semconv.ATTR_GEN_AI_RESPONSE_MODEL]: model,
    [semconv.ATTR_GEN_AI_CONVERSATION_ID]: sessionId,
    [semconv.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: tokensIn,
    [semconv.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: tokensOut,
    [semconv.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: usage?.cacheRead || null,
    [semconv.ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS]: usage
      ? usage.cacheWrite5m + usage.cacheWrite1h || null
      : null,
    [semconv.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS]: usage?.reasoning || null,
  })
}

/** The attributes of an attempt. The sandbox has no address. */
export function attemptAttributes(
  operation: string,
  { providerId, upstreamModel, baseUrl }: Target,
): Attributes {
  const url = URL.parse(baseUrl)
  const port = Number(url?.port) || (url?.protocol === 'https:' ? 443 : 80)
  return listKnown({
    [semconv.ATTR_GEN_AI_OPERATION_NAME]: operation,
    [semconv.ATTR_GEN_AI_PROVIDER_NAME]: providerName(providerId),
    [semconv.ATTR_GEN_AI_REQUEST_MODEL]: upstreamModel,
    'tollgate.provider.id': providerId,
    [semconv.ATTR_SERVER_ADDRESS]: url?.hostname || null,
    [semconv.ATTR_SERVER_PORT]: url?.hostname ? port : null,
  })
}

function toNumber(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

// Names of the semantic conventions for generative AI, in their last published version:
// https://github.com/open-telemetry/semantic-conventions/tree/v1.41.0/docs/gen-ai

/** `gen_ai.provider.name` of providers whose id differs from it. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  'bedrock-openai': 'aws.bedrock',
  gemini: 'gcp.gemini',
  mistral: 'mistral_ai',
  vertex: 'gcp.vertex_ai',
  'vertex-claude': 'gcp.vertex_ai',
  xai: 'x_ai',
}

export function providerName(providerId: string): string {
  return PROVIDER_NAMES[providerId] ?? providerId
}

/** The operations by the end of the path. Some have our own names, because the conventions name none and allow others. */
const OPERATIONS: readonly (readonly [RegExp, string])[] = [
  [/\/(chat\/completions|messages|responses)$/, semconv.GEN_AI_OPERATION_NAME_VALUE_CHAT],
  [/\/completions$/, semconv.GEN_AI_OPERATION_NAME_VALUE_TEXT_COMPLETION],
  [/:(generateContent|streamGenerateContent)$/, semconv.GEN_AI_OPERATION_NAME_VALUE_GENERATE_CONTENT],
  [/(\/count_tokens|:countTokens)$/, 'count_tokens'],
  [/\/embeddings$/, semconv.GEN_AI_OPERATION_NAME_VALUE_EMBEDDINGS],
  [/\/moderations$/, 'moderation'],
  [/\/rerank$/, 'rerank'],
  [/\/images\/(generations|edits)$/, 'image_generation'],
  [/\/audio\/speech$/, 'speech'],
  [/\/audio\/(transcriptions|translations)$/, 'transcription'],
]

/** `gen_ai.operation.name` of a method and path, or a path. */
export function operationName(endpoint: string): string {
  return OPERATIONS.find(([path]) => path.test(endpoint))?.[1] ?? semconv.GEN_AI_OPERATION_NAME_VALUE_CHAT
}
