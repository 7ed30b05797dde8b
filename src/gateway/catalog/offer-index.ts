import { ModelId, type ModelOverride } from '../../shared/models.ts'
import type { Clock } from '../platform/clock.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import { hasBuiltInModels, SANDBOX_ID, sandboxModels } from '../sandbox/models.ts'
import type { StoredModelOverride, StoredProvider, StoredProviderModel } from '../store/store.ts'
import { createOffer, Listing, type Offer } from './offers.ts'
import type { PriceDatabase } from './price-database.ts'

/** Prices can depend on the time of day: an older index is rebuilt. */
const MAX_AGE_MS = 60_000

type Overrides = ReadonlyMap<string, ModelOverride>
type Index = ReadonlyMap<string, readonly Offer[]>

interface OfferIndexDeps {
  clock: Clock
  providers: ProviderRegistry
  prices: PriceDatabase
  models: readonly StoredProviderModel[]
  overrides: readonly StoredModelOverride[]
}

/** The offers of all enabled providers, by the model ids that clients use. */
export class OfferIndex {
  readonly #clock: Clock
  readonly #providers: ProviderRegistry
  readonly #prices: PriceDatabase
  readonly #listings = new Map<string, Map<string, Listing>>()
  #overrides: Overrides
  #index: { offers: Index; builtAt: number } | null = null

  constructor({ clock, providers, prices, models, overrides }: OfferIndexDeps) {
    this.#clock = clock
    this.#providers = providers
    this.#prices = prices
    this.#overrides = new Map(overrides.map(({ id, override }) => [id, override]))
    for (const { providerId, modelId, info } of models) {
      if (!ModelId.safeParse(modelId).success) continue
      const listing = Listing.safeParse(info)
      this.#listingsOf(providerId).set(modelId, listing.success ? listing.data : {})
    }
    this.#listings.set(SANDBOX_ID, new Map(sandboxModels.map((model) => [model.id, {}])))
  }

  /** Discards the built index; called when providers, prices, lists or overrides change. */
  invalidate(): void {
    this.#index = null
  }

  /** Replaces the model list of a provider. */
  setListings(providerId: string, models: readonly { id: string; info: Listing }[]): void {
    this.#listings.set(providerId, new Map(models.map((model) => [model.id, model.info])))
    this.invalidate()
  }

  dropListings(providerId: string): void {
    this.#listings.delete(providerId)
    this.invalidate()
  }

  modelCount(providerId: string): number {
    return this.#listings.get(providerId)?.size ?? 0
  }

  /** The user's override of the model; null if there is none. */
  override(id: string): ModelOverride | null {
    return this.#overrides.get(id) ?? null
  }

  /** Sets an override, or deletes it with null. */
  setOverride(id: string, override: ModelOverride | null): void {
    this.#overrides = withOverride(this.#overrides, id, override)
    this.invalidate()
  }

  /** The ids under which models are offered, without those that pin a provider. */
  ids(): string[] {
    return [...this.#offers().keys()]
  }

  /** The offers of an id as clients write it: plain, or `provider/id`, which pins the provider. Includes disabled models. */
  offersFor(id: string): readonly Offer[] {
    return this.#find(id, this.#offers())
  }

  /** Whether a provider would offer the model with this override. */
  wouldBeOffered(id: string, override: ModelOverride): boolean {
    return this.#find(id, this.#build(withOverride(this.#overrides, id, override))).length > 0
  }

  /** Whether the user disabled the model, under this id or under the one that it pins. */
  isDisabled(id: string): boolean {
    const pinned = this.#pinnedBy(id)
    return [id, ...(pinned ? [pinned.modelId] : [])].some((each) => this.override(each)?.enabled === false)
  }

  /** The disabled provider that would otherwise offer the model. */
  disabledProviderOf(id: string): StoredProvider | null {
    const pinned = id.slice(0, Math.max(0, id.indexOf('/')))
    const named = this.override(id)?.provider
    return (
      this.#providers
        .listDisabled()
        .find(
          (provider) =>
            provider.id === pinned ||
            provider.id === named ||
            (named === undefined && this.#listings.get(provider.id)?.has(id)),
        ) ?? null
    )
  }

  #listingsOf(providerId: string): Map<string, Listing> {
    let listings = this.#listings.get(providerId)
    if (!listings) {
      listings = new Map()
      this.#listings.set(providerId, listings)
    }
    return listings
  }

  #offers(): Index {
    const now = this.#clock.monotonic()
    if (!this.#index || now - this.#index.builtAt > MAX_AGE_MS)
      this.#index = { offers: this.#build(this.#overrides), builtAt: now }
    return this.#index.offers
  }

  #build(overrides: Overrides): Index {
    const index = new Map<string, Offer[]>()
    const add = (id: string, offer: Offer) => index.set(id, [...(index.get(id) ?? []), offer])
    for (const provider of this.#providers.listEnabled()) {
      for (const modelId of this.#listings.get(provider.id)?.keys() ?? []) {
        const override = overrides.get(modelId)
        if (override?.provider !== undefined && override.provider !== provider.id) continue
        add(modelId, this.#createOffer(provider, modelId, override ?? null))
      }
    }
    for (const [id, override] of overrides) {
      const provider = override.provider === undefined ? null : this.#providers.findEnabled(override.provider)
      if (!provider || index.has(id)) continue
      add(id, { ...this.#createOffer(provider, override.upstreamModel ?? id, override), id })
    }
    return index
  }

  #createOffer(provider: StoredProvider, modelId: string, override: ModelOverride | null): Offer {
    const listing = this.#listings.get(provider.id)?.get(modelId) ?? {}
    return createOffer({
      provider,
      modelId,
      listing,
      override,
      prices: this.#prices,
      now: new Date(this.#clock.now()),
    })
  }

  #pinnedBy(id: string) {
    const slash = id.indexOf('/')
    const provider = slash === -1 ? null : this.#providers.findEnabled(id.slice(0, slash))
    return provider && { provider, modelId: id.slice(slash + 1) }
  }

  #find(id: string, offers: Index): readonly Offer[] {
    const pin = this.#pinnedBy(id)
    if (pin) {
      const { provider, modelId } = pin
      const pinned = (offers.get(modelId) ?? []).filter((offer) => offer.providerId === provider.id)
      if (pinned.length > 0) return pinned
      const listing = this.#listings.get(provider.id)?.get(modelId)
      // While the provider's list could not be read yet, any id may be one of its models.
      if (
        listing ||
        (!hasBuiltInModels(provider.apiFormat) &&
          provider.modelsFetchedAt === null &&
          ModelId.safeParse(modelId).success)
      ) {
        return [this.#createOffer(provider, modelId, null)]
      }
    }
    return offers.get(id) ?? []
  }
}

function withOverride(overrides: Overrides, id: string, override: ModelOverride | null): Overrides {
  const others = [...overrides].filter(([each]) => each !== id)
  return new Map(override ? [...others, [id, override]] : others)
}
