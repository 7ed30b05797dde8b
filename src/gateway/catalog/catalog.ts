// Owns the catalogue: which models can be served now, by whom, in which order. Makes routes; calls nobody.
import type { ModelOverride, ModelRecord } from '../../shared/models.ts'
import type { Clock } from '../clock.ts'
import { GatewayError, invalidRequest, notFound } from '../errors.ts'
import type { ProviderBook } from '../providers.ts'
import type { StoredModelOverride, StoredProviderModel } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { checkFallbacks } from './fallbacks.ts'
import { knownProviders } from './known-providers.ts'
import { Listing, type Offer, offerOf, overridden } from './offers.ts'
import { pricedModel } from './prices.ts'
import { SANDBOX_ID, sandboxModels } from './sandbox-models.ts'

/** Prices can depend on the time of day: an index older than this is made anew. */
const INDEX_LIFE_MS = 60_000

export interface Route {
  /** In the order in which they are tried: the model's providers, then its fallbacks'. Never empty. */
  offers: readonly Offer[]
}

type Index = ReadonlyMap<string, readonly Offer[]>

export class Catalog {
  readonly #store: Store
  readonly #clock: Clock
  readonly #providers: ProviderBook
  readonly #listings = new Map<string, Map<string, Listing>>()
  readonly #overrides = new Map<string, ModelOverride>()
  #index: { offers: Index; madeAt: number } | null = null

  constructor(
    store: Store,
    clock: Clock,
    providers: ProviderBook,
    models: readonly StoredProviderModel[],
    overrides: readonly StoredModelOverride[],
  ) {
    this.#store = store
    this.#clock = clock
    this.#providers = providers
    for (const { id, override } of overrides) this.#overrides.set(id, override)
    for (const { providerId, modelId, info } of models) {
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

  list(): ModelRecord[] {
    return [...this.#offers().keys()].sort().map((id) => this.#record(id))
  }

  /** Throws 404. */
  get(id: string): ModelRecord {
    if (this.#offersFor(id).length === 0) throw this.#unknown(id)
    return this.#record(id)
  }

  knows(id: string): boolean {
    return this.#offersFor(id).length > 0
  }

  /** Who serves the model, in order. Throws 404. */
  route(id: string): Route {
    const offers: Offer[] = []
    const seen = new Set<string>()
    const visit = (modelId: string): void => {
      if (seen.has(modelId)) return
      seen.add(modelId)
      offers.push(...this.#offersFor(modelId))
      for (const fallback of this.#overrides.get(modelId)?.fallbacks ?? []) visit(fallback)
    }
    visit(id)
    if (offers.length === 0) throw this.#unknown(id)
    return { offers }
  }

  /** Adds or overrides a model. Throws 400 for an unknown provider, a new model without one, or fallbacks that cannot be. */
  async put(id: string, override: ModelOverride): Promise<ModelRecord> {
    if (override.provider !== undefined && !this.#providers.isConfigured(override.provider)) {
      throw invalidRequest(`There is no provider "${override.provider}". Add it first.`, {
        param: 'provider',
      })
    }
    if (override.provider === undefined && this.#offersFor(id).length === 0) {
      throw invalidRequest(`"${id}" is not offered by any provider yet: say which provider serves it.`, {
        param: 'provider',
      })
    }
    checkFallbacks(id, override.fallbacks ?? [], {
      resolves: (model) => this.knows(model) || this.#overrides.has(model),
      fallbacksOf: (model) => this.#overrides.get(model)?.fallbacks ?? [],
    })
    await this.#store.write('putModelOverride', { id, override, updatedAt: this.#clock.now() })
    this.#overrides.set(id, override)
    this.invalidate()
    return this.get(id)
  }

  /** Throws 404 when there is no override. */
  async dropOverride(id: string): Promise<void> {
    if (!this.#overrides.has(id)) throw notFound(`There is no override of "${id}".`)
    await this.#store.write('deleteModelOverride', id)
    this.#overrides.delete(id)
    this.invalidate()
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
      this.#index = { offers: this.#build(), madeAt: now }
    return this.#index.offers
  }

  #build(): Index {
    const index = new Map<string, Offer[]>()
    const add = (id: string, offer: Offer) => index.set(id, [...(index.get(id) ?? []), offer])
    const now = new Date(this.#clock.now())
    for (const provider of this.#providers.enabled()) {
      for (const [modelId, listing] of this.#listings.get(provider.id) ?? []) {
        const override = this.#overrides.get(modelId)
        if (override?.provider !== undefined && override.provider !== provider.id) continue
        add(modelId, overridden(offerOf(provider, modelId, listing, now), override ?? null))
      }
    }
    for (const [id, override] of this.#overrides) {
      const provider = override.provider === undefined ? null : this.#providers.enabledOne(override.provider)
      if (!provider || index.has(id)) continue
      const upstream = override.upstreamModel ?? id
      const listing = this.#listings.get(provider.id)?.get(upstream) ?? {}
      add(id, { ...overridden(offerOf(provider, upstream, listing, now), override), id })
    }
    return index
  }

  /** The offers of an id as clients write it: plain, or `provider/id`, which pins the provider. */
  #offersFor(id: string): readonly Offer[] {
    const offers = this.#offers()
    const slash = id.indexOf('/')
    const provider = slash === -1 ? null : this.#providers.enabledOne(id.slice(0, slash))
    if (provider) {
      const modelId = id.slice(slash + 1)
      const pinned = (offers.get(modelId) ?? []).filter((offer) => offer.providerId === provider.id)
      if (pinned.length > 0) return pinned
      const listing = this.#listings.get(provider.id)?.get(modelId)
      // A provider whose list could not be read yet is taken at the user's word.
      if (listing || (provider.wire !== 'sandbox' && provider.modelsFetchedAt === null && modelId !== '')) {
        return [offerOf(provider, modelId, listing ?? {}, new Date(this.#clock.now()))]
      }
    }
    return offers.get(id) ?? []
  }

  #record(id: string): ModelRecord {
    const offers = this.#offersFor(id)
    const [first] = offers
    if (!first) throw this.#unknown(id)
    const override = this.#overrides.get(id)
    return {
      id,
      object: 'model',
      type: 'model',
      created: first.created,
      created_at: new Date(first.created * 1000).toISOString(),
      owned_by: first.providerId,
      name: first.name,
      display_name: first.name,
      provider: first.providerId,
      providers: [...new Set(offers.map((offer) => offer.providerId))],
      contextWindow: first.contextWindow,
      maxOutputTokens: first.maxOutputTokens,
      pricing: first.price?.pricing ?? null,
      priceOrigin: first.price?.origin ?? null,
      capabilities: [...first.capabilities],
      fallbacks: override?.fallbacks ?? [],
      overridden: override !== undefined,
      override: override ?? null,
    }
  }

  #unknown(id: string): GatewayError {
    const now = new Date(this.#clock.now())
    const vendor = knownProviders.find(
      (row) =>
        row.priceId !== undefined && !this.#providers.enabledOne(row.id) && pricedModel(row.priceId, id, now),
    )
    const hint = vendor
      ? `It is a model of ${vendor.name}: set up ${vendor.name} under Providers to use it.`
      : 'See GET /v1/models for what can be served now.'
    return new GatewayError({
      status: 404,
      type: 'not_found_error',
      message: `There is no model "${id}". ${hint}`,
      code: 'model_not_found',
      param: 'model',
    })
  }
}
