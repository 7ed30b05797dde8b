import { tokensIn } from '../../../gateway/formats/chat/usage.ts'
import type { Price } from '../../../gateway/models/catalog/price-bands.ts'
import { PriceDatabase } from '../../../gateway/models/catalog/price-database.ts'
import { findVendor, findVendorPrice } from '../../../gateway/models/catalog/price-sources.ts'
import { systemClock } from '../../../gateway/platform/clock.ts'
import { getOrCreate } from '../../../gateway/platform/maps.ts'
import { costOfSums, isStated } from '../../../gateway/spend/cost.ts'
import type { HistoryTool } from '../../../shared/api/history-tools.ts'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import type { ImportedCall } from './imported-rows.ts'
import type { UsageRow } from './readers/reader.ts'

/** The provider of tools that have one of their own, by the gateway's name. */
const VENDORS: Partial<Record<HistoryTool, string>> = {
  'claude-code': 'anthropic',
  codex: 'openai',
  gemini: 'gemini',
}
/** Names of providers that tools use, where the gateway's is another. */
const NAMES: Readonly<Record<string, string>> = { google: 'gemini' }

/** Some prices depend on the time of day. */
const HOUR_MS = 3_600_000

interface DatedPrice {
  price: Price
  /** `day` for the price of the call's day, where the list has others for other days; else the day of the list. */
  of: string
}

interface ListCost extends Pick<DatedPrice, 'of'> {
  nano: number
}

/** List prices of the calls in logs. */
export class HistoryPrices {
  readonly #database = new PriceDatabase()
  readonly #vendors = new Map<string, string | null>()
  readonly #prices = new Map<string, DatedPrice | null>()
  readonly #now = new Date(systemClock.now())

  /** The cost of a row at the list price of its time; null if no vendor has a price for exactly this model. */
  compute(row: UsageRow): ListCost | null {
    const found = this.#find(row)
    if (found?.price.origin.match !== 'exact') return null
    const usage = { ...NO_USAGE, ...row.tokens, webSearches: row.webSearches }
    const rates = found.price.rates(tokensIn(usage) / row.calls, row.tier ?? undefined)
    if (!isStated(usage, rates)) return null
    return { nano: costOfSums([{ usage, rates, requests: row.calls }], 0), of: found.of }
  }

  #find({ tool, provider, model, time }: UsageRow): DatedPrice | null {
    const hour = new Date(Math.floor(time / HOUR_MS) * HOUR_MS)
    const vendor = getOrCreate(this.#vendors, [tool, provider, model].join(' '), () => {
      const names = [VENDORS[tool], NAMES[provider ?? ''] ?? provider, null]
      return (
        names
          .flatMap((name) => (name === undefined ? [] : [findVendor(model, this.#database, hour, name)]))
          .find((found) => found !== null)?.priceId ?? null
      )
    })
    if (vendor === null) return null
    return getOrCreate(this.#prices, [vendor, model, hour.getTime()].join(' '), () => {
      const price = findVendorPrice(this.#database, vendor, model, hour)
      if (price === null) return null
      const latest = findVendorPrice(this.#database, vendor, model, this.#now)
      const isDated = JSON.stringify(latest?.bands) !== JSON.stringify(price.bands)
      return { price, of: isDated ? 'day' : (price.origin.asOf ?? 'day') }
    })
  }
}

/** The call as it is stored. */
export function priceCall(row: UsageRow, prices: HistoryPrices): ImportedCall {
  const { tokens, time, original, repeats, unsplitWrites = false, ...call } = row
  const cost = prices.compute(row)
  return {
    ...call,
    ...tokens,
    createdAt: time,
    isSplit: !unsplitWrites,
    costNano: cost?.nano ?? null,
    priceOf: cost?.of ?? null,
    content: original ?? repeats ?? null,
  }
}
