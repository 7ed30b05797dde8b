import {
  calcPrice,
  findProvider,
  type ModelInfo,
  type ModelPrice,
  type PriceCalculation,
  type Provider,
  waitForUpdate,
} from '@pydantic/genai-prices'
import type { PriceOrigin, Pricing } from '../../../shared/api/models.ts'
import type { PriceStatus } from '../../../shared/api/pricing.ts'
import { modelDataFile } from './model-data.ts'
import { createPriceByPrompt, type Price } from './price-bands.ts'

const STALE_AFTER_MS = 60 * 24 * 3_600_000
/** Clients choose some of the ids that are looked up: the number of remembered ones needs a limit. */
const MAX_MATCHES = 10_000

export interface PricedModel {
  price: Price
  name: string | null
  contextWindow: number | null
}

interface Match {
  model: ModelInfo
  /** Null if its price depends on the time. */
  always: PricedModel | null
}

/** The prices of `@pydantic/genai-prices`: those that the package came with, or newer ones that were fetched. */
export class PriceDatabase {
  #refreshed: ReadonlyMap<string, Provider> | null = null
  #refreshedCount = 0
  #source: PriceStatus['source'] = 'package'
  #asOf = modelDataFile.sources.prices.asOf
  /** The match of an id; null for none. A search tries every rule of the provider, and there are hundreds. */
  readonly #matches = new Map<string, Match | null>()

  /** Replaces the prices with those that `readPrices` returned. */
  replace(providers: readonly Provider[], asOf: string): void {
    // The package would look for the models of fallback providers in its own data.
    const refreshed = new Map<string, Provider>()
    for (const { fallback_model_providers: fallbacks = [], ...provider } of providers) {
      const models = providers.filter(({ id }) => fallbacks.includes(id)).flatMap((each) => each.models)
      refreshed.set(provider.id, { ...provider, models: [...provider.models, ...models] })
    }
    this.#refreshed = refreshed
    this.#refreshedCount = countModels(providers)
    this.#source = 'refreshed'
    this.#asOf = asOf
    this.#matches.clear()
  }

  /** How many models have another price in `providers`. */
  async countChanges(providers: readonly Provider[]): Promise<number> {
    const known = this.#refreshed?.values() ?? (await waitForUpdate()) ?? []
    const prices = new Map<string, string>()
    // A vendor's own models come before those of its fallbacks.
    for (const { id, models } of known)
      for (const model of models.toReversed()) prices.set(`${id}/${model.id}`, canonicalJson(model.prices))
    const models = providers.flatMap(({ id, models }) => models.map((model) => ({ vendor: id, ...model })))
    return models.filter((model) => {
      const previousPrice = prices.get(`${model.vendor}/${model.id}`)
      return previousPrice !== undefined && previousPrice !== canonicalJson(model.prices)
    }).length
  }

  /** The price of a vendor's model at a moment, or null. Prices may depend on the time of day. */
  find(vendor: string, modelId: string, at: Date): PricedModel | null {
    const provider = this.#provider(vendor)
    if (!provider) return null
    const key = `${vendor}/${modelId}`
    const cachedMatch = this.#matches.get(key)
    if (cachedMatch === null) return null
    if (cachedMatch?.always) return cachedMatch.always
    const found = calcPrice({ input_tokens: 1, output_tokens: 1 }, modelId, {
      provider: cachedMatch ? { ...provider, models: [cachedMatch.model] } : provider,
      timestamp: at,
    })
    const priced = found && this.#pricedModel(modelId, found)
    if (this.#matches.size >= MAX_MATCHES) this.#matches.clear()
    const dependsOnTime = Array.isArray(found?.model.prices)
    this.#matches.set(key, found && { model: found.model, always: dependsOnTime ? null : priced })
    return priced
  }

  /** The ids of a vendor's models that have this name after the name of their maker: `meta-llama/llama-3.3-70b-instruct`. */
  listIds(vendor: string, name: string): string[] {
    const models = this.#provider(vendor)?.models ?? []
    return models.map(({ id }) => id).filter((id) => id.toLowerCase().endsWith(`/${name}`))
  }

  #pricedModel(modelId: string, { model, model_price: price }: PriceCalculation): PricedModel {
    const match = isExactMatch(modelId, model.id, model.match) ? 'exact' : 'approximate'
    return {
      price: createPrice(price, { source: 'database', match, asOf: this.#asOf }),
      name: model.name ?? null,
      contextWindow: model.context_window ?? null,
    }
  }

  async status(now: number): Promise<PriceStatus> {
    return {
      source: this.#source,
      asOf: this.#asOf,
      stale: now - Date.parse(this.#asOf) > STALE_AFTER_MS,
      modelCount: this.#refreshed ? this.#refreshedCount : countModels((await waitForUpdate()) ?? []),
    }
  }

  #provider(id: string): Provider | undefined {
    return this.#refreshed ? this.#refreshed.get(id) : findProvider({ providerId: id })
  }
}

/** Encodes equal values equally, in whatever order an object has them. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

function countModels(providers: readonly Provider[]): number {
  return providers.reduce((sum, { models }) => sum + models.length, 0)
}

/** The fields of a price by the database's names, and the number of the database's units in one of our units. */
const FIELDS: readonly [string, Exclude<keyof Pricing, 'tierFactors'>, number][] = [
  ['cache_read_mtok', 'cacheReadPerMillion', 1],
  ['cache_write_mtok', 'cacheWritePerMillion', 1],
  ['cache_write_1h_mtok', 'cacheWriteHourPerMillion', 1],
  ['input_audio_mtok', 'audioInputPerMillion', 1],
  ['output_audio_mtok', 'audioOutputPerMillion', 1],
  ['cache_audio_read_mtok', 'cacheReadAudioPerMillion', 1],
  ['input_image_mtok', 'imageInputPerMillion', 1],
  ['output_image_mtok', 'imageOutputPerMillion', 1],
  ['cache_image_read_mtok', 'cacheReadImagePerMillion', 1],
  ['input_audio_hours', 'perAudioMinute', 60],
  ['web_searches_kcount', 'perThousandWebSearches', 1],
  ['storage_searches_kcount', 'perThousandFileSearches', 1],
  ['requests_kcount', 'perThousandRequests', 1],
]

function createPrice(table: ModelPrice, origin: PriceOrigin): Price {
  const starts = Object.values(table).flatMap((rate) =>
    typeof rate === 'object' ? rate.tiers.map(({ start }) => start) : [],
  )
  const longer = [...new Set(starts)].sort((a, b) => a - b)
  const bandAbove = (above: number) => ({ above, pricing: readPricingAbove(table, above) })
  return createPriceByPrompt([bandAbove(-1), ...longer.map(bandAbove)], origin)
}

/** The pricing of prompts that are just longer than `above` tokens. */
function readPricingAbove(table: ModelPrice, above: number): Pricing {
  const pricing: Pricing = {
    inputPerMillion: findPriceAbove(table.input_mtok, above) ?? 0,
    outputPerMillion: findPriceAbove(table.output_mtok, above) ?? 0,
  }
  for (const [name, field, size] of FIELDS) {
    const price = findPriceAbove(table[name], above)
    if (price !== undefined) pricing[field] = price / size
  }
  return pricing
}

/** A prompt longer than a tier's start is charged at that tier's price for all its tokens, as the package defines it. */
function findPriceAbove(rate: ModelPrice[string], above: number): number | undefined {
  if (rate === undefined || typeof rate === 'number') return rate
  let price = rate.base
  for (const tier of rate.tiers) if (above >= tier.start) price = tier.price
  return price
}

/** A prefix rule may match a newer model with an older one's price. Only a release date or `-latest` may follow its text. */
function isExactMatch(requested: string, found: string, rule: unknown): boolean {
  const names = [found, ...listNames(rule)]
  const undated = requested.toLowerCase().replace(/(-latest|[-@](\d{4}-\d{2}-\d{2}|\d{8}))$/, '')
  return names.some(
    (name) => name.toLowerCase() === requested.toLowerCase() || name.toLowerCase() === undated,
  )
}

function listNames(rule: unknown): string[] {
  if (typeof rule !== 'object' || rule === null) return []
  return Object.entries(rule).flatMap(([kind, value]) => {
    if ((kind === 'equals' || kind === 'starts_with') && typeof value === 'string') return [value]
    return Array.isArray(value) ? value.flatMap(listNames) : []
  })
}
