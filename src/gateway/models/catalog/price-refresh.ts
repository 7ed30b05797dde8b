import {
  calcPrice,
  findProvider,
  type MatchLogic,
  type ModelInfo,
  type Provider,
  REMOTE_DATA_JSON_URL,
} from '@pydantic/genai-prices'
import { z } from 'zod'
import { MAX_PER_MILLION } from '../../../shared/api/models.ts'
import type { PriceStatus } from '../../../shared/api/pricing.ts'
import { errorMessage } from '../../../shared/values/text.ts'
import { UpstreamFailure } from '../../formats/chat/failure.ts'
import { parseJson } from '../../formats/json/json.ts'
import type { Clock } from '../../platform/clock.ts'
import { GatewayError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import type { Store } from '../../store/store.ts'
import type { UpstreamPool } from '../../upstream/connection-pool.ts'
import { toUpstreamFailure } from '../../upstream/network-failure.ts'
import { readText, sendRequest } from '../../upstream/upstream-response.ts'
import { Watchdog } from '../../upstream/watchdog.ts'
import { knownProviders } from '../providers/known-providers.ts'
import { modelDataFile } from './model-data.ts'
import type { PriceDatabase } from './price-database.ts'

const SETTING = 'prices'
const CONNECT_MS = 10_000
const FETCH_MS = 30_000
const MAX_BYTES = 8 * 1024 * 1024

interface PriceRefreshDeps {
  store: Store
  clock: Clock
  pool: UpstreamPool
  database: PriceDatabase
  log: Log
  /** Called when the prices changed. */
  changed: () => void
  /** The value that an earlier run stored. It is ignored when the shipped prices are newer. */
  stored: unknown
  url?: string | undefined
}

export class PriceRefresh {
  readonly #deps: PriceRefreshDeps
  readonly #url: string

  constructor(deps: PriceRefreshDeps) {
    this.#deps = deps
    this.#url = deps.url ?? REMOTE_DATA_JSON_URL
    const stored = StoredPrices.safeParse(deps.stored)
    if (!stored.success || stored.data.asOf < modelDataFile.sources.prices.asOf) return
    try {
      deps.database.replace(readPrices(stored.data.data), stored.data.asOf)
    } catch (error) {
      deps.log.warn(`The prices fetched on ${stored.data.asOf} can no longer be used: ${errorMessage(error)}`)
    }
  }

  status(): Promise<PriceStatus> {
    return this.#deps.database.status(this.#deps.clock.now())
  }

  /**
   * Returns how many models got another price, too. Throws 502 with the reason when the prices cannot be fetched or are
   * invalid; the old ones stay.
   */
  async refresh(): Promise<{ status: PriceStatus; changedModels: number }> {
    const asOf = new Date(this.#deps.clock.now()).toISOString().slice(0, 10)
    const { data, providers } = await this.#fetchPrices()
    // Stored before they are used, so that prices do not change back at the next start.
    await this.#deps.store.write('putSettings', [{ name: SETTING, value: { asOf, data } }])
    const changedModels = await this.#deps.database.countChanges(providers)
    this.#deps.database.replace(providers, asOf)
    this.#deps.changed()
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
    const headers = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'tollgate' }
    const call = { method: 'GET', url: this.#url, headers, body: null, connectTimeoutMs: CONNECT_MS } as const
    try {
      const reply = await sendRequest(call, this.#deps.pool, watchdog)
      if (reply.status === 200) return await readText(reply, MAX_BYTES, watchdog)
      reply.destroy()
      const message = `The server responded with status ${reply.status}.`
      throw new UpstreamFailure({ kind: 'status', status: reply.status, message })
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

// Validates price data that was fetched, in the format of the price package.

const Amount = z.number().nonnegative().max(MAX_PER_MILLION)
const Tier = z.object({ start: z.number().nonnegative(), price: Amount })
const Prices = z.record(
  z.string(),
  z.union([Amount, z.object({ base: Amount, tiers: z.array(Tier).max(20) })]),
)
const Text = z.string().max(500)
/** Those of the package have two. A search through an id of a client takes milliseconds with three. */
const MAX_VARIABLE_PARTS = 3

/** Whether a pattern has no repeated group, and few parts of variable length, so that no id makes its search slow. */
function isFastPattern(pattern: string): boolean {
  const plain = pattern
    .replace(/\\./gs, 'x')
    .replace(/\[[^\]]*\]/g, 'x')
    .replace(/\(\?(?:[:=!]|<[=!])/g, '(')
  const variable = plain.match(/[*+?]|\{\d+,\d*\}/g) ?? []
  return !/\)[*+{]/.test(plain) && variable.length <= MAX_VARIABLE_PARTS
}

const Match: z.ZodType<MatchLogic> = z.lazy(() =>
  z.union([
    z.strictObject({ or: z.array(Match).max(500) }),
    z.strictObject({ and: z.array(Match).max(500) }),
    z.strictObject({ equals: Text }),
    z.strictObject({ starts_with: Text }),
    z.strictObject({ ends_with: Text }),
    z.strictObject({ contains: Text }),
    z.strictObject({ regex: Text.refine(isFastPattern) }),
  ]),
)
const Constraint = z.union([
  z.object({ type: z.literal('start_date').default('start_date'), start_date: z.iso.date() }),
  z.object({ type: z.literal('time_of_date').default('time_of_date'), start_time: Text, end_time: Text }),
])
const Model = z.object({
  id: z.string().min(1).max(200),
  name: Text.exactOptional(),
  context_window: z.number().exactOptional(),
  match: Match,
  prices: z.union([
    z.array(z.object({ constraint: Constraint.exactOptional(), prices: Prices })).min(1),
    Prices,
  ]),
})
/** The part of the package's format that prices need. */
const Data: z.ZodType<Provider[]> = z
  .array(
    z.object({
      id: z.string(),
      name: z.string(),
      api_pattern: Text,
      model_match: Match.exactOptional(),
      provider_match: Match.exactOptional(),
      fallback_model_providers: z.array(z.string()).exactOptional(),
      models: z.array(Model).max(5_000),
    }),
  )
  .max(500)

const StoredPrices = z.object({ asOf: z.iso.date(), data: z.unknown() })

/**
 * Parses `data`, the parsed JSON of the package's format. Throws an Error with a sentence for the user when it is invalid
 * or lacks a provider that the package came with.
 */
function readPrices(data: unknown): Provider[] {
  const parsed = Data.safeParse(data)
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.join('.') ?? ''
    throw new Error(`The price data has an unexpected format${path ? ` (at ${path})` : ''}.`)
  }
  for (const { priceId, name } of knownProviders) {
    if (priceId === undefined) continue
    const provider = parsed.data.find(({ id }) => id === priceId)
    if (!provider || provider.models.length === 0) throw new Error(`The price data has no models of ${name}.`)
    // The package throws for prices that contradict each other.
    for (const { id } of provider.models) calcPrice({ input_tokens: 1, output_tokens: 1 }, id, { provider })
  }
  return parsed.data.map((provider) => ({ ...provider, models: provider.models.map(keepPaid(provider.id)) }))
}

/** A model that costs something in the package keeps those prices where the data would make it free, as caps could not stop it. */
function keepPaid(vendor: string): (model: ModelInfo) => ModelInfo {
  const shipped = new Map(findProvider({ providerId: vendor })?.models.map(({ id, prices }) => [id, prices]))
  return (model) => {
    const prices = shipped.get(model.id)
    const isLost = (name: string) => prices && hasPrice(prices, name) && !hasPrice(model.prices, name)
    return prices && ['input_mtok', 'output_mtok'].some(isLost) ? { ...model, prices } : model
  }
}

function hasPrice(prices: ModelInfo['prices'], name: string): boolean {
  if (Array.isArray(prices)) return prices.some((each) => hasPrice(each.prices, name))
  const rate = prices[name] ?? 0
  return typeof rate === 'number' ? rate > 0 : rate.base > 0 || rate.tiers.some(({ price }) => price > 0)
}
