// Requests of clients that use Anthropic's format themselves.
import { readMember, setMember } from '../edit-json.ts'
import type { EncodedRequest } from '../encoded-request.ts'
import { isObject, parseJson } from '../json.ts'
import type { NativeCodec, NativeRequest } from '../native.ts'
import { decodeSignedReasoning, hasSignedReasoning } from '../signed-reasoning.ts'
import type { Target } from '../target.ts'

/** An empty signature, as other vendors' reasoning without one has it. */
const UNSIGNED = /"signature"\s*:\s*""/

/** A block that Anthropic accepts: its own thinking unwrapped, and none of another vendor's. */
function restoreBlock(block: unknown): unknown[] {
  if (!isObject(block)) return [block]
  const signature = block.type === 'thinking' ? block.signature : block.data
  if (block.type !== 'thinking' && block.type !== 'redacted_thinking') return [block]
  if (signature === '') return []
  const signed = typeof signature === 'string' ? decodeSignedReasoning(signature) : null
  if (signed) return signed.format === 'anthropic-messages' ? [signed.data] : []
  return [block]
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
function restoreThinking(body: string): string {
  if (!hasSignedReasoning(body) && !UNSIGNED.test(body)) return body
  const messages = parseJson(readMember(body, 'messages') ?? '')
  return Array.isArray(messages) ? setMember(body, ['messages'], messages.flatMap(restoreMessage)) : body
}

function encode(path: string, { stream, query, headers }: NativeRequest, body: string): EncodedRequest {
  return {
    path: path + query,
    headers: {
      'content-type': 'application/json',
      accept: stream ? 'text/event-stream' : 'application/json',
      ...headers,
    },
    body,
  }
}

function nameModel({ body }: NativeRequest, { upstreamModel }: Target): string {
  return setMember(restoreThinking(body), ['model'], upstreamModel)
}

function request(native: NativeRequest, target: Target): EncodedRequest {
  const body = nameModel(native, target)
  const isLimited = (readMember(body, 'max_tokens') ?? 'null') !== 'null'
  const limit = isLimited ? null : (target.enforcedOutputTokens ?? null)
  return encode('/messages', native, limit === null ? body : setMember(body, ['max_tokens'], limit))
}

/** Of an answer or a `message_delta` event. The usage at the start of a stream is not final, so it has no cost. */
function addCost(json: string, costUsd: number): string {
  const usage = readMember(json, 'usage') ?? ''
  return usage.startsWith('{') ? setMember(json, ['usage', 'cost'], costUsd) : json
}

export const anthropicNative: NativeCodec = {
  clientHeaders: ['anthropic-version', 'anthropic-beta'],
  clientParameters: ['beta'],
  request,
  countTokens: (native, target) => encode('/messages/count_tokens', native, nameModel(native, target)),
  addCost,
}
