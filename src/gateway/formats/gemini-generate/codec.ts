// Source: Google's Gemini API reference, v1beta. A function call must be sent back with the signature of the thought
// before it. The client receives it in `tool_calls[].extra_content.google.thought_signature`; it is also remembered
// here for clients that drop unknown fields.
import type { Capability } from '../../../shared/api/models.ts'
import { toMessage, toPlainAnswer } from '../chat/answers.ts'
import {
  type AnswerTarget,
  type CompletionIdentity,
  type FormatCodec,
  limitOutput,
  type NativeCodec,
  type NativeRequest,
  type Target,
  type UpstreamModel,
} from '../chat/codec-types.ts'
import type { PlainAnswer } from '../chat/events.ts'
import { emptyAnswer, malformedAnswer, UpstreamFailure, withUsage } from '../chat/failure.ts'
import { encodePageQuery, identifyModel, readModels } from '../chat/models.ts'
import type { ReasoningSignatures } from '../chat/reasoning.ts'
import { readMember, setMember } from '../json/edit-json.ts'
import { asObject, isObject, type JsonObject, stringOr, wholeNumber } from '../json/json.ts'
import {
  errorIn,
  PartReader,
  readBlockReason,
  readCandidate,
  readGeminiError,
  readRefusal,
  toFailure,
  toFinishReason,
} from './answer.ts'
import { encodeBody, generateCall, modelCall, resourceName } from './request.ts'
import { GeminiStream } from './stream.ts'
import { readGeminiUsage, readSearchQueries } from './usage.ts'

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
  const reason = stringOr(candidate.finishReason, 'STOP')
  const finish = toFinishReason(reason, candidate.finishMessage, read.calls.length > 0)
  if (finish instanceof UpstreamFailure) return finish
  const { images } = read
  return { message: { ...toMessage(read), ...(images.length > 0 && { images }) }, finish }
}

function plainAnswer(
  body: unknown,
  { signatures, upstreamModel }: AnswerTarget,
  defaults: CompletionIdentity,
): PlainAnswer | UpstreamFailure {
  const error = errorIn(body)
  if (error) return toFailure(error)
  if (!isObject(body)) return malformedAnswer('The answer is not a JSON object.')
  const searched = { queries: readSearchQueries(body), model: upstreamModel }
  const usage = readGeminiUsage(body.usageMetadata, searched)
  const choice = readChoice(body, defaults.id, signatures)
  if (choice instanceof UpstreamFailure) return withUsage(choice, usage)
  return toPlainAnswer({ id: body.responseId, model: body.modelVersion }, choice, usage, defaults)
}

// Source: Google's Gemini API reference, `models.list`.

/** The list also contains models for images and video, which are called in other ways. */
function isSupported(row: JsonObject): boolean {
  return supports(row, 'generateContent') || supports(row, 'embedContent')
}

function supports({ supportedGenerationMethods: methods }: JsonObject, method: string): boolean {
  return !Array.isArray(methods) || methods.includes(method)
}

/** The list only states whether a model reasons. Every Gemini chat model supports images, tools and JSON. */
function readCapabilities(id: string, isReasoning: boolean): Capability[] | undefined {
  if (!id.startsWith('gemini-') || id.includes('-tts')) return undefined
  return ['vision', 'tools', 'json', ...(isReasoning ? (['reasoning'] as const) : []), 'streaming']
}

function readRow(row: unknown): UpstreamModel | null {
  if (!isObject(row) || !isSupported(row)) return null
  const identity = identifyModel(stringOr(row.name, '').replace(/^models\//, ''), row.displayName)
  if (!identity) return null
  const contextWindow = wholeNumber(row.inputTokenLimit, 1)
  const maxOutputTokens = wholeNumber(row.outputTokenLimit, 1)
  const capabilities = supports(row, 'generateContent')
    ? readCapabilities(identity.id, row.thinking === true)
    : (['embeddings'] as const)
  return {
    ...identity,
    ...(contextWindow !== null && { contextWindow }),
    ...(maxOutputTokens !== null && { maxOutputTokens }),
    ...(capabilities && { capabilities: [...capabilities] }),
  }
}

/** Google accepts both spellings of a field. */
const CONFIG_NAMES = ['generationConfig', 'generation_config'] as const

function setOutputLimit({ body, json }: NativeRequest, target: Target): string {
  const { maxOutputTokens: requested } = asObject(json.generationConfig)
  const limit = limitOutput(typeof requested === 'number' ? requested : null, target)
  if (limit === null || limit === requested) return body
  const name = CONFIG_NAMES.find((member) => readMember(body, member) !== null) ?? 'generationConfig'
  return setMember(body, [name, 'maxOutputTokens'], limit)
}

/** The path names the model; a body that names it as well must name the same one. */
function setModel(body: string, { upstreamModel }: Target): string {
  return readMember(body, 'model') === null ? body : setMember(body, ['model'], resourceName(upstreamModel))
}

/** A whole request to count must name the model of the path. */
function nameInnerModel(body: string, { upstreamModel }: Target): string {
  const name = ['generateContentRequest', 'generate_content_request'].find((member) =>
    readMember(body, member)?.startsWith('{'),
  )
  return name === undefined ? body : setMember(body, [name, 'model'], resourceName(upstreamModel))
}

const geminiNative: NativeCodec = {
  request: (native, target) =>
    generateCall(target.upstreamModel, native.stream, setModel(setOutputLimit(native, target), target)),
  countTokens: ({ body }, target) =>
    modelCall(target.upstreamModel, 'countTokens', nameInnerModel(body, target)),
  addCost: (json, costUsd) =>
    readMember(json, 'usageMetadata')?.startsWith('{')
      ? setMember(json, ['usageMetadata', 'cost'], costUsd)
      : json,
}

export const geminiGenerate: FormatCodec = {
  // Most models reject `candidateCount` above 1.
  quirks: { noN: true },
  headers: {},
  authorization: 'x-goog-api-key',
  chatRequest: (request, target) =>
    generateCall(target.upstreamModel, request.stream === true, JSON.stringify(encodeBody(request, target))),
  native: geminiNative,
  plainAnswer,
  streamParser: (target, defaults) => new GeminiStream(defaults, target),
  errorBody: readGeminiError,
  modelsPath: '/models?pageSize=1000',
  nextPage: (body) => encodePageQuery('pageToken', asObject(body).nextPageToken),
  models: (body, limit) => readModels(asObject(body).models, limit, readRow),
}
