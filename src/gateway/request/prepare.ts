import { API_FORMATS, type ApiFormat } from '../../shared/api/providers.ts'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import {
  type DecodedRequest,
  type EncodedRequest,
  type NativeRequest,
  OUTPUT_LIMIT_SECOND,
  type Quirks,
  type Target,
} from '../formats/chat/codec-types.ts'
import type { SentContent } from '../formats/chat/content-counter.ts'
import { type AnswerMode, TRANSLATED } from '../formats/chat/events.ts'
import { refuseRequest, UpstreamFailure } from '../formats/chat/failure.ts'
import type { ReasoningSignatureCache } from '../formats/chat/reasoning.ts'
import {
  type AskedModel,
  countVendorTools,
  measurePrediction,
  type RequestedExtras,
  readAskedWindow,
  readExtras,
} from '../formats/chat/requested-extras.ts'
import { readSentContent } from '../formats/chat/sent-content.ts'
import { codecFor } from '../formats/codecs.ts'
import { setMember } from '../formats/json/edit-json.ts'
import { isGiven, isObject, type JsonObject, parseJson } from '../formats/json/json.ts'
import { adaptTranslated } from '../formats/openai-chat/request.ts'
import { MIN_OUTPUT_TOKENS } from '../formats/openai-responses/request.ts'
import { searchesByItself } from '../models/catalog/model-families.ts'
import type { Offer } from '../models/catalog/offers.ts'
import { createTarget } from '../models/catalog/targets.ts'
import type { ProviderRegistry } from '../models/providers/registry.ts'
import { estimatePromptTokens } from '../models/tokens/token-counter.ts'
import { notFound } from '../platform/errors.ts'
import type { LiveSession } from '../sessions/live-sessions.ts'
import { PLAN_ANSWER_HEADERS } from '../upstream/authorization/plan-sign-in.ts'
import type { AdapterFor } from '../upstream/http-adapter.ts'
import { type Bound, computeBound, outputBound, type SentSize } from './bound.ts'
import type { PlanMode, RequestMode } from './call.ts'
import { type Forecast, likelyReasoning, mayReason } from './forecast.ts'
import { passThroughCandidate } from './pass-through.ts'
import { choosePromptCache } from './prompt-cache.ts'
import { type Candidate, type CandidateDraft, Quote, type QuoteTerms } from './quote.ts'

/** The largest output limit for each offer, in tokens of one choice. */
export type OutputLimits = ReadonlyMap<Offer, number>

export interface CandidateInput extends DecodedRequest {
  mode: RequestMode
  keyId: string
  session: Pick<LiveSession, 'id' | 'pauses'>
  /** The size of the client's body. */
  bytes: number
  /** The content of the client's body, in its own format. */
  content: SentContent
  discountPercent: number
  /** Whether something caps the spend: then the output limit that is reserved is sent, where the client gives none. */
  capped: boolean
  /** Whether the whole bound must fit under a limit: then a stream is sent the output limit that is reserved, too. */
  isStrict: boolean
  /** The limits to which answers are shortened; null for none. */
  outputLimits: OutputLimits | null
}

interface CandidateDeps {
  providers: Pick<ProviderRegistry, 'isConfigured' | 'endpoint' | 'credentialOrder'>
  adapterFor: EncoderFor
  signatures: ReasoningSignatureCache
  forecast: Pick<Forecast, 'likelyOutput' | 'factor'>
}

type EncoderFor = (...format: Parameters<AdapterFor>) => Pick<ReturnType<AdapterFor>, 'encode'>

const NO_BOUND: Bound = { calls: 1, prompt: 0, external: false, output: 0 }

/** One candidate for each offer whose provider was not removed, in their order. */
export function createCandidates(
  offers: readonly Offer[],
  input: CandidateInput,
  deps: CandidateDeps,
): Candidate[] {
  const { request, mode, keyId } = input
  const wish = { request, clientFormat: readNative(input)?.format ?? null, keyId }
  const candidates: Candidate[] = []
  for (const offer of offers) {
    if (!deps.providers.isConfigured(offer.providerId)) continue
    const target = createTarget(offer, wish, deps)
    if (mode.kind === 'raw') {
      candidates.push(addQuote(passThroughCandidate(offer, target, mode.passThrough), input, deps))
      continue
    }
    target.enforcedOutputTokens = enforcedOutput(offer, input)
    target.cache = nativeFor(target, input) ? null : choosePromptCache(offer, target, input.session)
    candidates.push(addQuote(createCandidate(offer, target, input, deps.adapterFor), input, deps))
  }
  return candidates
}

function addQuote(draft: CandidateDraft, terms: QuoteTerms, { forecast }: CandidateDeps): Candidate {
  return { ...draft, quote: new Quote(draft, terms, forecast) }
}

/** The request for providers of the client's own format, if there is one. */
function readNative({ mode }: Pick<CandidateInput, 'mode'>): NativeRequest | null {
  return mode.kind === 'native' || mode.kind === 'plan' ? mode.native : null
}

/** The output limit to send because it is what is reserved; null for none. */
function enforcedOutput(
  offer: Offer,
  { request, capped, isStrict, outputLimits }: CandidateInput,
): number | null {
  const shortened = outputLimits?.get(offer)
  if (shortened !== undefined) return shortened
  if (!capped || (request.stream && !isStrict) || offer.price === null) return null
  const { tokens, assumed } = outputBound(request, offer)
  return assumed ? tokens : null
}

function createCandidate(
  offer: Offer,
  target: Target,
  input: CandidateInput,
  adapterFor: EncoderFor,
): CandidateDraft {
  const { request } = input
  const shortenedTo = input.outputLimits?.get(offer) ?? null
  const own = nativeFor(target, input)
  // Answers of the same format without `addCost` are written by the client's codec.
  const isNative = own !== null && codecFor(target).native?.addCost !== undefined
  const mode: AnswerMode = isNative ? { kind: 'native' } : TRANSLATED
  try {
    if (!own && input.unsupported) throw input.unsupported
    const calls = countCalls(target, request)
    const encoded = nameTier(encode(input, { offer, target, calls }, adapterFor), { own, target, input })
    const outputLimit = target.enforcedOutputTokens ?? null
    const { isStrict } = input
    const sent = { ...measureSent(encoded, input, target), calls, outputLimit, isStrict }
    const bound = computeBound(request, offer, sent)
    const reasons =
      offer.capabilities.includes('reasoning') &&
      !own?.isTextCompletion &&
      mayReason(own?.json ?? request, target.quirks)
    const likely = reasons && { likelyReasoning: likelyReasoning(own?.json ?? request) }
    const renames = target.apiFormat === 'openai-chat' && target.quirks.outputLimit === undefined
    const rename = renames && {
      renameOutputLimit() {
        const quirks: Quirks = { ...target.quirks, outputLimit: OUTPUT_LIMIT_SECOND }
        const renamed = encode(input, { offer, target: { ...target, quirks }, calls }, adapterFor)
        return nameTier(renamed, { own, target, input })
      },
    }
    return { offer, target, mode, calls, encoded, refusal: null, bound, shortenedTo, ...likely, ...rename }
  } catch (error) {
    // The attempt fails in the same way, after those at candidates that can be sent the request.
    if (error instanceof UpstreamFailure)
      return { offer, target, mode, calls: 1, encoded: null, refusal: error, bound: NO_BOUND, shortenedTo }
    throw error
  }
}

/** More choices than this are not worth a call each. */
const MAX_CALLS = 8

/**
 * How many calls a request takes at a target: one for each choice where the target has no `n`. Throws the failure that
 * says that they would be too many.
 */
function countCalls(target: Pick<Target, 'quirks'>, request: ChatRequest): number {
  const n = request.n ?? 1
  if (!target.quirks.noN || n === 1) return 1
  if (n > MAX_CALLS) {
    throw refuseRequest(
      `This provider gives one choice a call, and at most ${MAX_CALLS} calls are made: "n" must be ${MAX_CALLS} or less.`,
      'n',
    )
  }
  return n
}

/**
 * Measures the body for the target. It is only parsed if the client's request has images, whose bytes do not count, or what the
 * provider may add to: a translation may leave that out.
 */
function measureSent(
  encoded: EncodedRequest | null,
  input: CandidateInput,
  target: Target,
): Omit<SentSize, 'calls'> {
  const { quirks, apiFormat, headers } = target
  const { request, bytes, content: own } = input
  const native = readNative(input)
  const same = nativeFor(target, input)
  const asked = same?.json ?? request
  const model = { id: target.upstreamModel, searches: searchesUnasked(target) }
  const extras = readSentExtras(encoded, { asked, same: same !== null || encoded === null }, model)
  // The sandbox reads the client's own request.
  if (!encoded) return { bytes, content: own, extras, quirks }
  let content =
    same || native === null || native.format === 'openai-chat' ? own : readSentContent('openai-chat', request)
  const format = API_FORMATS.find((name) => name === apiFormat)
  if (content.images.count > 0 || (content.external && !same)) {
    const body = format ? parseJson(encoded.body) : null
    // Without the body, all its bytes are text.
    content =
      format && isObject(body)
        ? readSentContent(format, body)
        : { ...content, images: { count: content.images.count, bytes: 0 }, dataBytes: 0 }
  }
  if (searchesByItself(target.upstreamModel)) content = { ...content, external: true }
  return {
    bytes: Buffer.byteLength(encoded.body),
    content,
    asked,
    extras,
    quirks,
    predictedBytes: same ? measurePrediction(same.json) : 0,
    vendorTools: same ? countVendorTools(same.json) : 0,
    askedWindow: readAskedWindow([headers, encoded.headers, { 'anthropic-beta': same?.json.anthropic_beta }]),
    leastOutput: apiFormat === 'openai-responses' ? MIN_OUTPUT_TOKENS : 0,
  }
}

function searchesUnasked({ quirks, upstreamModel }: Target): AskedModel['searches'] {
  if (quirks.searchesOnce) return 'once'
  return searchesByItself(upstreamModel) ? 'often' : 'never'
}

/** Reads the extras of the body. It is only parsed if the request has some: a translation may leave them out. */
function readSentExtras(
  encoded: EncodedRequest | null,
  { asked, same }: { asked: JsonObject; same: boolean },
  model: AskedModel,
): RequestedExtras {
  const extras = readExtras(asked, model)
  if (same || !encoded || (extras.tools.length === 0 && extras.tier === null)) return extras
  const body = parseJson(encoded.body)
  return isObject(body) ? readExtras(body, model) : extras
}

/** The client's own request, if the target has the API that the client uses. */
function nativeFor(target: Target, input: Pick<CandidateInput, 'mode'>): NativeRequest | null {
  const native = readNative(input)
  if (native?.isTextCompletion && target.completionsPath === null) return null
  return target.apiFormat === native?.format ? native : null
}

/** One call's request: the client's own bytes where the target uses the same format and answers with all choices. */
function encode(
  input: CandidateInput,
  { offer, target, calls }: { offer: Offer; target: Target; calls: number },
  adapterFor: EncoderFor,
): EncodedRequest | null {
  const { request, bytes, content } = input
  if (input.mode.kind === 'plan') return encodeVerbatim(input.mode)
  const native = nativeFor(target, input)
  const codec = native ? codecFor(target).native : null
  if (native && codec && calls === 1)
    return { ...codec.request(native, target), answerHeaders: codec.answerHeaders }
  const adapted =
    native || target.apiFormat !== 'openai-chat'
      ? request
      : adaptTranslated(request, target.quirks, {
          reasons: offer.capabilities.includes('reasoning'),
          outputTokens: outputRoom(offer, estimatePromptTokens(bytes, content.images)),
        })
  return adapterFor(target.apiFormat).encode(calls > 1 ? { ...adapted, n: 1 } : adapted, target)
}

/**
 * Under a strict limit, OpenAI and Azure are sent the standard tier where the client leaves the choice to its project or
 * deployment, whose settings may name a dearer one. Completions have no tiers.
 */
function nameTier(
  encoded: EncodedRequest | null,
  { own, target, input }: { own: NativeRequest | null; target: Target; input: CandidateInput },
): EncodedRequest | null {
  const { isStrict, mode, request } = input
  const tier = (own?.json ?? request).service_tier
  if (!encoded || !isStrict || !target.quirks.openaiOwned || mode.kind === 'plan') return encoded
  if (own?.isTextCompletion || (isGiven(tier) && tier !== 'auto')) return encoded
  return { ...encoded, body: setMember(encoded.body, ['service_tier'], 'default') }
}

const PLAN_PATHS: Partial<Record<ApiFormat, string>> = {
  'anthropic-messages': '/messages',
  'openai-responses': '/responses',
}

/** The client's own request, byte for byte. `path`: if it is not for an answer. */
export function encodeVerbatim(
  { native: { format, body }, query, signIn, bytes }: PlanMode,
  path = PLAN_PATHS[format] ?? '',
): EncodedRequest {
  const answerHeaders = PLAN_ANSWER_HEADERS
  return { path: path + query, headers: { ...signIn.headers }, body, bytes, answerHeaders, verbatim: true }
}

/** The estimate of a prompt may be too low by this factor. */
const MARGIN = 1.25
const LEAST_OUTPUT = 1_024

/** The most tokens that a model can answer with: some servers reject a limit that does not fit after the prompt. */
function outputRoom({ maxOutputTokens, contextWindow }: Offer, promptTokens: number): number {
  const room = (contextWindow ?? Infinity) - Math.ceil(promptTokens * MARGIN)
  return Math.min(maxOutputTokens ?? Infinity, Math.max(room, LEAST_OUTPUT))
}

export type Candidates = readonly [Candidate, ...Candidate[]]

function isNotEmpty(candidates: readonly Candidate[]): candidates is Candidates {
  return candidates.length > 0
}

/** Throws 404 when there is none: the providers were removed while the request was being admitted. */
export function requireCandidates(candidates: readonly Candidate[], model: string): Candidates {
  if (isNotEmpty(candidates)) return candidates
  throw notFound(`The provider of "${model}" was removed. Choose a model from GET /v1/models.`, {
    param: 'model',
  })
}
