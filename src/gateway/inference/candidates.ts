import type { ChatRequest } from '../../shared/chat.ts'
import type { Offer } from '../catalog/offers.ts'
import { targetOf } from '../catalog/targets.ts'
import type { ReasoningSignatureCache } from '../formats/reasoning-signatures.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import { notFound } from '../platform/errors.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import { countCalls } from '../routing/fan-out-n.ts'
import type { Route } from '../routing/route.ts'
import type { ImageData } from '../tokens/estimate-tokens.ts'
import type { AdapterFor } from '../upstream/adapters.ts'
import { type Bound, boundOf, outputBound } from './worst-case.ts'

/** An offer that can serve a request, and the route to it. Its size decides what is reserved. */
export interface Candidate extends Route {
  offer: Offer
  bound: Bound
}

export interface CandidateInput {
  request: ChatRequest
  keyId: string
  /** Of the request as it came. */
  bytes: number
  images: ImageData
  /** Whether something caps the spend: then the output limit that is reserved is sent, where the client gives none. */
  capped: boolean
}

interface CandidateDeps {
  providers: ProviderRegistry
  adapterFor: AdapterFor
  signatures: ReasoningSignatureCache
}

const NO_BOUND: Bound = { calls: 1, prompt: 0, output: 0 }

/** One candidate for each offer whose provider was not removed, in their order. */
export function createCandidates(
  offers: readonly Offer[],
  input: CandidateInput,
  { providers, adapterFor, signatures }: CandidateDeps,
): Candidate[] {
  const existing = offers.filter(({ providerId }) => providers.isConfigured(providerId))
  return existing.map((offer) => {
    const target = targetOf(offer, providers, (format) => signatures.scopeTo(input.keyId, format))
    const { tokens, assumed } = outputBound(input.request, offer)
    const enforced = assumed && input.capped && !input.request.stream && offer.price !== null
    const limited = enforced ? { ...target, enforcedOutputTokens: tokens } : target
    return createCandidate(offer, limited, input, adapterFor)
  })
}

function createCandidate(
  offer: Offer,
  target: Route['target'],
  { request, bytes, images }: CandidateInput,
  adapterFor: AdapterFor,
): Candidate {
  try {
    const calls = countCalls(target, request)
    const single = calls > 1 ? { ...request, n: 1 } : request
    const encoded = adapterFor(target.apiFormat).encode(single, target)
    const sent = { bytes: encoded ? Buffer.byteLength(encoded.body) : bytes, images, calls }
    return { offer, target, encoded, bound: boundOf(request, offer, sent) }
  } catch (error) {
    // The attempt fails in the same way, after those at candidates that can be sent the request.
    if (error instanceof UpstreamFailure) return { offer, target, encoded: null, bound: NO_BOUND }
    throw error
  }
}

/** Throws 404 when there is none: the providers were removed while the request was being admitted. */
export function requireCandidates(
  candidates: readonly Candidate[],
  model: string,
): [Candidate, ...Candidate[]] {
  const [first, ...others] = candidates
  if (first) return [first, ...others]
  throw notFound(`The provider of "${model}" was removed. Choose a model from GET /v1/models.`, {
    param: 'model',
  })
}
