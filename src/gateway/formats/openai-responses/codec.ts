// OpenAI's Responses API. Source: OpenAI's API reference. The gateway sends the whole conversation each time and asks the
// provider to store nothing.
import { toMessage, toPlainAnswer } from '../chat/answers.ts'
import {
  type AnswerTarget,
  type CompletionIdentity,
  encodeCall,
  type FormatCodec,
  limitOutput,
  type NativeCodec,
  type NativeRequest,
  openaiHeaders,
} from '../chat/codec-types.ts'
import type { PlainAnswer } from '../chat/events.ts'
import { emptyAnswer, malformedAnswer, UpstreamFailure, withUsage } from '../chat/failure.ts'
import { decodeSignedReasoning, isSignedReasoning } from '../chat/reasoning.ts'
import { editMembers, readMember, setMember } from '../json/edit-json.ts'
import { asList, asObject, isObject, parseJson } from '../json/json.ts'
import { readErrorText } from '../openai-chat/errors.ts'
import { readModelList } from '../openai-chat/models.ts'
import { readEnd } from './errors.ts'
import { readLogprobs, readOutput, readReasoningItem } from './output-items.ts'
import { chatRequest } from './request.ts'
import { ResponsesStream } from './stream.ts'
import { readResponsesUsage } from './usage.ts'

function plainAnswer(
  body: unknown,
  { signatures, quirks }: AnswerTarget,
  defaults: CompletionIdentity,
): PlainAnswer | UpstreamFailure {
  if (!isObject(body)) return malformedAnswer('The answer is not a JSON object.')
  const usage = readResponsesUsage(body, quirks)
  const items = asList(body.output)
  const output = readOutput(items, signatures)
  const end = readEnd(body, output.calls.length > 0)
  if (end instanceof UpstreamFailure) return withUsage(end, usage)
  if (!Array.isArray(body.output)) return emptyAnswer('The answer has no output.', usage)
  const { annotations } = output
  const message = { ...toMessage(output), ...(annotations.length > 0 && { annotations }) }
  const choice = { message, finish: end, logprobs: readLogprobs(output.logprobs) }
  const { id, created_at: created, model, service_tier: tier } = body
  const members = { id, created, model, ...(typeof tier === 'string' && { service_tier: tier }) }
  return toPlainAnswer(members, choice, usage, defaults)
}

// Requests of clients of the Responses API, passed through.

function hasSignedReasoning(item: unknown): boolean {
  const { encrypted_content: encrypted } = asObject(item)
  return typeof encrypted === 'string' && isSignedReasoning(encrypted)
}

function isObjectText(json: string | null): json is string {
  return json?.startsWith('{') ?? false
}

/** OpenAI rejects encrypted content that it did not write: its own is restored, that of other providers is left out. */
function withOwnReasoning({ body, json }: NativeRequest): string {
  if (!Array.isArray(json.input) || !json.input.some(hasSignedReasoning)) return body
  const input = parseJson(readMember(body, 'input') ?? '')
  if (!Array.isArray(input)) return body
  const kept = input.flatMap((item: unknown) => {
    const { encrypted_content: encrypted } = asObject(item)
    const signed = typeof encrypted === 'string' ? decodeSignedReasoning(encrypted) : null
    if (!signed) return [item]
    // Anybody can write such a text, so nothing but reasoning is taken from it.
    const reasoningItem = signed.format === 'openai-responses' ? readReasoningItem(signed.data) : null
    return reasoningItem ? [reasoningItem] : []
  })
  return setMember(body, ['input'], kept)
}

export const native: NativeCodec = {
  ...openaiHeaders,
  namesEvents: true,
  request(nativeRequest, target) {
    const { json, stream, query, headers } = nativeRequest
    const { max_output_tokens: requested } = json
    const limit = limitOutput(typeof requested === 'number' ? requested : null, target)
    const isChanged = limit !== null && limit !== requested
    const edits = { model: target.upstreamModel, ...(isChanged && { max_output_tokens: limit }) }
    return encodeCall(
      `/responses${query}`,
      editMembers(withOwnReasoning(nativeRequest), edits),
      stream,
      headers,
    )
  },
  addCost(json, costUsd) {
    if (isObjectText(readMember(json, 'usage'))) return setMember(json, ['usage', 'cost'], costUsd)
    const response = readMember(json, 'response')
    return isObjectText(response) && isObjectText(readMember(response, 'usage'))
      ? setMember(json, ['response', 'usage', 'cost'], costUsd)
      : json
  },
}

export const openaiResponses: FormatCodec = {
  quirks: { noN: true },
  headers: {},
  authorization: 'bearer',
  chatRequest,
  native,
  plainAnswer,
  streamParser: (target, defaults) => new ResponsesStream(target, defaults),
  errorBody: readErrorText,
  modelsPath: '/models',
  nextPage: () => null,
  models: readModelList,
}
