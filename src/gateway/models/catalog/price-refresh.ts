import { REMOTE_DATA_JSON_URL } from '@pydantic/genai-prices'
import { errorMessage } from '../../../shared/error-message.ts'
import type { PriceStatus } from '../../../shared/pricing.ts'
import { UpstreamFailure } from '../../formats/chat/failure.ts'
import { parseJson } from '../../formats/json/json.ts'
import type { Clock } from '../../platform/clock.ts'
import { GatewayError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import type { Store } from '../../store/store.ts'
import type { UpstreamPool } from '../../upstream/connection-pool.ts'
import { readText, sendRequest } from '../../upstream/exchange.ts'
import { toUpstreamFailure } from '../../upstream/network-failure.ts'
import { Watchdog } from '../../upstream/watchdog.ts'
import { modelDataFile } from './model-data.ts'
import { readPrices, StoredPrices } from './price-data.ts'
import type { PriceDatabase } from './price-database.ts'

const SETTING = 'prices'
const CONNECT_MS = 10_000
const FETCH_MS = 30_000
const MAX_BYTES = 8 * 1024 * 1024

export class PriceRefresh {
  readonly #store: Store
  readonly #clock: Clock
  readonly #pool: UpstreamPool
  readonly #url: string
  readonly #database: PriceDatabase
  /** Called when the prices changed. */
  readonly #changed: () => void

  /** `stored` is what an earlier run stored. It is ignored when the shipped prices are newer. */
  constructor(deps: {
    store: Store
    clock: Clock
    pool: UpstreamPool
    database: PriceDatabase
    log: Log
    changed: () => void
    stored: unknown
    url?: string | undefined
  }) {
    this.#store = deps.store
    this.#clock = deps.clock
    this.#pool = deps.pool
    this.#database = deps.database
    this.#url = deps.url ?? REMOTE_DATA_JSON_URL
    this.#changed = deps.changed
    const stored = StoredPrices.safeParse(deps.stored)
    if (!stored.success || stored.data.asOf < modelDataFile.sources.prices.asOf) return
    try {
      deps.database.replace(readPrices(stored.data.data), stored.data.asOf)
    } catch (error) {
      deps.log.warn(`The prices fetched on ${stored.data.asOf} can no longer be used: ${errorMessage(error)}`)
    }
  }

  status(): Promise<PriceStatus> {
    return this.#database.status(this.#clock.now())
  }

  /**
   * Returns how many models got another price, too. Throws 502 with the reason when the prices cannot be fetched or are
   * invalid; the old ones stay.
   */
  async refresh(): Promise<{ status: PriceStatus; changedModels: number }> {
    const asOf = new Date(this.#clock.now()).toISOString().slice(0, 10)
    const { data, providers } = await this.#fetchPrices()
    // Stored before they are used, so that prices do not change back at the next start.
    await this.#store.write('putSettings', [{ name: SETTING, value: { asOf, data } }])
    const changedModels = await this.#database.countChanges(providers)
    this.#database.replace(providers, asOf)
    this.#changed()
    return { status: await this.status(), changedModels }
  }

  async #fetchPrices() {
    try {
      const data = parseJson(await this.#fetch())
      return { data, providers: readPrices(data) }
    } catch (error) {
      throw new GatewayError({
        status: 502,
        type: 'upstream_error',
        code: 'prices_unavailable',
        message: `The prices could not be refreshed and stay as they were: ${explain(error, this.#url)}`,
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
        reply.destroy()
        throw new UpstreamFailure({
          kind: 'status',
          status: reply.status,
          message: `The server responded with status ${reply.status}.`,
        })
      }
      return await readText(reply, MAX_BYTES, watchdog)
    } catch (error) {
      throw toUpstreamFailure(error, watchdog)
    } finally {
      watchdog.dispose()
    }
  }
}

/** The failures of a connection are written for providers. */
function explain(error: unknown, url: string): string {
  if (!(error instanceof UpstreamFailure) || (error.kind !== 'network' && error.kind !== 'timeout'))
    return errorMessage(error)
  return `${new URL(url).host} could not be reached. Check the internet connection and try again.`
}
