import { MAX_MODEL_ID_LENGTH } from '../../../shared/api/models.ts'
import { SANDBOX_ID } from '../../../shared/api/terms.ts'
import { type GatewayError, notFound } from '../../platform/errors.ts'
import { callerText } from '../../platform/ids.ts'
import type { StoredProvider } from '../../store/store.ts'
import type { KnownProvider } from '../providers/provider-traits.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import type { PriceDatabase } from './price-database.ts'
import { findVendorPrice, listPricedVendors } from './price-sources.ts'

interface KnownModels {
  providers: ProviderRegistry
  prices: PriceDatabase
  now: Date
  /** The ids that can be used. */
  ids: Iterable<string>
}

/** 404 `model_not_found`, or `provider_disabled` where the model's vendor is set up and disabled. */
export function unknownModel(id: string, { providers, prices, now, ids }: KnownModels): GatewayError {
  // Looking up its price takes long for a long id, and keeps the id.
  const vendors = id.length <= MAX_MODEL_ID_LENGTH ? listPricedVendors() : []
  const vendor = vendors.find(({ priceId }) => findVendorPrice(prices, priceId, id, now))
  const off = providers.listDisabled().find((row) => row.id === vendor?.id)
  if (off) return modelOfDisabledProvider(id, off)
  const hint = vendor ? describeVendor(vendor, providers) : suggest(id, ids)
  return notFound(`There is no model "${quoteId(id)}". ${hint}`, { code: 'model_not_found', param: 'model' })
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

/** Longer ids are not compared: clients choose them, and comparing takes time. */
const MAX_LENGTH = 100
/** How many characters may differ: this share of the id, but never more than that. */
const MAX_SHARE = 0.4
const MAX_DISTANCE = 4

/** The id that `wanted` probably means; null when none is similar. Letter case and punctuation hardly matter. */
export function findSimilarId(wanted: string, ids: Iterable<string>): string | null {
  if (wanted.length > MAX_LENGTH) return null
  const plain = simplify(wanted)
  const limit = Math.min(MAX_DISTANCE, Math.floor(plain.length * MAX_SHARE))
  let best: { id: string; distance: number } | null = null
  for (const id of ids) {
    const other = simplify(id)
    if (Math.abs(other.length - plain.length) > limit) continue
    const distance = countEdits(plain, other)
    if (distance <= limit && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { id, distance }
  }
  return best?.id ?? null
}

function simplify(id: string): string {
  return id.toLowerCase().replace(/[^a-z0-9/]/g, '')
}

/** The Levenshtein distance: how many characters to insert, delete or replace. */
function countEdits(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const changed = one[row - 1] === other[column - 1] ? 0 : 1
      current.push(
        Math.min(
          (above[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (above[column - 1] ?? 0) + changed,
        ),
      )
    }
    above = current
  }
  return above[other.length] ?? 0
}
