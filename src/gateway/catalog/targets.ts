import type { ApiFormat } from '../../shared/providers.ts'
import { codecFor } from '../formats/codecs.ts'
import type { ReasoningSignatures } from '../formats/reasoning-signatures.ts'
import { mergeQuirks, type Target } from '../formats/target.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import { familyOf } from './model-families.ts'
import type { Offer } from './offers.ts'

interface TargetInput {
  providers: Pick<ProviderRegistry, 'endpoint'>
  signaturesFor(apiFormat: string): ReasoningSignatures
  /** The client's API format, used if the provider supports it; null for a format that no provider has. */
  clientFormat: ApiFormat | null
}

/** Where an attempt at this offer goes. Throws 404 when its provider was removed. */
export function targetOf(
  { providerId, upstreamModel, vendorModel, id, maxOutputTokens }: Offer,
  { providers, signaturesFor, clientFormat }: TargetInput,
): Target {
  const endpoint = providers.endpoint(providerId)
  const isSupported = clientFormat !== null && endpoint.otherFormats.includes(clientFormat)
  const apiFormat = isSupported ? clientFormat : endpoint.apiFormat
  const formatQuirks =
    apiFormat === 'sandbox' ? {} : codecFor({ apiFormat, hosting: endpoint.hosting }).quirks
  return {
    ...endpoint,
    apiFormat,
    upstreamModel,
    servedModel: id,
    maxOutputTokens,
    signatures: signaturesFor(apiFormat),
    quirks: mergeQuirks(formatQuirks, endpoint.quirks, familyOf(vendorModel)?.quirks),
  }
}
