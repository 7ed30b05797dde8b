// Who can serve a request, with the request as each would be sent it. Made once, before anything is reserved: the size
// of what is sent decides what is reserved.
import type { ChatRequest } from '../../shared/chat.ts'
import type { Offer } from '../catalog/offers.ts'
import { targetOf } from '../catalog/targets.ts'
import type { EncodedRequest } from '../formats/codec.ts'
import { codecOf } from '../formats/codecs.ts'
import type { ReasoningSignatureCache } from '../formats/reasoning-signatures.ts'
import type { Target } from '../formats/target.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import { notFound } from '../platform/errors.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import { callsFor } from '../routing/fan-out-n.ts'
import type { ImageData } from '../tokens/estimate-tokens.ts'
import { type Bound, boundOf, outputBound } from './worst-case.ts'

export interface Candidate {
  offer: Offer
  target: Target
  /** What is sent in each call; null for the sandbox, and for a request that the target's format cannot say. */
  sent: EncodedRequest | null
  bound: Bound
}

interface RequestBody {
  bytes: number
  images: ImageData
  capped: boolean
  keyId: string
}

interface CandidateDeps {
  providers: ProviderRegistry
  signatures: ReasoningSignatureCache
}

const NOTHING: Bound = { calls: 1, prompt: 0, output: 0 }

/**
 * One candidate for each offer whose provider is still there, in their order. `capped`: a plain call is then sent the
 * output limit that is reserved for it, where nobody states one. Throws 404 when no provider is left.
 */
export function candidatesOf(
  offers: readonly Offer[],
  request: ChatRequest,
  body: RequestBody,
  deps: CandidateDeps,
): Candidate[] {
  const there = offers.filter(({ providerId }) => deps.providers.isConfigured(providerId))
  if (there.length === 0) throw noProviderLeft(request.model)
  return there.map((offer) => candidateOf(offer, request, body, deps))
}

export function noProviderLeft(model: string) {
  return notFound(`The provider of "${model}" was removed. Choose a model from GET /v1/models.`, {
    param: 'model',
  })
}

function candidateOf(
  offer: Offer,
  request: ChatRequest,
  { bytes, capped, images, keyId }: RequestBody,
  { providers, signatures }: CandidateDeps,
): Candidate {
  const plain = targetOf(offer, providers, (apiFormat) => signatures.scopeTo(keyId, apiFormat))
  const { tokens, assumed } = outputBound(request, offer)
  const enforced = assumed && capped && !request.stream && offer.price !== null
  const target = enforced ? { ...plain, enforcedOutputTokens: tokens } : plain
  try {
    const calls = callsFor(target, request)
    if (target.apiFormat === 'sandbox') {
      return { offer, target, sent: null, bound: boundOf(request, offer, { bytes, images, calls }) }
    }
    const sent = codecOf(target.apiFormat).chatRequest(calls > 1 ? { ...request, n: 1 } : request, target)
    const size = { bytes: Buffer.byteLength(sent.body), images, calls }
    return { offer, target, sent, bound: boundOf(request, offer, size) }
  } catch (error) {
    // It is told when the candidate is tried, after those that can be sent the request.
    if (error instanceof UpstreamFailure) return { offer, target, sent: null, bound: NOTHING }
    throw error
  }
}
