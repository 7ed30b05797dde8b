// Amazon Bedrock's Converse: one format for the models of all makers. Source: AWS's API references "Converse" and "ConverseStream".
import { toMessage, toPlainAnswer } from '../chat/answers.ts'
import type { AnswerTarget, CompletionIdentity, FormatCodec } from '../chat/codec-types.ts'
import type { PlainAnswer } from '../chat/events.ts'
import { emptyAnswer, malformedAnswer, UpstreamFailure, withUsage } from '../chat/failure.ts'
import { asObject, isObject, listObjects, stringOr } from '../json/json.ts'
import { readContent, toFinishReason } from './answer.ts'
import { listBedrockModels, readBedrockError } from './models.ts'
import { encodeConverse } from './request.ts'
import { ConverseStream } from './stream.ts'
import { readConverseUsage } from './usage.ts'

function plainAnswer(
  body: unknown,
  { signatures, upstreamModel: model }: AnswerTarget,
  defaults: CompletionIdentity,
): PlainAnswer | UpstreamFailure {
  if (!isObject(body)) return malformedAnswer('The answer is not a JSON object.')
  const usage = readConverseUsage(body, { model, isStream: false })
  const { message } = asObject(body.output)
  if (!isObject(message)) return emptyAnswer('The answer has no message.', usage)
  const finish = toFinishReason(stringOr(body.stopReason, 'end_turn'))
  if (finish instanceof UpstreamFailure) return withUsage(finish, usage)
  const { images, ...read } = readContent(listObjects(message.content), { model, signatures })
  const given = { ...toMessage(read), ...(images.length > 0 && { images }) }
  return toPlainAnswer({}, { message: given, finish }, usage, defaults)
}

export const bedrockConverse: FormatCodec = {
  quirks: { noN: true },
  headers: {},
  authorization: 'bearer',
  chatRequest: encodeConverse,
  plainAnswer,
  streamParser: (target, defaults) => new ConverseStream(defaults, target),
  errorBody: readBedrockError,
  modelsPath: '/foundation-models?byOutputModality=TEXT',
  ...listBedrockModels(),
}
