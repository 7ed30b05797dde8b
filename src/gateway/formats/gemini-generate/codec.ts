// Source: Google's Gemini API reference, v1beta. A function call must be sent back with the signature of the thought
// before it. The client receives it in `tool_calls[].extra_content.google.thought_signature`; it is also remembered
// here for clients that drop unknown fields.
import type { ChatRequest } from '../../../shared/chat.ts'
import type { CompletionIdentity, EncodedRequest, FormatCodec } from '../chat/codec.ts'
import type { PlainAnswer } from '../chat/events.ts'
import { emptyAnswer, malformedAnswer, UpstreamFailure, withUsage } from '../chat/failure.ts'
import { normalizeCompletion } from '../chat/normalize.ts'
import type { ReasoningSignatures } from '../chat/reasoning.ts'
import type { Target } from '../chat/target.ts'
import { isObject, type JsonObject, stringOr } from '../json/json.ts'
import { errorIn, readGeminiError, toFailure, toFinishReason } from './errors.ts'
import { nextGeminiPage, readGeminiModels } from './models.ts'
import { geminiNative } from './native.ts'
import { PartReader, readBlockReason, readCandidate, readRefusal, toOtherFields } from './parts.ts'
import { encodeBody, generateCall } from './request.ts'
import { GeminiStream } from './stream.ts'
import { readGeminiUsage, readSearchQueries } from './usage.ts'

function chatRequest(request: ChatRequest, target: Target): EncodedRequest {
  const body = JSON.stringify(encodeBody(request, target))
  return generateCall(target.upstreamModel, request.stream === true, body)
}

interface Choice {
  message: JsonObject
  finish: string
}

function readChoice(
  body: JsonObject,
  answerId: string,
  signatures: ReasoningSignatures,
): Choice | UpstreamFailure {
  const candidate = readCandidate(body)
  if (!candidate) {
    const reason = readBlockReason(body)
    if (reason === null) return emptyAnswer('The answer has no candidates.', null)
    return { message: { content: null, refusal: readRefusal(body, reason) }, finish: 'content_filter' }
  }
  const read = new PartReader(signatures, answerId).read(candidate)
  const { text, reasoning, calls } = read
  const finish = toFinishReason(
    stringOr(candidate.finishReason, 'STOP'),
    candidate.finishMessage,
    calls.length > 0,
  )
  if (finish instanceof UpstreamFailure) return finish
  const message = {
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...toOtherFields(read),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return { message, finish }
}

function plainAnswer(
  body: unknown,
  { signatures, upstreamModel }: Target,
  defaults: CompletionIdentity,
): PlainAnswer | UpstreamFailure {
  const error = errorIn(body)
  if (error) return toFailure(error)
  if (!isObject(body)) return malformedAnswer('The answer is not a JSON object.')
  const searched = { queries: readSearchQueries(body), model: upstreamModel }
  const usage = readGeminiUsage(body.usageMetadata, searched)
  const choice = readChoice(body, defaults.id, signatures)
  if (choice instanceof UpstreamFailure) return withUsage(choice, usage)
  const { message, finish } = choice
  const completion = normalizeCompletion(
    {
      id: body.responseId,
      model: body.modelVersion,
      choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    },
    defaults,
  )
  if (!completion) return malformedAnswer('The answer has no message.')
  return { kind: 'plain', completion, usage }
}

export const geminiGenerate: FormatCodec = {
  // Most models reject `candidateCount` above 1.
  quirks: { noN: true },
  headers: {},
  authorization: 'x-goog-api-key',
  chatRequest,
  native: geminiNative,
  plainAnswer,
  streamParser: (target, defaults) => new GeminiStream(defaults, target),
  errorBody: readGeminiError,
  modelsPath: '/models?pageSize=1000',
  nextPage: nextGeminiPage,
  models: readGeminiModels,
}
