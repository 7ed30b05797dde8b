// OpenAI's own format, which most vendors and every local server use. Source: OpenAI's API reference. Vendors'
// deviations are data (`Quirks`); no vendor is named in this code.
import type { CompletionIdentity, FormatCodec } from '../chat/codec-types.ts'
import type { PlainAnswer } from '../chat/events.ts'
import { emptyAnswer, malformedAnswer, type UpstreamFailure } from '../chat/failure.ts'
import { normalizeCompletion } from '../chat/normalize.ts'
import type { Target } from '../chat/target.ts'
import { isObject } from '../json/json.ts'
import { normalizeTexts } from './chunk.ts'
import { readErrorText, readFailure } from './errors.ts'
import { readModelList } from './models.ts'
import { chatRequest, nativeRequest, textCompletionRequest } from './request.ts'
import { OpenAiChatStream } from './stream.ts'
import { readUsage } from './usage.ts'

/** The choices of text completions have a text instead of a message. */
function readText(choice: unknown): unknown {
  if (!isObject(choice) || isObject(choice.message) || typeof choice.text !== 'string') return choice
  const { text, ...rest } = choice
  return { ...rest, message: { role: 'assistant', content: text } }
}

function normalizeChoiceTexts(given: unknown): unknown {
  const choice = readText(given)
  return isObject(choice) && isObject(choice.message)
    ? { ...choice, message: normalizeTexts(choice.message) }
    : choice
}

function plainAnswer(
  body: unknown,
  target: Target,
  defaults: CompletionIdentity,
): PlainAnswer | UpstreamFailure {
  if (!isObject(body)) return malformedAnswer('The answer is not a JSON object.')
  if (body.error) return readFailure(body)
  const choices = Array.isArray(body.choices) ? body.choices.map(normalizeChoiceTexts) : body.choices
  const completion = normalizeCompletion({ ...body, choices }, defaults)
  const usage = readUsage(body.usage, target.quirks, body.service_tier)
  return completion ? { kind: 'plain', completion, usage } : emptyAnswer('The answer has no choices.', usage)
}

export const openaiChat: FormatCodec = {
  quirks: {},
  headers: {},
  authorization: 'bearer',
  chatRequest,
  native: {
    clientHeaders: [],
    request: (native, target) =>
      native.isTextCompletion ? textCompletionRequest(native, target) : nativeRequest(native, target),
  },
  plainAnswer,
  streamParser: (target) => new OpenAiChatStream(target),
  errorBody: readErrorText,
  modelsPath: '/models',
  nextPage: () => null,
  models: readModelList,
}
