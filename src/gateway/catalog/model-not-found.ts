import { type GatewayError, notFound } from '../platform/errors.ts'
import { knownProviders } from '../providers/known-providers.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import { SANDBOX_ID } from '../sandbox/models.ts'
import type { StoredProvider } from '../store/store.ts'
import type { PriceDatabase } from './price-database.ts'
import { findVendorPrice } from './prices.ts'
import { findSimilarId } from './similar-id.ts'

interface KnownModels {
  providers: ProviderRegistry
  prices: PriceDatabase
  now: Date
  /** The ids that can be used. */
  ids: Iterable<string>
}

/** 404 `model_not_found`, or `provider_disabled` where the model's vendor is set up and disabled. */
export function unknownModel(id: string, { providers, prices, now, ids }: KnownModels): GatewayError {
  const vendor = knownProviders.find(
    (row) =>
      row.priceId !== undefined &&
      // Clouds offer the models of other vendors.
      row.hosting === undefined &&
      !providers.findEnabled(row.id) &&
      findVendorPrice(prices, row.priceId, id, now),
  )
  const off = providers.listDisabled().find((row) => row.id === vendor?.id)
  if (off) return modelOfDisabledProvider(id, off)
  const hint = vendor
    ? `It is a model of ${vendor.name}: set up ${vendor.name} under Providers to use it.`
    : suggest(id, ids)
  return notFound(`There is no model "${id}". ${hint}`, { code: 'model_not_found', param: 'model' })
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
    `"${id}" is a model of ${provider}, which is disabled. Enable it under Providers to use it.`,
    { code: 'provider_disabled', param: 'model' },
  )
}

/** 404 `model_disabled`. */
export function disabledModel(id: string): GatewayError {
  return notFound(`The model "${id}" is disabled. Enable it under Models to use it.`, {
    code: 'model_disabled',
    param: 'model',
  })
}
