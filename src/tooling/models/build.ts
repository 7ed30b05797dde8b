import { isDeepStrictEqual } from 'node:util'
import {
  COMMON,
  createCorrectedPrice,
  type ModelData,
  type ModelDataFile,
  type ModelDataRow,
  type ModelPrice,
  type TokenPrices,
  withoutRegions,
} from '../../gateway/models/catalog/model-data.ts'
import type { Price } from '../../gateway/models/catalog/price-bands.ts'
import type { PriceDatabase } from '../../gateway/models/catalog/price-database.ts'
import type { CatalogModel } from './catalog-package.ts'

/** Models of which the price database is right and the catalog is not. */
const DATABASE_IS_RIGHT: Readonly<
  Record<string, { models: readonly string[]; reason: string; source: string }>
> = {
  anthropic: {
    models: ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'],
    reason: 'Prompts above 200,000 tokens cost more. The catalog has one price.',
    source: 'anthropic.com/pricing#api, 2026-11-10',
  },
  deepseek: {
    models: ['deepseek-v4-pro'],
    reason: 'It is cheaper outside of peak hours. The catalog has the peak price.',
    source: 'api-docs.deepseek.com/quick_start/pricing, 2026-11-10',
  },
}

/** Prices can depend on the time of day and change at midnight: all are compared at one moment. */
const COMPARED_AT = new Date('2026-11-20T12:00:00Z')

/** The generated file: all models of the catalog, with a price only where the database's is missing or outdated. */
export function buildModelData(
  catalog: readonly CatalogModel[],
  database: PriceDatabase,
  sources: ModelDataFile['sources'],
): ModelDataFile {
  const models: ModelDataFile['models'] = {}
  for (const model of catalog) {
    const { vendor, id, price, ...facts } = model
    if (vendor === BEDROCK && isKnownProfile(model, catalog, database)) continue
    const corrects = price !== undefined && needsPrice(vendor, id, price, database)
    const data: ModelData = { ...facts, ...(corrects && { price }) }
    models[vendor] = { ...models[vendor], [id]: data }
  }
  return { sources, models }
}

const BEDROCK = 'aws'

/**
 * Whether a profile of Bedrock has what is known anyway: the facts of the model without its regions, or those of Anthropic's own
 * model, and the price of one of them, or of the database. For Claude without regions, the catalog has the price of the global
 * profile, and the database the right one.
 */
function isKnownProfile(
  { id, price, ...facts }: CatalogModel,
  catalog: readonly CatalogModel[],
  database: PriceDatabase,
): boolean {
  if (id.startsWith('anthropic.')) return true
  const isClaude = id.includes('.anthropic.')
  const plain = catalog.find((model) => model.vendor === BEDROCK && model.id === withoutRegions(id))
  if (!isClaude && (plain === undefined || plain.id === id)) return false
  if (!isClaude && plain && !hasSameFacts(plain, { id, ...facts })) return false
  const corrects = plain?.price && needsPrice(BEDROCK, plain.id, plain.price, database)
  if (!isClaude && corrects) return isDeepStrictEqual(plain.price, price)
  return price === undefined || !differs(database.find(BEDROCK, id, COMPARED_AT)?.price, price)
}

function hasSameFacts(one: Omit<CatalogModel, 'price'>, other: Omit<CatalogModel, 'price'>): boolean {
  const { contextWindow, maxOutputTokens, capabilities } = one
  return (
    contextWindow === other.contextWindow &&
    maxOutputTokens === other.maxOutputTokens &&
    isDeepStrictEqual(capabilities, other.capabilities)
  )
}

function needsPrice(vendor: string, id: string, price: ModelPrice, database: PriceDatabase): boolean {
  if (DATABASE_IS_RIGHT[vendor]?.models.includes(id)) return false
  const known = database.find(vendor, id, COMPARED_AT)
  return known?.price.origin.match !== 'exact' || differs(known.price, price)
}

/** Whether the database has no price, or another one. */
function differs(known: Price | undefined, price: ModelPrice): boolean {
  if (!known) return true
  const ours = createCorrectedPrice(price)
  // The two sources differ by one on the first token of a tier.
  const tierSizes = price.above ? [price.above.tokens - 1_000, price.above.tokens + 1_000] : []
  const promptSizes = [0, ...tierSizes, 1_000_000]
  return promptSizes.some((tokens) => {
    const [theirs, own] = [known.rates(tokens), ours.rates(tokens)]
    return (
      theirs.input !== own.input ||
      theirs.output !== own.output ||
      // A rate that the catalog does not have says nothing about the database's.
      (price.cacheRead !== undefined && theirs.cacheRead !== own.cacheRead) ||
      (price.cacheWrite !== undefined && theirs.cacheWrite5m !== own.cacheWrite5m)
    )
  })
}

function createRow({ contextWindow, maxOutputTokens, capabilities, price }: ModelData): ModelDataRow {
  const more = capabilities.filter((each) => !COMMON.includes(each))
  if (!price) return [contextWindow, maxOutputTokens, more]
  const row: ModelDataRow = [contextWindow, maxOutputTokens, more, listRates(price)]
  const { above } = price
  if (above) row[4] = [above.tokens, listRates(above)]
  return row
}

function listRates(prices: TokenPrices): NonNullable<ModelDataRow[3]> {
  const { input, output, cacheRead, cacheWrite } = prices
  return [input, output, cacheRead ?? null, cacheWrite ?? null]
}

/** The file as text: one line for each model, so that a difference is easy to review. */
export function formatModelData({ sources, models }: ModelDataFile): string {
  const vendors = Object.entries(models).map(([vendor, byId]) => {
    const rows = Object.entries(byId)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, data]) => `      ${JSON.stringify(id)}: ${JSON.stringify(createRow(data))}`)
    return `    ${JSON.stringify(vendor)}: {\n${rows.join(',\n')}\n    }`
  })
  const origins = Object.entries(sources).map(
    ([name, source]) => `    ${JSON.stringify(name)}: ${JSON.stringify(source)}`,
  )
  return `{\n  "sources": {\n${origins.join(',\n')}\n  },\n  "models": {\n${vendors.join(',\n')}\n  }\n}\n`
}
