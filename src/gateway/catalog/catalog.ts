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
import type { PriceDatabase } from './price-database.ts'

export interface Route {
  /** In the order in which they are tried: those of the model, then those of its fallbacks. Never empty. */
  offers: readonly Offer[]
}

interface CatalogDeps {
  store: Store
  clock: Clock
  events: EventHub
  providers: ProviderRegistry
  prices: PriceDatabase
  /** As stored. */
  models: readonly StoredProviderModel[]
  /** As stored. */
  overrides: readonly StoredModelOverride[]
}

/** The models that can be used, their providers in order, and the user's overrides. */
export class Catalog {
  readonly #store: Store
  readonly #clock: Clock
  readonly #events: EventHub
  readonly #providers: ProviderRegistry
  readonly #prices: PriceDatabase
  readonly #index: OfferIndex
  readonly #changes = new SerialQueue()

  constructor(deps: CatalogDeps) {
    this.#store = deps.store
    this.#clock = deps.clock
    this.#events = deps.events
    this.#providers = deps.providers
    this.#prices = deps.prices
    this.#index = new OfferIndex(deps)
    const { providers } = deps
    providers.onChange(() => this.#index.invalidate())
  }

  /** Discards the built index; called when prices change. */
  invalidate(): void {
    this.#index.invalidate()
  }

  /** Replaces the model list of a provider. */
  setListings(providerId: string, models: readonly { id: string; info: Listing }[]): void {
    this.#index.setListings(providerId, models)
  }

  dropListings(providerId: string): void {
    this.#index.dropListings(providerId)
  }

  modelCount(providerId: string): number {
    return this.#index.modelCount(providerId)
  }

  /** The models that can be used now, and with `withDisabled` those that the user disabled. */
  list(withDisabled = false): ModelRecord[] {
    const ids = this.#index.ids().filter((id) => withDisabled || !this.#index.isDisabled(id))
    return ids.sort().map((id) => this.get(id))
  }

  /** The record of a model, which may be disabled. Throws 404. */
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
      enabled: !this.#index.isDisabled(id),
      overridden: override !== null && changesTheModel(override),
      override,
    }
  }

  /** Whether a provider offers the model, disabled or not. */
  knows(id: string): boolean {
    return this.#index.offersFor(id).length > 0
  }

  /** The offers of the model and its fallbacks, without disabled ones. Throws 404. */
  route(id: string): Route {
    if (this.#index.isDisabled(id)) throw this.knows(id) ? disabledModel(id) : this.#unknown(id)
    const offers: Offer[] = []
    const seen = new Set<string>()
    const visit = (modelId: string): void => {
      if (seen.has(modelId)) return
      seen.add(modelId)
      if (!this.#index.isDisabled(modelId)) offers.push(...this.#index.offersFor(modelId))
      for (const fallback of this.#index.override(modelId)?.fallbacks ?? []) visit(fallback)
    }
    visit(id)
    if (offers.length === 0) throw this.#unknown(id)
    return { offers }
  }

  /**
   * Adds or overrides a model. Throws 400 for a provider that is unknown or disabled, a new model without one, or
   * invalid fallbacks.
   */
  put(id: string, override: ModelOverride): Promise<ModelRecord> {
    // One after the other: two changes that are valid alone could make a cycle of fallbacks together.
    return this.#changes.run(async () => {
      const { provider } = override
      if (provider !== undefined && !this.#providers.isConfigured(provider)) {
        throw invalidRequest(`There is no provider "${provider}". Add it first.`, { param: 'provider' })
      }
      requireModelId(id)
      if (!this.#index.wouldBeOffered(id, override)) throw notOffered(id, provider)
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
    const off = this.#index.disabledProviderOf(id)
    if (off) return modelOfDisabledProvider(id, off)
    return unknownModel(id, this.#providers, this.#prices, new Date(this.#clock.now()))
  }
}

function requireModelId(id: string): void {
  const parsed = ModelId.safeParse(id)
  if (!parsed.success)
    throw invalidRequest(`The id of a model ${parsed.error.issues[0]?.message}.`, { param: 'id' })
}

function notOffered(id: string, provider: string | undefined): GatewayError {
  const reason =
    provider === undefined
      ? `No provider offers "${id}" yet: name the provider that serves it.`
      : `The provider "${provider}" is disabled. Enable it first.`
  return invalidRequest(reason, { param: 'provider' })
}

/** An override that only enables or disables the model changes nothing else. */
function changesTheModel({ enabled: _, ...rest }: ModelOverride): boolean {
  return Object.values(rest).some((value) => value !== undefined)
}
