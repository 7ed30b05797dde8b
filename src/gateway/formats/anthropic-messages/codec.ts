// Source: Anthropic's API reference, version 2023-06-01 (the later 2026-10-21 rejects every sampling field).
import type { Capability } from '../../../shared/api/models.ts'
import { toMessage, toPlainAnswer } from '../chat/answers.ts'
import {
  type AnswerTarget,
  type CompletionIdentity,
  type EncodedRequest,
  encodeCall,
  type FormatCodec,
  limitOutput,
  type NativeCodec,
  type NativeRequest,
  type Target,
  type UpstreamModel,
} from '../chat/codec-types.ts'
import type { PlainAnswer } from '../chat/events.ts'
import { emptyAnswer, malformedAnswer, refuseRequest, type UpstreamFailure } from '../chat/failure.ts'
import { encodePageQuery, identifyModel, readModels } from '../chat/models.ts'
import { decodeSignedReasoning, isSignedReasoning } from '../chat/reasoning.ts'
import { editMembers, readMember, setMember } from '../json/edit-json.ts'
import {
  asList,
  asObject,
  isObject,
  type JsonObject,
  listObjects,
  parseJson,
  stringOr,
  wholeNumber,
} from '../json/json.ts'
import {
  readAnthropicError,
  readContent,
  readFailure,
  readRefusal,
  readThinkingBlock,
  toFinishReason,
} from './answer.ts'
import { encodeBody } from './request.ts'
import { AnthropicStream } from './stream.ts'
import { readAnthropicUsage } from './usage.ts'

function plainAnswer(
  body: unknown,
  { signatures }: AnswerTarget,
  defaults: CompletionIdentity,
): PlainAnswer | UpstreamFailure {
  if (!isObject(body)) return malformedAnswer('The answer is not a JSON object.')
  if (body.type === 'error' || isObject(body.error)) return readFailure(body)
  const usage = readAnthropicUsage(body.usage)
  if (!Array.isArray(body.content)) return emptyAnswer('The answer has no content.', usage)
  const message = { ...toMessage(readContent(body.content, signatures)), ...readRefusal(body) }
  const finish = toFinishReason(stringOr(body.stop_reason, 'end_turn'))
  return toPlainAnswer({ id: body.id, model: body.model }, { message, finish }, usage, defaults)
}

// Requests of clients that use Anthropic's format themselves.

/** The signature of a block of thinking. That of other vendors' reasoning without one is empty. */
function readSignature(block: unknown): string | null {
  if (!isObject(block)) return null
  const { type, signature, data } = block
  if (type !== 'thinking' && type !== 'redacted_thinking') return null
  const text = type === 'thinking' ? signature : data
  return typeof text === 'string' ? text : null
}

function isForeign(block: unknown): boolean {
  const signature = readSignature(block)
  return signature !== null && (signature === '' || isSignedReasoning(signature))
}

/** A block that Anthropic accepts: its own thinking unwrapped, and none of another vendor's. */
function restoreBlock(block: unknown): unknown[] {
  const signature = readSignature(block)
  if (signature === '') return []
  const signed = signature === null ? null : decodeSignedReasoning(signature)
  if (!signed) return [block]
  // Anybody can write such a text, so nothing but thinking is taken from it.
  const thinking = signed.format === 'anthropic-messages' ? readThinkingBlock(signed.data) : null
  return thinking ? [thinking] : []
}

function hasForeignThinking({ messages }: JsonObject): boolean {
  return listObjects(messages).some(({ content }) => asList(content).some(isForeign))
}

function restoreMessage(message: unknown): unknown[] {
  if (!isObject(message) || message.role !== 'assistant' || !Array.isArray(message.content)) return [message]
  const content = message.content.flatMap(restoreBlock)
  return content.length === 0 && message.content.length > 0 ? [] : [{ ...message, content }]
}

/**
 * Removes the reasoning of other vendors' models from a conversation that began with them: Anthropic rejects a request
 * with signatures that are not its own. Other conversations stay as they are.
 */
function restoreThinking({ body, json }: NativeRequest): string {
  if (!hasForeignThinking(json)) return body
  const messages = parseJson(readMember(body, 'messages') ?? '')
  return Array.isArray(messages) ? setMember(body, ['messages'], messages.flatMap(restoreMessage)) : body
}

function encode(path: string, { stream, query, headers }: NativeRequest, body: string): EncodedRequest {
  return encodeCall(path + query, body, stream, headers)
}

function encodeCount(native: NativeRequest, { upstreamModel }: Target): EncodedRequest {
  return encode(
    '/messages/count_tokens',
    native,
    setMember(restoreThinking(native), ['model'], upstreamModel),
  )
}

function encodeNative(native: NativeRequest, target: Target): EncodedRequest {
  const { max_tokens: requested, thinking } = native.json
  const limit = limitOutput(typeof requested === 'number' ? requested : null, target)
  const isChanged = limit !== null && limit !== requested
  // Anthropic rejects a budget for thinking that is not below the output limit.
  if (
    isChanged &&
    isObject(thinking) &&
    typeof thinking.budget_tokens === 'number' &&
    thinking.budget_tokens >= limit
  )
    throw refuseRequest(
      'The budget for thinking does not fit within the output limit.',
      'thinking.budget_tokens',
    )
  const edits = { model: target.upstreamModel, ...(isChanged && { max_tokens: limit }) }
  return encode('/messages', native, editMembers(restoreThinking(native), edits))
}

/** Edits an answer or a `message_delta` event. The usage at the start of a stream is not final, so it has no cost. */
function addCost(json: string, costUsd: number): string {
  const usage = readMember(json, 'usage') ?? ''
  return usage.startsWith('{') ? setMember(json, ['usage', 'cost'], costUsd) : json
}

export const anthropicNative: NativeCodec = {
  clientHeaders: /^anthropic-/,
  answerHeaders: /^anthropic-/,
  clientParameters: ['beta'],
  namesEvents: true,
  request: encodeNative,
  countTokens: encodeCount,
  addCost,
}

// Source: Anthropic's API reference, "List models".

function supports(capabilities: JsonObject, name: string): boolean {
  const support = capabilities[name]
  return isObject(support) && support.supported === true
}

/** Undefined when the entry states none. Every model supports tools, and JSON can be requested of every model. */
function readCapabilities(stated: unknown): Capability[] | undefined {
  if (!isObject(stated)) return undefined
  return [
    ...(supports(stated, 'image_input') ? (['vision'] as const) : []),
    'tools',
    'json',
    ...(supports(stated, 'thinking') ? (['reasoning'] as const) : []),
    'streaming',
  ]
}

function readRow(row: unknown): UpstreamModel | null {
  if (!isObject(row)) return null
  const identity = identifyModel(row.id, row.display_name)
  if (!identity) return null
  const created = Math.floor(Date.parse(stringOr(row.created_at, '')) / 1000)
  const contextWindow = wholeNumber(row.max_input_tokens, 1)
  const maxOutputTokens = wholeNumber(row.max_tokens, 1)
  const capabilities = readCapabilities(row.capabilities)
  return {
    ...identity,
    ...(created > 0 && { created }),
    ...(contextWindow !== null && { contextWindow }),
    ...(maxOutputTokens !== null && { maxOutputTokens }),
    ...(capabilities && { capabilities }),
  }
}

export const anthropicMessages: FormatCodec = {
  quirks: { noN: true },
  headers: { 'anthropic-version': '2023-06-01' },
  authorization: 'x-api-key',
  chatRequest: (request, target) =>
    encodeCall('/messages', JSON.stringify(encodeBody(request, target)), request.stream === true),
  native: anthropicNative,
  plainAnswer,
  streamParser: ({ signatures }, defaults) => new AnthropicStream(defaults, signatures),
  errorBody: readAnthropicError,
  modelsPath: '/models?limit=1000',
  nextPage: (body) => {
    const { has_more: hasMore, last_id: last } = asObject(body)
    return hasMore === true ? encodePageQuery('after_id', last) : null
  },
  models: (body, limit) => readModels(asObject(body).data, limit, readRow),
}
