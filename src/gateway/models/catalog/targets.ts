import type { ApiFormat, ProviderFormat } from '../../../shared/api/providers.ts'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import {
  type Endpoint,
  type ModelEndpoint,
  mergeQuirks,
  type OutputLimitName,
  type Quirks,
  type Target,
} from '../../formats/chat/codec-types.ts'
import type { ReasoningSignatureCache } from '../../formats/chat/reasoning.ts'
import { codecFor } from '../../formats/codecs.ts'
import { mustNotReason } from '../../formats/openai-chat/request.ts'
import { getOrCreate } from '../../platform/maps.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import { findFamily } from './model-families.ts'
import type { Offer } from './offers.ts'

interface TargetInput extends FormatWish {
  /** The API key that pays for the request. */
  keyId: string
  /** The session of the request; null for none. */
  sessionId: string | null
}

interface TargetDeps {
  providers: Pick<ProviderRegistry, 'endpoint' | 'credentialOrder'>
  signatures: ReasoningSignatureCache
}

/** The part that does not depend on the request. */
interface OfferEndpoint {
  endpoint: Endpoint
  /** The endpoint as it serves the model. */
  served: Endpoint
  quirks: Quirks
  /** The endpoints by the choice of the format. */
  chosen: Map<string, ModelEndpoint>
}

/** Computed for the first request; offers are replaced when they change, and endpoints as well. */
const endpoints = new WeakMap<Offer, OfferEndpoint>()

/** Where an attempt at this offer goes. Throws 404 when its provider was removed. */
export function createTarget(
  offer: Offer,
  input: TargetInput,
  { providers, signatures }: TargetDeps,
): Target {
  const { providerId } = offer
  const offerEndpoint = findOfferEndpoint(offer, providers.endpoint(providerId))
  const choice = chooseFormat(offerEndpoint.served, offerEndpoint.quirks, input)
  const { apiFormat, noReasoningSummary } = choice
  const name = noReasoningSummary ? `${apiFormat} without summaries` : apiFormat
  return {
    ...getOrCreate(offerEndpoint.chosen, name, () => createModelEndpoint(offer, offerEndpoint, choice)),
    credentialOrder: providers.credentialOrder(providerId, input.sessionId),
    signatures: signatures.scopeTo(input.keyId, apiFormat),
    enforcedOutputTokens: null,
  }
}

/** Remembers under which name the offer accepts an output limit, until the offer or its provider changes. */
export function learnOutputLimit(offer: Offer, name: OutputLimitName): void {
  const known = endpoints.get(offer)
  if (!known) return
  known.quirks = { ...known.quirks, outputLimit: name }
  known.chosen.clear()
}

function findOfferEndpoint(offer: Offer, endpoint: Endpoint): OfferEndpoint {
  let known = endpoints.get(offer)
  if (known?.endpoint !== endpoint) {
    const quirks = mergeQuirks(endpoint.quirks, findFamily(offer.vendorModel)?.quirks)
    known = { endpoint, served: chooseServed(endpoint, offer), quirks, chosen: new Map() }
    endpoints.set(offer, known)
  }
  return known
}

/** Some endpoints serve some models in another format only. */
function chooseServed(endpoint: Endpoint, { id, upstreamModel }: Offer): Endpoint {
  const { otherModels } = endpoint
  const name = otherModels?.unnamed.test(upstreamModel) ? id : upstreamModel
  if (!otherModels?.models.test(name)) return endpoint
  return { ...endpoint, apiFormat: otherModels.apiFormat, otherFormats: [] }
}

function createModelEndpoint(
  { upstreamModel, id, maxOutputTokens }: Offer,
  { served: endpoint, quirks }: OfferEndpoint,
  { apiFormat, noReasoningSummary }: FormatChoice,
): ModelEndpoint {
  const formatQuirks =
    apiFormat === 'sandbox' ? {} : codecFor({ apiFormat, hosting: endpoint.hosting }).quirks
  const choiceQuirks: Quirks = noReasoningSummary ? { noReasoningSummary } : {}
  return {
    ...endpoint,
    apiFormat,
    upstreamModel,
    servedModel: id,
    maxOutputTokens,
    completionsPath: findCompletionsPath(endpoint, upstreamModel),
    quirks: mergeQuirks(formatQuirks, quirks, choiceQuirks),
  }
}

function findCompletionsPath({ completions }: Endpoint, model: string): string | null {
  if (!completions || (completions.models && !completions.models.test(model))) return null
  return completions.path
}

export interface FormatWish {
  request: ChatRequest
  /** The client's API format; null for a format that no provider has. */
  clientFormat: ApiFormat | null
}

/** The format of a call, and the quirk that comes with the choice. */
export interface FormatChoice {
  apiFormat: ProviderFormat
  noReasoningSummary: boolean
}

/**
 * The format in which a request is sent: the client's if the base URL serves it, because then nothing is translated; the
 * Responses API where chat completions would lose the model or its reasoning; and else the provider's.
 */
export function chooseFormat(
  { apiFormat, otherFormats }: Pick<Endpoint, 'apiFormat' | 'otherFormats'>,
  modelQuirks: Quirks,
  { request, clientFormat }: FormatWish,
): FormatChoice {
  if (clientFormat !== null && otherFormats.includes(clientFormat))
    return { apiFormat: clientFormat, noReasoningSummary: false }
  const hasResponses = apiFormat === 'openai-chat' && otherFormats.includes('openai-responses')
  // Chat completions have no summaries, and asking for them fails for organizations that are not verified.
  return hasResponses && needsResponses(request, modelQuirks)
    ? { apiFormat: 'openai-responses', noReasoningSummary: true }
    : { apiFormat, noReasoningSummary: false }
}

function needsResponses(request: ChatRequest, quirks: Quirks): boolean {
  if (quirks.onlyResponses) return true
  // There is no `n`, and a call for each choice would cost the prompt several times.
  return (request.n ?? 1) === 1 && mustNotReason(request, quirks)
}
