import {
  createCorrectedPrice,
  type ModelData,
  type ModelDataFile,
  type ModelPrice,
} from '../../gateway/models/catalog/model-data.ts'
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
  for (const { vendor, id, price, ...facts } of catalog) {
    const corrects = price !== undefined && needsPrice(vendor, id, price, database)
    const data: ModelData = { ...facts, ...(corrects && { price }) }
    models[vendor] = { ...models[vendor], [id]: data }
  }
  return { sources, models }
}

function needsPrice(vendor: string, id: string, price: ModelPrice, database: PriceDatabase): boolean {
  if (DATABASE_IS_RIGHT[vendor]?.models.includes(id)) return false
  const known = database.find(vendor, id, COMPARED_AT)
  if (known?.price.origin.match !== 'exact') return true
  const ours = createCorrectedPrice(price)
  // The two sources differ by one on the first token of a tier.
  const tierSizes = price.above ? [price.above.tokens - 1_000, price.above.tokens + 1_000] : []
  const promptSizes = [0, ...tierSizes, 1_000_000]
  return promptSizes.some((tokens) => {
    const [theirs, own] = [known.price.rates(tokens), ours.rates(tokens)]
    return (
      theirs.input !== own.input ||
      theirs.output !== own.output ||
      // A rate that the catalog does not have says nothing about the database's.
      (price.cacheRead !== undefined && theirs.cacheRead !== own.cacheRead) ||
      (price.cacheWrite !== undefined && theirs.cacheWrite5m !== own.cacheWrite5m)
    )
  })
}

/** The file as text: one line for each model, so that a difference is easy to review. */
export function formatModelData({ sources, models }: ModelDataFile): string {
  const vendors = Object.entries(models).map(([vendor, byId]) => {
    const rows = Object.entries(byId)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, data]) => `      ${JSON.stringify(id)}: ${JSON.stringify(data)}`)
    return `    ${JSON.stringify(vendor)}: {\n${rows.join(',\n')}\n    }`
  })
  const origins = Object.entries(sources).map(
    ([name, source]) => `    ${JSON.stringify(name)}: ${JSON.stringify(source)}`,
  )
  return `{\n  "sources": {\n${origins.join(',\n')}\n  },\n  "models": {\n${vendors.join(',\n')}\n  }\n}\n`
}
