import type { Capability, ModelRecord, Pricing } from '../../../shared/api/models.ts'
import { CAPABILITIES } from '../../../shared/api/terms.ts'
import { includesWords } from '../../kit/search-field.tsx'

const STATES = ['all', 'on', 'off'] as const
const PRICE_FILTERS = ['none', 'free', 'own', 'approximate'] as const
type PriceFilter = (typeof PRICE_FILTERS)[number]

export interface ModelFilter {
  text: string
  provider: string | null
  capability: Capability | null
  price: PriceFilter | null
  state: (typeof STATES)[number]
}

export function readModelFilter(search: URLSearchParams): ModelFilter {
  return {
    text: search.get('q') ?? '',
    provider: search.get('provider'),
    capability: CAPABILITIES.find((one) => one === search.get('can')) ?? null,
    price: PRICE_FILTERS.find((one) => one === search.get('price')) ?? null,
    state: STATES.find((one) => one === search.get('state')) ?? 'all',
  }
}

type FilteredModel = Pick<
  ModelRecord,
  'id' | 'name' | 'providers' | 'capabilities' | 'capabilitiesKnown' | 'enabled' | 'pricing' | 'priceOrigin'
>

/** Every word of the filter's text must be in the id, the name or the names of the providers. */
export function matchesModelFilter(
  { text, provider, capability, price, state }: ModelFilter,
  model: FilteredModel,
  providerNames: readonly string[] = [],
): boolean {
  if (state !== 'all' && model.enabled !== (state === 'on')) return false
  if (provider !== null && !model.providers.includes(provider)) return false
  if (price !== null && !matchesPrice(price, model)) return false
  if (capability !== null && !(model.capabilitiesKnown && model.capabilities.includes(capability)))
    return false
  return includesWords([model.id, model.name, ...model.providers, ...providerNames].join(' '), text)
}

function matchesPrice(filter: PriceFilter, { pricing, priceOrigin }: FilteredModel): boolean {
  switch (filter) {
    case 'none':
      return pricing === null
    case 'free':
      return pricing !== null && isFree(pricing)
    case 'own':
      return priceOrigin?.source === 'user'
    case 'approximate':
      return priceOrigin?.match === 'approximate'
    default:
      return filter satisfies never
  }
}

/** Whether nothing that the model is billed by costs anything. */
export function isFree({ tierFactors: _, ...prices }: Pricing): boolean {
  return Object.values(prices).every((price) => price === 0)
}
