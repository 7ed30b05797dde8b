// Shipped data about single models: `models.generated.json`, which `npm run generate:models` writes.
import { z } from 'zod'
import { Capability, type PriceOrigin, type Pricing } from '../../../shared/api/models.ts'
import generated from './models.generated.json' with { type: 'json' }
import { createPriceByPrompt, type Price } from './price-bands.ts'

/** USD per million tokens. An omitted rate equals the input rate. */
export interface TokenPrices {
  input: number
  output: number
  cacheRead?: number
  /** Cached for five minutes. */
  cacheWrite?: number
}

export interface ModelPrice extends TokenPrices {
  /** The prices of all tokens of a request whose prompt has more tokens than this. */
  above?: TokenPrices & { tokens: number }
}

export interface ModelData {
  contextWindow: number
  maxOutputTokens: number
  capabilities: readonly Capability[]
  /** Only where the price database lacks the model or has an outdated price. */
  price?: ModelPrice
}

// The file has its rows as lists: it is loaded with the gateway, and names would be most of it.

const Amount = z.number().nonnegative()
const Tokens = z.int().positive()
/** The rates of input, output, cache reads and cache writes. */
const Rates = z.tuple([Amount, Amount, Amount.nullable(), Amount.nullable()])
type Rates = z.infer<typeof Rates>

const CAPABILITIES: readonly Capability[] = ['vision', 'tools', 'json', 'reasoning', 'streaming']
/** The capabilities of all models, which the file leaves out. */
export const COMMON: readonly Capability[] = ['tools', 'json', 'streaming']

const Row = z
  .tuple([Tokens, Tokens, z.array(Capability), Rates.optional(), z.tuple([Tokens, Rates]).optional()])
  .transform(([contextWindow, maxOutputTokens, more, rates, longer]): ModelData => {
    const above = longer && { tokens: longer[0], ...readRates(longer[1]) }
    return {
      contextWindow,
      maxOutputTokens,
      capabilities: CAPABILITIES.filter((each) => COMMON.includes(each) || more.includes(each)),
      ...(rates && { price: { ...readRates(rates), ...(above && { above }) } }),
    }
  })

function readRates([input, output, cacheRead, cacheWrite]: Rates): TokenPrices {
  return {
    input,
    output,
    ...(cacheRead !== null && { cacheRead }),
    ...(cacheWrite !== null && { cacheWrite }),
  }
}

/** A model's row in the file. */
export type ModelDataRow = z.input<typeof Row>

const Source = z.strictObject({ package: z.string(), version: z.string(), asOf: z.iso.date() })

/** The generated file. Vendors are named as in the price database. */
export const ModelDataFile = z.strictObject({
  sources: z.strictObject({ prices: Source, models: Source }),
  models: z.record(z.string(), z.record(z.string(), Row)),
})
export type ModelDataFile = z.infer<typeof ModelDataFile>

export const modelDataFile = ModelDataFile.parse(generated)

// Clients choose the ids that are looked up here. Unlike an object, a Map has no `constructor`.
const byVendor = new Map(
  Object.entries(modelDataFile.models).map(([vendor, models]) => [vendor, new Map(Object.entries(models))]),
)

/** The data of a vendor's model, which may have a release date after its id; null if there is none. */
export function findModelData(vendor: string | undefined, modelId: string): ModelData | null {
  return (vendor !== undefined && findEntries(vendor, modelId)[0]) || null
}

/** The price that replaces the database's; null where the database is right. */
export function findCorrectedPrice(vendor: string, modelId: string): Price | null {
  const price = findEntries(vendor, modelId).find((model) => model.price)?.price
  // Without data of its own, it has the price of another profile.
  const match =
    byVendor.get(vendor)?.has(modelId) || withoutRegions(modelId) === modelId ? 'exact' : 'approximate'
  return price ? createCorrectedPrice(price, match) : null
}

/** The id of a model on Amazon Bedrock without the regions of a profile, such as `us.amazon.nova-pro-v1:0`. */
export function withoutRegions(modelId: string): string {
  return modelId.replace(/^(?:us-gov|global|[a-z]{2,4})\.(?=[a-z0-9]+\.)/, '')
}

/** The ids of a vendor's models that match, without those that only stand for an id with a date. */
export function listVendorModels(vendor: string, pattern: RegExp): string[] {
  const ids = [...(byVendor.get(vendor)?.keys() ?? [])].filter((id) => pattern.test(id))
  return ids.filter(
    (id) => !ids.some((other) => /^-\d{8}$/.test(other.slice(id.length)) && other.startsWith(id)),
  )
}

function findEntries(vendor: string, modelId: string): ModelData[] {
  const models = byVendor.get(vendor)
  const undated = modelId.replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, '')
  const own = models?.get(modelId) ?? models?.get(withoutRegions(modelId))
  return [own, models?.get(undated)].filter((model) => model !== undefined)
}

export function createCorrectedPrice(price: ModelPrice, match: PriceOrigin['match'] = 'exact'): Price {
  const { above } = price
  const longer = above ? [{ above: above.tokens, pricing: toPricing(above) }] : []
  return createPriceByPrompt([{ above: 0, pricing: toPricing(price) }, ...longer], {
    source: 'override',
    match,
    asOf: modelDataFile.sources.models.asOf,
  })
}

function toPricing({ input, output, cacheRead, cacheWrite }: TokenPrices): Pricing {
  return {
    inputPerMillion: input,
    outputPerMillion: output,
    ...(cacheRead === undefined ? {} : { cacheReadPerMillion: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWritePerMillion: cacheWrite }),
  }
}
