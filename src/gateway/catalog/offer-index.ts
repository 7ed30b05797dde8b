// Owns who offers what now: the providers' lists and the user's overrides, put together under the ids that clients write.
// Knows nothing of fallbacks, records or refusals.
import { ModelId, type ModelOverride } from '../../shared/models.ts'
import type { Clock } from '../platform/clock.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import { SANDBOX_ID, sandboxModels } from '../sandbox/models.ts'
import type { StoredModelOverride, StoredProvider, StoredProviderModel } from '../store/store.ts'
import { Listing, type Offer, offerOf, overridden } from './offers.ts'

/** Prices can depend on the time of day: an index older than this is made anew. */
const INDEX_LIFE_MS = 60_000

type Overrides = ReadonlyMap<string, ModelOverride>
type Index = ReadonlyMap<string, readonly Offer[]>

export class OfferIndex {
  readonly #clock: Clock
  readonly #providers: ProviderRegistry
  readonly #listings = new Map<string, Map<string, Listing>>()
  #overrides: Overrides
  #index: { offers: Index; madeAt: number } | null = null

  constructor(
    clock: Clock,
    providers: ProviderRegistry,
    models: readonly StoredProviderModel[],
    overrides: readonly StoredModelOverride[],
  ) {
    this.#clock = clock
    this.#providers = providers
    this.#overrides = new Map(overrides.map(({ id, override }) => [id, override]))
    for (const { providerId, modelId, info } of models) {
      if (!ModelId.safeParse(modelId).success) continue
      const listing = Listing.safeParse(info)
      this.#listingsOf(providerId).set(modelId, listing.success ? listing.data : {})
    }
    this.#listings.set(SANDBOX_ID, new Map(sandboxModels.map((model) => [model.id, {}])))
  }

  /** Forgets what was derived; called when providers, lists or overrides change. */
  invalidate(): void {
    this.#index = null
  }

  /** Puts a provider's freshly read list in place. */
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

  /** What the user said of the model; null when nothing. */
  override(id: string): ModelOverride | null {
    return this.#overrides.get(id) ?? null
  }

  /** Puts an override in place, or drops it with null. */
  setOverride(id: string, override: ModelOverride | null): void {
    this.#overrides = withOverride(this.#overrides, id, override)
    this.invalidate()
  }

  /** The ids under which models are offered, pinned ones left out. */
  ids(): string[] {
    return [...this.#offers().keys()]
  }

  /** The offers of an id as clients write it: plain, or `provider/id`, which pins the provider. Turned-off ones too. */
  offersFor(id: string): readonly Offer[] {
    return this.#find(id, this.#offers())
  }

  /** Whether anybody would offer the model if that were its override. */
  wouldBeOffered(id: string, override: ModelOverride): boolean {
    return this.#find(id, this.#build(withOverride(this.#overrides, id, override))).length > 0
  }

  /** Whether the user has turned the model off, under this id or under the one that it pins. */
  isOff(id: string): boolean {
    const pinned = this.#pinnedBy(id)
    return [id, ...(pinned ? [pinned.modelId] : [])].some((each) => this.override(each)?.enabled === false)
  }

  /** The provider that would offer the model, were it not turned off. */
  turnedOffProviderOf(id: string): StoredProvider | null {
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
    if (!this.#index || now - this.#index.madeAt > INDEX_LIFE_MS)
      this.#index = { offers: this.#build(this.#overrides), madeAt: now }
    return this.#index.offers
  }

  #build(overrides: Overrides): Index {
    const index = new Map<string, Offer[]>()
    const add = (id: string, offer: Offer) => index.set(id, [...(index.get(id) ?? []), offer])
    const now = new Date(this.#clock.now())
    for (const provider of this.#providers.listEnabled()) {
      for (const [modelId, listing] of this.#listings.get(provider.id) ?? []) {
        const override = overrides.get(modelId)
        if (override?.provider !== undefined && override.provider !== provider.id) continue
        add(modelId, overridden(offerOf(provider, modelId, listing, now), override ?? null))
      }
    }
    for (const [id, override] of overrides) {
      const provider = override.provider === undefined ? null : this.#providers.findEnabled(override.provider)
      if (!provider || index.has(id)) continue
      const upstream = override.upstreamModel ?? id
      const listing = this.#listings.get(provider.id)?.get(upstream) ?? {}
      add(id, { ...overridden(offerOf(provider, upstream, listing, now), override), id })
    }
    return index
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
      // A provider whose list could not be read yet is taken at the user's word.
      if (
        listing ||
        (provider.apiFormat !== 'sandbox' &&
          provider.modelsFetchedAt === null &&
          ModelId.safeParse(modelId).success)
      ) {
        return [offerOf(provider, modelId, listing ?? {}, new Date(this.#clock.now()))]
      }
    }
    return offers.get(id) ?? []
  }
}

function withOverride(overrides: Overrides, id: string, override: ModelOverride | null): Overrides {
  const others = [...overrides].filter(([each]) => each !== id)
  return new Map(override ? [...others, [id, override]] : others)
}
