import type { Offer } from '../catalog/offers.ts'
import { targetOf } from '../catalog/targets.ts'
import type { DecodedRequest } from '../formats/client-codec.ts'
import { codecFor } from '../formats/codecs.ts'
import type { EncodedRequest } from '../formats/encoded-request.ts'
import type { NativeRequest } from '../formats/native.ts'
import { adaptTranslated } from '../formats/openai-chat/translated.ts'
import type { PassThrough } from '../formats/pass-through/pass-through.ts'
import type { ReasoningSignatureCache } from '../formats/reasoning-signatures.ts'
import type { Target } from '../formats/target.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import { notFound } from '../platform/errors.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import { countCalls } from '../routing/fan-out-n.ts'
import type { Route } from '../routing/route.ts'
import { estimatePromptTokens, type ImageData } from '../tokens/estimate-tokens.ts'
import type { AdapterFor } from '../upstream/adapters.ts'
import { passThroughCandidate } from './pass-through.ts'
import { readExtras } from './requested-extras.ts'
import { type Bound, boundOf, outputBound } from './worst-case.ts'

/** An offer that can serve a request, and the route to it. Its size decides what is reserved. */
export interface Candidate extends Route {
  offer: Offer
  bound: Bound
}

export interface CandidateInput extends DecodedRequest {
  native: NativeRequest | null
  passThrough: PassThrough | null
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

const NO_BOUND: Bound = { calls: 1, prompt: 0, external: false, output: 0 }

/** One candidate for each offer whose provider was not removed, in their order. */
export function createCandidates(
  offers: readonly Offer[],
  input: CandidateInput,
  deps: CandidateDeps,
): Candidate[] {
  const { request, native, passThrough, keyId } = input
  const wish = { request, clientFormat: native?.format ?? null, keyId }
  const candidates: Candidate[] = []
  for (const offer of offers) {
    if (!deps.providers.isConfigured(offer.providerId)) continue
    const target = targetOf(offer, wish, deps)
    if (!passThrough) target.enforcedOutputTokens = enforcedOutput(offer, input)
    candidates.push(
      passThrough
        ? passThroughCandidate(offer, target, passThrough)
        : createCandidate(offer, target, input, deps.adapterFor),
    )
  }
  return candidates
}

/** The output limit to send because it is what is reserved; null for none. */
function enforcedOutput(offer: Offer, { request, capped }: CandidateInput): number | null {
  if (!capped || request.stream || offer.price === null) return null
  const { tokens, assumed } = outputBound(request, offer)
  return assumed ? tokens : null
}

function createCandidate(
  offer: Offer,
  target: Target,
  input: CandidateInput,
  adapterFor: AdapterFor,
): Candidate {
  const { request, bytes, images } = input
  const isNative = isServedBy(target, input.native)
  // Answers of the same format that the client's codec writes anew are not native.
  const native = isNative && codecFor(target).native?.addCost !== undefined
  try {
    if (!isNative && input.untranslatable) throw input.untranslatable
    const calls = countCalls(target, request)
    const encoded = encode(input, { offer, target, calls }, adapterFor)
    const sent = { bytes: encoded ? Buffer.byteLength(encoded.body) : bytes, images, calls }
    const extras = readExtras(isNative && input.native ? input.native.json : request)
    const bound = boundOf(request, offer, { ...sent, extras, external: isNative && input.externalContent })
    return { offer, target, native, encoded, refusal: null, bound }
  } catch (error) {
    // The attempt fails in the same way, after those at candidates that can be sent the request.
    if (error instanceof UpstreamFailure)
      return { offer, target, native, encoded: null, refusal: error, bound: NO_BOUND }
    throw error
  }
}

/** Whether the target has the API that the client uses. */
function isServedBy(target: Target, native: NativeRequest | null): boolean {
  if (native?.isTextCompletion && target.completionsPath === null) return false
  return target.apiFormat === native?.format
}

/** One call's request: the client's own bytes where the target uses the same format and answers with all choices. */
function encode(
  { request, native, bytes, images }: CandidateInput,
  { offer, target, calls }: { offer: Offer; target: Target; calls: number },
  adapterFor: AdapterFor,
): EncodedRequest | null {
  const isSame = isServedBy(target, native)
  const codec = isSame ? codecFor(target).native : null
  if (native && codec && calls === 1) return codec.request(native, target)
  const adapted =
    isSame || target.apiFormat !== 'openai-chat'
      ? request
      : adaptTranslated(request, target.quirks, {
          reasons: offer.capabilities.includes('reasoning'),
          outputTokens: outputRoom(offer, estimatePromptTokens(bytes, images)),
        })
  return adapterFor(target.apiFormat).encode(calls > 1 ? { ...adapted, n: 1 } : adapted, target)
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
