// Requests of clients that use Anthropic's format themselves.

import { type EncodedRequest, encodeCall, type NativeCodec, type NativeRequest } from '../chat/codec-types.ts'
import { refuseRequest } from '../chat/failure.ts'
import { decodeSignedReasoning, isSignedReasoning } from '../chat/reasoning.ts'
import { limitOutput, type Target } from '../chat/target.ts'
import { editMembers, readMember, setMember } from '../json/edit-json.ts'
import { isObject, type JsonObject, parseJson } from '../json/json.ts'
import { readThinkingBlock } from './answer.ts'

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
  const own = signed.format === 'anthropic-messages' ? readThinkingBlock(signed.data) : null
  return own ? [own] : []
}

function hasForeignThinking({ messages }: JsonObject): boolean {
  if (!Array.isArray(messages)) return false
  return messages.some(
    (message) => isObject(message) && Array.isArray(message.content) && message.content.some(isForeign),
  )
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

function nameModel(native: NativeRequest, { upstreamModel }: Target): string {
  return setMember(restoreThinking(native), ['model'], upstreamModel)
}

function request(native: NativeRequest, target: Target): EncodedRequest {
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
  clientHeaders: ['anthropic-version', 'anthropic-beta'],
  clientParameters: ['beta'],
  namesEvents: true,
  request,
  countTokens: (native, target) => encode('/messages/count_tokens', native, nameModel(native, target)),
  addCost,
}
