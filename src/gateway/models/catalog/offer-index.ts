import type { Clock } from '../../platform/clock.ts'
import type { ModelSources, OfferSources } from './offer-sources.ts'
import { createOffer, type Offer } from './offers.ts'
import type { PriceDatabase } from './price-database.ts'

/** Prices can depend on the time of day: older offers are created anew. */
const MAX_AGE_MS = 60_000
/** While the list of a provider could not be read, clients choose the ids: the number of kept ones needs a limit. */
const MAX_IDS = 10_000

/** The offers of the ids that were asked for. */
interface Created {
  from: OfferSources
  at: number
  offers: Map<string, readonly Offer[]>
  routes: Map<string, readonly Offer[]>
}

/**
 * The offers by the model ids that clients use. They are created when they are first asked for: to look up the prices of all
 * models would take a tenth of a second.
 */
export class OfferIndex {
  readonly #clock: Clock
  readonly #sources: ModelSources
  readonly #prices: PriceDatabase
  #created: Created | null = null

  constructor({ clock, prices }: { clock: Clock; prices: PriceDatabase }, sources: ModelSources) {
    this.#clock = clock
    this.#sources = sources
    this.#prices = prices
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
      const now = new Date(this.#clock.now())
      found = this.#sources.find(id).map((source) => createOffer(source, this.#prices, now))
      keep(offers, id, found)
    }
    return found
  }

  /** The offers of the model and then those of its fallbacks, without disabled ones; none if the model is disabled. */
  routeOf(id: string): readonly Offer[] {
    const { routes } = this.#current()
    let found = routes.get(id)
    if (!found) {
      const isEnabled = (model: string) => !this.#sources.isDisabled(model)
      const models = isEnabled(id) ? [...this.#withFallbacks(id)] : []
      found = models.filter(isEnabled).flatMap((model) => this.offersFor(model))
      keep(routes, id, found)
    }
    return found
  }

  #withFallbacks(id: string, seen = new Set<string>()): ReadonlySet<string> {
    if (seen.has(id)) return seen
    seen.add(id)
    for (const fallback of this.#sources.override(id)?.fallbacks ?? []) this.#withFallbacks(fallback, seen)
    return seen
  }

  #current(): Created {
    const now = this.#clock.monotonic()
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
