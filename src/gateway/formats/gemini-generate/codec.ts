// Owns Gemini's generateContent codec: requests translated out of the chat-completions format, answers back into it.
// Source: Google's Gemini API reference, v1beta. The signature of a thought before a function call must come back with
// the call: it goes out as `tool_calls[].extra_content.google.thought_signature`, and is kept here as well, by the id
// of the call, for clients that drop what they do not know.
import type { ChatRequest } from '../../../shared/chat.ts'
import type { AnswerDefaults, EncodedRequest, FormatCodec } from '../codec.ts'
import type { PlainAnswer } from '../events.ts'
import { isObject, type JsonObject, stringOr } from '../json.ts'
import { normaliseCompletion } from '../openai-chat/normalise-completion.ts'
import { Recall } from '../reasoning-signatures.ts'
import type { Target } from '../target.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { errorIn, finishFor, geminiFailure, readGeminiError } from './errors.ts'
import { nextGeminiPage, readGeminiModels } from './models.ts'
import { blockReasonIn, candidateIn, mediaOf, PartReader, refusalFor } from './parts.ts'
import { geminiBody, geminiPath } from './request.ts'
import { GeminiStream } from './stream.ts'
import { readGeminiUsage } from './usage.ts'

const signatures = new Recall()

function malformed(message: string): UpstreamFailure {
  return new UpstreamFailure({ kind: 'malformed', message })
}

function chatRequest(request: ChatRequest, target: Target): EncodedRequest {
  const stream = request.stream === true
  return {
    path: geminiPath(target.upstreamModel, stream),
    headers: {
      'content-type': 'application/json',
      accept: stream ? 'text/event-stream' : 'application/json',
    },
    body: JSON.stringify(geminiBody(request, target, signatures)),
  }
}

interface Choice {
  message: JsonObject
  finish: string
}

function choiceOf(body: JsonObject, answerId: string): Choice | UpstreamFailure {
  const candidate = candidateIn(body)
  if (!candidate) {
    const reason = blockReasonIn(body)
    if (reason === null) return malformed('The answer has no candidates.')
    return { message: { content: null, refusal: refusalFor(body, reason) }, finish: 'content_filter' }
  }
  const read = new PartReader(signatures, answerId).read(candidate)
  const { text, reasoning, calls } = read
  const finish = finishFor(
    stringOr(candidate.finishReason, 'STOP'),
    candidate.finishMessage,
    calls.length > 0,
  )
  if (finish instanceof UpstreamFailure) return finish
  const message = {
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...mediaOf(read),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return { message, finish }
}

function plainAnswer(body: unknown, _: Target, defaults: AnswerDefaults): PlainAnswer | UpstreamFailure {
  const error = errorIn(body)
  if (error) return geminiFailure(error)
  if (!isObject(body)) return malformed('The answer is not a JSON object.')
  const choice = choiceOf(body, defaults.id)
  if (choice instanceof UpstreamFailure) return choice
  const { message, finish } = choice
  const completion = normaliseCompletion(
    {
      id: body.responseId,
      model: body.modelVersion,
      choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    },
    defaults,
  )
  if (!completion) return malformed('The answer has no message.')
  return { kind: 'plain', completion, usage: readGeminiUsage(body.usageMetadata) }
}

export const geminiGenerate: FormatCodec = {
  // Most models refuse `candidateCount` above 1.
  quirks: { noN: true },
  headers: {},
  authorization: (credential) => ({ 'x-goog-api-key': credential }),
  chatRequest,
  plainAnswer,
  streamParser: (_, defaults) => new GeminiStream(defaults, signatures),
  errorBody: readGeminiError,
  modelsPath: '/models?pageSize=1000',
  nextPage: nextGeminiPage,
  models: readGeminiModels,
}
