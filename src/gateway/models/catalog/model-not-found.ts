import { MAX_MODEL_ID_LENGTH } from '../../../shared/models.ts'
import { SANDBOX_ID } from '../../../shared/sandbox.ts'
import { callerText } from '../../platform/caller-text.ts'
import { type GatewayError, notFound } from '../../platform/errors.ts'
import type { StoredProvider } from '../../store/store.ts'
import type { KnownProvider } from '../providers/known-provider.ts'
import { knownProviders } from '../providers/known-providers.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
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
  const vendor = id.length <= MAX_MODEL_ID_LENGTH ? findVendor(id, { prices, now }) : undefined
  const off = providers.listDisabled().find((row) => row.id === vendor?.id)
  if (off) return modelOfDisabledProvider(id, off)
  const hint = vendor ? describeVendor(vendor, providers) : suggest(id, ids)
  return notFound(`There is no model "${shown(id)}". ${hint}`, { code: 'model_not_found', param: 'model' })
}

function describeVendor({ id, name }: KnownProvider, providers: ProviderRegistry): string {
  return providers.findEnabled(id)
    ? `It is a model of ${name}, which does not list it for your account. See GET /v1/models for the available models.`
    : `It is a model of ${name}: set up ${name} under Providers to use it.`
}

/** The vendor whose model it is. Looking up its price takes long for a long id, and keeps the id. */
function findVendor(
  id: string,
  { prices, now }: Pick<KnownModels, 'prices' | 'now'>,
): KnownProvider | undefined {
  return knownProviders.find(
    (row) =>
      row.priceId !== undefined &&
      // Clouds offer the models of other vendors.
      row.hosting === undefined &&
      findVendorPrice(prices, row.priceId, id, now),
  )
}

/** Clients choose it, and it goes into a log. */
function shown(id: string): string {
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
    `"${shown(id)}" is a model of ${provider}, which is disabled. Enable it under Providers to use it.`,
    { code: 'provider_disabled', param: 'model' },
  )
}

/** 404 `model_disabled`. */
export function disabledModel(id: string): GatewayError {
  return notFound(`The model "${shown(id)}" is disabled. Enable it under Models to use it.`, {
    code: 'model_disabled',
    param: 'model',
  })
}
