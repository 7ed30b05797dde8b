import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import type { HistoryTool } from '../../../shared/tools/history-tools.ts'
import { tokensIn } from '../../formats/chat/usage.ts'
import type { Price } from '../../models/catalog/price-bands.ts'
import { PriceDatabase } from '../../models/catalog/price-database.ts'
import { findVendor, findVendorPrice } from '../../models/catalog/price-sources.ts'
import { getOrCreate } from '../../platform/maps.ts'
import { costOfSums, isStated } from '../../spend/cost.ts'
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

/** List prices of the calls in logs. */
export class HistoryPrices {
  readonly #database = new PriceDatabase()
  readonly #vendors = new Map<string, string | null>()
  readonly #prices = new Map<string, Price | null>()

  /** The cost of a row in nano-dollars at the list price of its time; null if no vendor has a price for exactly this model. */
  compute(row: UsageRow): number | null {
    const price = this.#find(row)
    if (price?.origin.match !== 'exact') return null
    const usage = { ...NO_USAGE, ...row.tokens, webSearches: row.webSearches }
    const rates = price.rates(tokensIn(usage) / row.calls, row.tier ?? undefined)
    return isStated(usage, rates) ? costOfSums([{ usage, rates, requests: row.calls }], 0) : null
  }

  #find({ tool, provider, model, time }: UsageRow): Price | null {
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
    return getOrCreate(this.#prices, [vendor, model, hour.getTime()].join(' '), () =>
      findVendorPrice(this.#database, vendor, model, hour),
    )
  }
}
