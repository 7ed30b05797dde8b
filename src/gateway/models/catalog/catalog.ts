import { ModelId, type ModelOverride, type ModelRecord } from '../../../shared/api/models.ts'
import type { PriceSuggestion } from '../../../shared/api/pricing.ts'
import { isChatModel } from '../../../shared/api/terms.ts'
import type { Clock } from '../../platform/clock.ts'
import { type GatewayError, invalidRequest, notFound } from '../../platform/errors.ts'
import type { EventHub } from '../../platform/events.ts'
import { SerialQueue } from '../../platform/wait.ts'
import type { Store, StoredModelOverride, StoredProviderModel } from '../../store/store.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import { disabledModel, modelOfDisabledProvider, unknownModel } from './model-not-found.ts'
import { createUnlisted, ModelSources, type OfferSource, type OfferSources } from './model-sources.ts'
import { createOffer, type Offer } from './offers.ts'
import type { PriceDatabase } from './price-database.ts'
import { findVendor, suggestPrice } from './price-sources.ts'

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
  models: readonly StoredProviderModel[]
  overrides: readonly StoredModelOverride[]
}

/** The models that can be used, their providers in order, and the user's overrides. */
export class Catalog {
  readonly #deps: CatalogDeps
  readonly sources: ModelSources
  readonly #offers: OfferIndex
  readonly #changes = new SerialQueue()

  constructor(deps: CatalogDeps) {
    this.#deps = deps
    this.sources = new ModelSources(deps)
    this.#offers = new OfferIndex(deps, this.sources)
  }

  /** Discards all offers; called when prices change. */
  invalidate(): void {
    this.#offers.invalidate()
  }

  /** The models that can be used now, and with `withDisabled` those that the user disabled. */
  list(withDisabled = false): ModelRecord[] {
    const ids = [...this.sources.all().keys()].filter((id) => withDisabled || !this.sources.isDisabled(id))
    return ids.sort().map((id) => this.get(id))
  }

  /** The offer that is tried first, for each enabled model that chats. */
  chatOffers(): Offer[] {
    return [...this.sources.all().keys()].sort().flatMap((id) => {
      const [first] = this.sources.isDisabled(id) ? [] : this.#offers.offersFor(id)
      return first && isChatModel(first) ? [first] : []
    })
  }

  /** The record of a model, which may be disabled. Throws 404. */
  get(id: string): ModelRecord {
    const offers = this.#offers.offersFor(id)
    const [first] = offers
    if (!first) throw this.#unknown(id)
    const override = this.sources.override(id)
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
      capabilitiesKnown: first.capabilitiesKnown,
      retirement: first.retirement,
      fallbacks: override?.fallbacks ?? [],
      enabled: !this.sources.isDisabled(id),
      overridden: override !== null && changesTheModel(override),
      override,
    }
  }

  /** The prices of known providers for models whose price is unknown, disabled models included. */
  suggestPrices(): PriceSuggestion[] {
    const now = new Date(this.#deps.clock.now())
    return [...this.sources.all().keys()].sort().flatMap((model) => {
      const [first] = this.#offers.offersFor(model)
      if (!first || first.price) return []
      const found = suggestPrice(first.vendorModel, this.#deps.prices, now)
      return found ? [{ model, ...found }] : []
    })
  }

  /** Whether a provider is known to offer the model, disabled or not. */
  knows(id: string): boolean {
    return this.sources.find(id).length > 0
  }

  /** The offers of the model and its fallbacks, without disabled ones. Throws 404. */
  route(id: string): Route {
    const offers = this.#offers.getRoute(id)
    if (offers.length > 0) return { offers }
    throw this.sources.isDisabled(id) && this.knows(id) ? disabledModel(id) : this.#unknown(id)
  }

  /**
   * Adds or overrides a model. Throws 400 for a provider that is unknown or disabled, a new model without one, or
   * invalid fallbacks.
   */
  put(id: string, override: ModelOverride): Promise<ModelRecord> {
    // One after the other: two changes that are valid alone could make a cycle of fallbacks together.
    return this.#changes.run(async () => {
      const { provider } = override
      if (provider !== undefined && !this.#deps.providers.isConfigured(provider)) {
        throw invalidRequest(`There is no provider "${provider}". Add it first.`, { param: 'provider' })
      }
      requireModelId(id)
      if (!this.sources.wouldBeOffered(id, override)) throw notOffered(id, provider)
      checkFallbacks(id, override.fallbacks ?? [], {
        resolves: (model) =>
          this.#offers.offersFor(model).length > 0 || this.sources.override(model) !== null,
        listFallbacks: (model) => this.sources.override(model)?.fallbacks ?? [],
      })
      await this.#deps.store.write('putModelOverride', { id, override, updatedAt: this.#deps.clock.now() })
      this.#override(id, override)
      return this.get(id)
    })
  }

  /** Throws 404 when there is no override. */
  dropOverride(id: string): Promise<void> {
    return this.#changes.run(async () => {
      if (!this.sources.override(id)) throw notFound(`There is no override of "${id}".`)
      await this.#deps.store.write('deleteModelOverride', id)
      this.#override(id, null)
    })
  }

  #override(id: string, override: ModelOverride | null): void {
    this.sources.setOverride(id, override)
    this.#deps.events.publish('providers', () => ({ type: 'providers' }))
  }

  #unknown(id: string): GatewayError {
    const off = this.sources.findDisabledProvider(id)
    if (off) return modelOfDisabledProvider(id, off)
    return unknownModel(id, {
      providers: this.#deps.providers,
      prices: this.#deps.prices,
      now: new Date(this.#deps.clock.now()),
      ids: this.sources
        .all()
        .keys()
        .filter((other) => !this.sources.isDisabled(other)),
    })
  }
}

/** Prices can depend on the time of day: older offers are created again. */
const MAX_AGE_MS = 60_000
/** While the list of a provider could not be read, clients choose the ids: the number of kept ones needs a limit. */
const MAX_IDS = 10_000

/** The offers of the ids that were asked for. */
interface CreatedOffers {
  from: OfferSources
  at: number
  offers: Map<string, readonly Offer[]>
  routes: Map<string, readonly Offer[]>
}

/**
 * The offers by the model ids that clients use. They are created when they are first asked for: to look up the prices of all
 * models would take a tenth of a second.
 */
class OfferIndex {
  readonly #deps: { clock: Clock; prices: PriceDatabase }
  readonly #sources: ModelSources
  #created: CreatedOffers | null = null

  constructor(deps: { clock: Clock; prices: PriceDatabase }, sources: ModelSources) {
    this.#deps = deps
    this.#sources = sources
  }

  /** Discards all offers; called when prices change. A change of the sources needs no call. */
  invalidate(): void {
    this.#created = null
  }

  /** The offers of an id as clients write it: plain, or `provider/id`, which pins the provider. Includes disabled models. */
  offersFor(id: string): readonly Offer[] {
    const { offers } = this.#current()
    let found = offers.get(id)
    if (!found) {
      const now = new Date(this.#deps.clock.now())
      const known = this.#sources.find(id)
      const sources = known.length > 0 ? known : this.#findUnlisted(id, now)
      found = sources.map((source) => createOffer(source, this.#deps.prices, now))
      keep(offers, id, found)
    }
    return found
  }

  /** A model is one of its vendor's, while the vendor's list could not be read: that is no empty list. */
  #findUnlisted(id: string, now: Date): OfferSource[] {
    const unread = this.#sources.listUnread()
    const vendor = unread.length > 0 ? findVendor(id, this.#deps.prices, now) : null
    return unread.filter((provider) => provider.id === vendor?.id).map((each) => createUnlisted(id, each))
  }

  /** The offers of the model and then those of its fallbacks, without disabled ones; none if the model is disabled. */
  getRoute(id: string): readonly Offer[] {
    const { routes } = this.#current()
    let found = routes.get(id)
    if (!found) {
      const isEnabled = (model: string) => !this.#sources.isDisabled(model)
      const models = isEnabled(id) ? [...this.#collectFallbacks(id)] : []
      found = models.filter(isEnabled).flatMap((model) => this.offersFor(model))
      keep(routes, id, found)
    }
    return found
  }

  #collectFallbacks(id: string, seen = new Set<string>()): ReadonlySet<string> {
    if (seen.has(id)) return seen
    seen.add(id)
    for (const fallback of this.#sources.override(id)?.fallbacks ?? []) this.#collectFallbacks(fallback, seen)
    return seen
  }

  #current(): CreatedOffers {
    const now = this.#deps.clock.monotonic()
    const from = this.#sources.all()
    if (!this.#created || this.#created.from !== from || now - this.#created.at > MAX_AGE_MS)
      this.#created = { from, at: now, offers: new Map(), routes: new Map() }
    return this.#created
  }
}

/** Unknown ids are not kept, because there is no end of them. */
function keep(created: Map<string, readonly Offer[]>, id: string, offers: readonly Offer[]): void {
  if (offers.length === 0) return
  if (created.size >= MAX_IDS) created.clear()
  created.set(id, offers)
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

export interface FallbackGraph {
  /** Whether a provider offers the model, or will once it is enabled. */
  resolves(id: string): boolean
  /** The current fallbacks of the model. */
  listFallbacks(id: string): readonly string[]
}

/** Throws 400 with `param` `fallbacks` for a model that no provider offers, and for a cycle. */
export function checkFallbacks(id: string, fallbacks: readonly string[], graph: FallbackGraph): void {
  const before = graph.listFallbacks(id)
  for (const fallback of fallbacks) {
    if (fallback === id) throw invalidFallbacks('A model cannot be its own fallback.')
    if (!before.includes(fallback) && !graph.resolves(fallback)) {
      throw invalidFallbacks(`The fallback "${fallback}" is not offered by any provider.`)
    }
    const path = findPath(fallback, id, graph)
    if (path) throw invalidFallbacks(`These fallbacks would form a cycle: ${[id, ...path].join(' → ')}.`)
  }
}

/** The shortest path from `from` to `id`, both included; null when there is none. */
function findPath(from: string, id: string, graph: FallbackGraph): string[] | null {
  const seen = new Set([from])
  const paths = [[from]]
  for (const path of paths) {
    for (const next of graph.listFallbacks(path.at(-1) ?? from)) {
      if (next === id) return [...path, id]
      if (seen.has(next)) continue
      seen.add(next)
      paths.push([...path, next])
    }
  }
  return null
}

function invalidFallbacks(message: string): GatewayError {
  return invalidRequest(message, { param: 'fallbacks' })
}
