// Owns the refreshing of prices when the user asks for it, and the keeping of what was fetched. Knows no vendor.

import { errorMessage } from '../../shared/error-message.ts'
import type { PriceStatus } from '../../shared/pricing.ts'
import { parseJson } from '../formats/json.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import type { Clock } from '../platform/clock.ts'
import { GatewayError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { Store } from '../store/store.ts'
import type { UpstreamPool } from '../upstream/connection-pool.ts'
import { readText, sendRequest } from '../upstream/exchange.ts'
import { toUpstreamFailure } from '../upstream/network-failure.ts'
import { Watchdog } from '../upstream/watchdog.ts'
import { applyPrices, BUNDLED, PRICE_DATA_URL, priceStatus, readPrices, StoredPrices } from './price-data.ts'

const SETTING = 'prices'
const CONNECT_MS = 10_000
const FETCH_MS = 30_000
const MAX_BYTES = 8 * 1024 * 1024

export class PriceRefresh {
  readonly #store: Store
  readonly #clock: Clock
  readonly #pool: UpstreamPool
  readonly #url: string
  /** Called when other prices are in use; the catalogue forgets what it derived. */
  readonly #changed: () => void

  /** `stored` is what an earlier run kept. What this version came with wins over it when it is newer. */
  constructor(deps: {
    store: Store
    clock: Clock
    pool: UpstreamPool
    log: Log
    changed: () => void
    stored: unknown
    url?: string | undefined
  }) {
    this.#store = deps.store
    this.#clock = deps.clock
    this.#pool = deps.pool
    this.#url = deps.url ?? PRICE_DATA_URL
    this.#changed = deps.changed
    const kept = StoredPrices.safeParse(deps.stored)
    if (!kept.success || kept.data.asOf < BUNDLED.asOf) return
    try {
      applyPrices(readPrices(kept.data.data), kept.data.asOf)
    } catch (error) {
      deps.log.warn(`The prices fetched on ${kept.data.asOf} cannot be used any more: ${errorMessage(error)}`)
    }
  }

  status(): Promise<PriceStatus> {
    return priceStatus(this.#clock.now())
  }

  /** Throws 502 with the reason when the prices cannot be fetched or are not sound; the old ones stay. */
  async refresh(): Promise<PriceStatus> {
    const asOf = new Date(this.#clock.now()).toISOString().slice(0, 10)
    const { data, providers } = await this.#fetched()
    // First durable, then in use: what is charged must not change back at the next start.
    await this.#store.write('putSettings', [{ name: SETTING, value: { asOf, data } }])
    applyPrices(providers, asOf)
    this.#changed()
    return this.status()
  }

  async #fetched() {
    try {
      const data = parseJson(await this.#fetch())
      return { data, providers: readPrices(data) }
    } catch (error) {
      throw new GatewayError({
        status: 502,
        type: 'upstream_error',
        code: 'prices_unavailable',
        message: `The prices could not be refreshed, the ones in use stay: ${errorMessage(error)}`,
      })
    }
  }

  async #fetch(): Promise<string> {
    const watchdog = new Watchdog(new AbortController().signal, FETCH_MS)
    try {
      const headers = {
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'tollgate',
      }
      const call = {
        method: 'GET',
        url: this.#url,
        headers,
        body: null,
        connectTimeoutMs: CONNECT_MS,
      } as const
      const reply = await sendRequest(call, this.#pool, watchdog)
      if (reply.status !== 200) {
        reply.body.destroy()
        throw new UpstreamFailure({
          kind: 'status',
          status: reply.status,
          message: `The server answered with status ${reply.status}.`,
        })
      }
      return await readText(reply.body, MAX_BYTES, watchdog)
    } catch (error) {
      throw toUpstreamFailure(error, watchdog)
    } finally {
      watchdog.dispose()
    }
  }
}
