import type { ReasoningSignatures } from '../formats/reasoning-signatures.ts'
import { mergeQuirks, type Target } from '../formats/target.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import { familyOf } from './model-families.ts'
import type { Offer } from './offers.ts'

/** Where an attempt at this offer goes. Throws 404 when its provider was removed. */
export function targetOf(
  { providerId, upstreamModel, id, maxOutputTokens }: Offer,
  providers: Pick<ProviderRegistry, 'endpoint'>,
  signaturesFor: (apiFormat: string) => ReasoningSignatures,
): Target {
  const endpoint = providers.endpoint(providerId)
  return {
    ...endpoint,
    upstreamModel,
    servedModel: id,
    maxOutputTokens,
    signatures: signaturesFor(endpoint.apiFormat),
    quirks: mergeQuirks(endpoint.quirks, familyOf(upstreamModel)?.quirks),
  }
}
