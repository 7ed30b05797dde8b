import { codecFor } from '../formats/codecs.ts'
import type { ReasoningSignatures } from '../formats/reasoning-signatures.ts'
import { type Endpoint, mergeQuirks, type Target } from '../formats/target.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import { chooseFormat, type FormatWish } from './choose-format.ts'
import { familyOf } from './model-families.ts'
import type { Offer } from './offers.ts'

interface TargetInput extends FormatWish {
  providers: Pick<ProviderRegistry, 'endpoint'>
  signaturesFor(apiFormat: string): ReasoningSignatures
}

/** Where an attempt at this offer goes. Throws 404 when its provider was removed. */
export function targetOf(
  { providerId, upstreamModel, vendorModel, id, maxOutputTokens }: Offer,
  { providers, signaturesFor, ...wish }: TargetInput,
): Target {
  const endpoint = providers.endpoint(providerId)
  const modelQuirks = mergeQuirks(endpoint.quirks, familyOf(vendorModel)?.quirks)
  const { apiFormat, quirks } = chooseFormat(endpoint, modelQuirks, wish)
  const formatQuirks =
    apiFormat === 'sandbox' ? {} : codecFor({ apiFormat, hosting: endpoint.hosting }).quirks
  return {
    ...endpoint,
    apiFormat,
    upstreamModel,
    servedModel: id,
    maxOutputTokens,
    completionsPath: completionsPath(endpoint, upstreamModel),
    signatures: signaturesFor(apiFormat),
    quirks: mergeQuirks(formatQuirks, modelQuirks, quirks),
  }
}

function completionsPath({ completions }: Endpoint, model: string): string | null {
  if (!completions || (completions.models && !completions.models.test(model))) return null
  return completions.path
}
