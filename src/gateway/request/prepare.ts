import type { ChatRequest } from '../../shared/formats/chat.ts'
import {
  type CacheLifetime,
  type DecodedRequest,
  OUTPUT_LIMIT_SECOND,
  type PromptCache,
  type Target,
} from '../formats/chat/codec-types.ts'
import type { SentContent } from '../formats/chat/content-counter.ts'
import { refuseRequest, UpstreamFailure } from '../formats/chat/failure.ts'
import type { ReasoningSignatureCache } from '../formats/chat/reasoning.ts'
import { likelyReasoning, mayReason } from '../formats/chat/reasoning-effort.ts'
import type { Offer } from '../models/catalog/offers.ts'
import { createTarget } from '../models/catalog/targets.ts'
import type { ProviderRegistry } from '../models/providers/registry.ts'
import { notFound } from '../platform/errors.ts'
import type { LiveSession } from '../sessions/live-sessions.ts'
import { type Bound, computeBound, outputBound } from './bound.ts'
import type { Instead, RequestMode } from './call.ts'
import type { Forecast } from './forecast.ts'
import { type EncoderFor, Lane } from './lane.ts'
import { passThroughCandidate } from './pass-through.ts'
import { type Candidate, type CandidateDraft, Quote } from './quote.ts'

/** The largest output limit for each offer, in tokens of one choice. */
export type OutputLimits = ReadonlyMap<Offer, number>

export interface CandidateInput extends DecodedRequest {
  mode: RequestMode
  instead: Instead | null
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

const NO_BOUND: Bound = { calls: 1, prompt: 0, external: false, output: 0 }

/** One candidate for each offer whose provider was not removed, in their order. */
export function createCandidates(
  offers: readonly Offer[],
  input: CandidateInput,
  deps: CandidateDeps,
): Candidate[] {
  const { mode, keyId, instead, session } = input
  const native = mode.kind === 'native' || mode.kind === 'plan' ? mode.native : null
  const candidates: Candidate[] = []
  for (const offer of offers) {
    if (!deps.providers.isConfigured(offer.providerId)) continue
    const chosen = instead?.offers.includes(offer) ? instead : { request: input.request, native }
    const clientFormat = chosen.native?.format ?? null
    const wish = { request: chosen.request, clientFormat, keyId, sessionId: session.id }
    const target = createTarget(offer, wish, deps)
    const sent = { ...input, ...chosen, adapterFor: deps.adapterFor }
    const draft =
      mode.kind === 'raw'
        ? passThroughCandidate(offer, target, mode.passThrough)
        : createCandidate(new Lane(offer, target, sent), sent)
    candidates.push({ ...draft, quote: new Quote(draft, sent, deps.forecast) })
  }
  return candidates
}

function createCandidate(lane: Lane, input: CandidateInput): CandidateDraft {
  const { offer, target, own } = lane
  const { request, outputLimits } = input
  const shortenedTo = outputLimits?.get(offer) ?? null
  target.enforcedOutputTokens = enforcedOutput(offer, input)
  target.cache = own ? null : choosePromptCache(offer, target, input.session)
  const { mode } = lane
  try {
    if (!own && input.unsupported) throw input.unsupported
    const calls = countCalls(target, request)
    const encoded = lane.encode(calls)
    const bound = computeBound(request, offer, lane.measure(encoded, calls))
    const reasons =
      offer.capabilities.includes('reasoning') &&
      !own?.isTextCompletion &&
      mayReason(lane.asked, target.quirks)
    const likely = reasons && { likelyReasoning: likelyReasoning(lane.asked) }
    const renames = target.apiFormat === 'openai-chat' && target.quirks.outputLimit === undefined
    const rename = renames && { renameOutputLimit: () => lane.encode(calls, OUTPUT_LIMIT_SECOND) }
    return { offer, target, mode, calls, encoded, refusal: null, bound, shortenedTo, ...likely, ...rename }
  } catch (error) {
    // The attempt fails in the same way, after those at candidates that can be sent the request.
    if (error instanceof UpstreamFailure)
      return { offer, target, mode, calls: 1, encoded: null, refusal: error, bound: NO_BOUND, shortenedTo }
    throw error
  }
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

// The cache of prompts that a provider keeps: only translated requests ask for it, as native ones say so themselves.

type CachingTarget = Pick<Target, 'hosting' | 'promptCache'>

/** Null if the user has turned it off for the provider. */
export function choosePromptCache(
  offer: Pick<Offer, 'price'>,
  target: CachingTarget,
  session: Pick<LiveSession, 'id' | 'pauses'>,
): PromptCache | null {
  if (!target.promptCache) return null
  return { session: session.id, lifetime: chooseLifetime(offer, target, session) }
}

/**
 * An hour if it would have been cheaper for the session until now. With five minutes, each pause within the hour costs the
 * whole prompt as a write instead of a read. With an hour, the prompt costs the dearer write: once, and again after each
 * longer pause. The pauses change only when five minutes are over, so a cache in use never changes its lifetime. Other hosts
 * do not all have both lifetimes.
 */
function chooseLifetime(
  { price }: Pick<Offer, 'price'>,
  { hosting }: Pick<CachingTarget, 'hosting'>,
  { pauses: { withinHour, longer } }: Pick<LiveSession, 'pauses'>,
): CacheLifetime {
  if (!price || hosting !== null) return '5m'
  const { cacheRead: read, cacheWrite5m: short, cacheWrite1h: long } = price.rates(0)
  return long > short && withinHour * (short - read) > (1 + longer) * (long - short) ? '1h' : '5m'
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
