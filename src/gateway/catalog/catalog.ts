// Owns the catalogue: which models can be served now, by whom, in which order, and the user's word on each. Makes routes;
// calls nobody.
import { ModelId, type ModelOverride, type ModelRecord } from '../../shared/models.ts'
import type { Clock } from '../platform/clock.ts'
import { type GatewayError, invalidRequest, notFound } from '../platform/errors.ts'
import type { EventHub } from '../platform/events.ts'
import { SerialQueue } from '../platform/serial-queue.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import type { Store, StoredModelOverride, StoredProviderModel } from '../store/store.ts'
import { checkFallbacks } from './fallbacks.ts'
import { disabledModel, modelOfDisabledProvider, unknownModel } from './model-not-found.ts'
import { OfferIndex } from './offer-index.ts'
import type { Listing, Offer } from './offers.ts'

export interface Route {
  /** In the order in which they are tried: the model's providers, then its fallbacks'. Never empty. */
  offers: readonly Offer[]
}

export class Catalog {
  readonly #store: Store
  readonly #clock: Clock
  readonly #events: EventHub
  readonly #providers: ProviderRegistry
  readonly #index: OfferIndex
  readonly #changes = new SerialQueue()

  constructor(
    store: Store,
    clock: Clock,
    events: EventHub,
    providers: ProviderRegistry,
    models: readonly StoredProviderModel[],
    overrides: readonly StoredModelOverride[],
  ) {
    this.#store = store
    this.#clock = clock
    this.#events = events
    this.#providers = providers
    this.#index = new OfferIndex(clock, providers, models, overrides)
    providers.onChange(() => this.#index.invalidate())
  }

  /** Forgets what was derived; called when prices change. */
  invalidate(): void {
    this.#index.invalidate()
  }

  /** Puts a provider's freshly read list in place. */
  setListings(providerId: string, models: readonly { id: string; info: Listing }[]): void {
    this.#index.setListings(providerId, models)
  }

  dropListings(providerId: string): void {
    this.#index.dropListings(providerId)
  }

  modelCount(providerId: string): number {
    return this.#index.modelCount(providerId)
  }

  /** What can be served now; `withDisabled`: also what could be if the user had not turned it off. */
  list(withDisabled = false): ModelRecord[] {
    const ids = this.#index.ids().filter((id) => withDisabled || !this.#index.isOff(id))
    return ids.sort().map((id) => this.get(id))
  }

  /** A model's record, also of one that is turned off: it says so. Throws 404. */
  get(id: string): ModelRecord {
    const offers = this.#index.offersFor(id)
    const [first] = offers
    if (!first) throw this.#unknown(id)
    const override = this.#index.override(id)
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
      enabled: !this.#index.isOff(id),
      overridden: override !== null && changesTheModel(override),
      override,
    }
  }

  /** Whether anybody offers the model, be it turned off or not. */
  knows(id: string): boolean {
    return this.#index.offersFor(id).length > 0
  }

  /** Who serves the model, in order; what is turned off serves nobody. Throws 404. */
  route(id: string): Route {
    if (this.#index.isOff(id)) throw this.knows(id) ? disabledModel(id) : this.#unknown(id)
    const offers: Offer[] = []
    const seen = new Set<string>()
    const visit = (modelId: string): void => {
      if (seen.has(modelId)) return
      seen.add(modelId)
      if (!this.#index.isOff(modelId)) offers.push(...this.#index.offersFor(modelId))
      for (const fallback of this.#index.override(modelId)?.fallbacks ?? []) visit(fallback)
    }
    visit(id)
    if (offers.length === 0) throw this.#unknown(id)
    return { offers }
  }

  /**
   * Adds or overrides a model. Throws 400 for a provider that is unknown or turned off, a new model without one, or
   * fallbacks that cannot be.
   */
  put(id: string, override: ModelOverride): Promise<ModelRecord> {
    // One after the other: two that are fine by themselves could make a circle of fallbacks together.
    return this.#changes.run(async () => {
      const { provider } = override
      if (provider !== undefined && !this.#providers.isConfigured(provider)) {
        throw invalidRequest(`There is no provider "${provider}". Add it first.`, { param: 'provider' })
      }
      refuseOddModelId(id)
      if (!this.#index.wouldBeOffered(id, override)) throw unoffered(id, provider)
      checkFallbacks(id, override.fallbacks ?? [], {
        resolves: (model) => this.knows(model) || this.#index.override(model) !== null,
        fallbacksOf: (model) => this.#index.override(model)?.fallbacks ?? [],
      })
      await this.#store.write('putModelOverride', { id, override, updatedAt: this.#clock.now() })
      this.#override(id, override)
      return this.get(id)
    })
  }

  /** Throws 404 when there is no override. */
  dropOverride(id: string): Promise<void> {
    return this.#changes.run(async () => {
      if (!this.#index.override(id)) throw notFound(`There is no override of "${id}".`)
      await this.#store.write('deleteModelOverride', id)
      this.#override(id, null)
    })
  }

  #override(id: string, override: ModelOverride | null): void {
    this.#index.setOverride(id, override)
    this.#events.publish(() => ({ type: 'providers' }))
  }

  #unknown(id: string): GatewayError {
    const off = this.#index.turnedOffProviderOf(id)
    if (off) return modelOfDisabledProvider(id, off)
    return unknownModel(id, this.#providers, new Date(this.#clock.now()))
  }
}

function refuseOddModelId(id: string): void {
  const parsed = ModelId.safeParse(id)
  if (!parsed.success)
    throw invalidRequest(`The id of a model ${parsed.error.issues[0]?.message}.`, { param: 'id' })
}

function unoffered(id: string, provider: string | undefined): GatewayError {
  const reason =
    provider === undefined
      ? `"${id}" is not offered by any provider yet: say which provider serves it.`
      : `The provider "${provider}" is turned off. Turn it on first.`
  return invalidRequest(reason, { param: 'provider' })
}

/** A model that is only turned on or off is otherwise what its provider says. */
function changesTheModel({ enabled: _, ...rest }: ModelOverride): boolean {
  return Object.values(rest).some((value) => value !== undefined)
}
