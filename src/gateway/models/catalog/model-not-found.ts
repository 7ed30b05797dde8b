import { MAX_MODEL_ID_LENGTH } from '../../../shared/api/models.ts'
import { SANDBOX_ID } from '../../../shared/api/terms.ts'
import { findSimilarId } from '../../../shared/values/similar-id.ts'
import { type GatewayError, notFound } from '../../platform/errors.ts'
import { callerText } from '../../platform/ids.ts'
import type { StoredProvider } from '../../store/store.ts'
import { findKnownProvider } from '../providers/known-providers.ts'
import type { KnownProvider } from '../providers/provider-traits.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import type { PriceDatabase } from './price-database.ts'
import { findVendor } from './price-sources.ts'
import { describeRetirement, findVendorRetirement } from './retirements.ts'

interface KnownModels {
  providers: ProviderRegistry
  prices: PriceDatabase
  now: Date
  /** The ids that can be used. */
  ids: Iterable<string>
}

/** 404 `model_not_found`, or `provider_disabled` where the model's vendor is set up and disabled. */
export function unknownModel(id: string, { providers, prices, now, ids }: KnownModels): GatewayError {
  const vendor = findVendor(id, prices, now, readProvider(id, providers))
  const off = providers.listDisabled().find((row) => row.id === vendor?.id)
  if (off) return modelOfDisabledProvider(id, off)
  const retirement = vendor && findVendorRetirement(vendor.id, id.slice(id.lastIndexOf('/') + 1))
  const retired = vendor && retirement ? ` ${describeRetirement(vendor.name, quoteId(id), retirement)}` : ''
  const hint = vendor ? describeVendor(vendor, providers) + retired : suggest(id, ids)
  return notFound(`There is no model "${quoteId(id)}". ${hint}`, { code: 'model_not_found', param: 'model' })
}

/** The provider in an id such as `anthropic/claude-opus-5`; null if it has none that is known or set up. */
function readProvider(id: string, providers: ProviderRegistry): string | null {
  const provider = id.slice(0, Math.max(0, id.indexOf('/')))
  return findKnownProvider(provider) || providers.isConfigured(provider) ? provider : null
}

function describeVendor({ id, name }: KnownProvider, providers: ProviderRegistry): string {
  return providers.findEnabled(id)
    ? `It is a model of ${name}, which does not list it for your account. See GET /v1/models for the available models.`
    : `It is a model of ${name}: set up ${name} under Providers to use it.`
}

/** Clients choose it, and it goes into a log. */
function quoteId(id: string): string {
  return callerText(id, MAX_MODEL_ID_LENGTH)
}

function suggest(id: string, ids: Iterable<string>): string {
  const similar = findSimilarId(id, ids)
  const list = 'See GET /v1/models for the available models.'
  return similar === null ? list : `Did you mean "${similar}"? ${list}`
}

/** 404 `provider_disabled`. */
export function modelOfDisabledProvider(id: string, { id: providerId, name }: StoredProvider): GatewayError {
  const provider = providerId === SANDBOX_ID ? 'the sandbox' : name
  return notFound(
    `"${quoteId(id)}" is a model of ${provider}, which is disabled. Enable it under Providers to use it.`,
    { code: 'provider_disabled', param: 'model' },
  )
}

/** 404 `model_disabled`. */
export function disabledModel(id: string): GatewayError {
  return notFound(`The model "${quoteId(id)}" is disabled. Enable it under Models to use it.`, {
    code: 'model_disabled',
    param: 'model',
  })
}
