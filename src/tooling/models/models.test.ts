import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { modelDataFile } from '../../gateway/models/catalog/model-data.ts'
import { PriceDatabase } from '../../gateway/models/catalog/price-database.ts'
import { root } from '../commands.ts'
import { buildModelData, formatModelData } from './build.ts'
import { CATALOG, type CatalogModel, readCatalogFile } from './catalog-package.ts'

const { sources, models } = modelDataFile
const database = new PriceDatabase()
const FIX = 'run `npm run generate:models`'

test('the committed model data is from the pinned packages', () => {
  const manifest = join(root, 'node_modules', sources.prices.package, 'package.json')
  expect(sources.prices.version, FIX).toBe(JSON.parse(readFileSync(manifest, 'utf8')).version)
  expect(sources.models, FIX).toMatchObject({ package: CATALOG.package, version: CATALOG.version })
})

test('the committed model data equals the output of the generator', () => {
  const catalog = Object.entries(models).flatMap(([vendor, byId]) =>
    Object.entries(byId).map(([id, data]): CatalogModel => ({ vendor, id, ...data })),
  )
  const file = join(root, 'src/gateway/models/catalog/models.generated.json')
  expect(readFileSync(file, 'utf8'), FIX).toBe(formatModelData(buildModelData(catalog, database, sources)))
})

const cost = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 }
const model = (fields: object) => ({
  ...{
    type: 'chat',
    id: 'new',
    contextWindow: 1_000,
    maxTokens: 100,
    reasoning: false,
    input: ['text'],
    cost,
  },
  ...fields,
})
const build = (vendor: string, ...entries: object[]) => {
  const file = JSON.stringify({
    'some-api': Object.fromEntries(entries.map((entry, index) => [index, entry])),
  })
  return buildModelData(readCatalogFile(vendor, file), database, sources).models[vendor]
}

test('facts, tiers and cache prices are read from the catalog', () => {
  const tiers = [{ inputTokensAbove: 500, input: 3, output: 4, cacheRead: 0.3, cacheWrite: 0 }]
  const priced = model({
    ...{
      reasoning: true,
      input: ['text', 'image'],
      cost: { ...cost, cacheRead: 0.1, cacheWrite: 1.25, tiers },
    },
  })
  expect(build('openai', priced)).toEqual({
    new: {
      contextWindow: 1_000,
      maxOutputTokens: 100,
      capabilities: ['vision', 'tools', 'json', 'reasoning', 'streaming'],
      price: {
        input: 1,
        output: 2,
        cacheRead: 0.1,
        cacheWrite: 1.25,
        above: { tokens: 500, input: 3, output: 4, cacheRead: 0.3 },
      },
    },
  })
})

test('a price is omitted if the catalog has none, and models that do not chat are omitted', () => {
  const free = model({ cost: { ...cost, input: 0, output: 0 } })
  expect(build('openai', free, { type: 'image', id: 'painter' })).toEqual({
    new: { contextWindow: 1_000, maxOutputTokens: 100, capabilities: ['tools', 'json', 'streaming'] },
  })
})

test('a price is omitted if the database has the same, and included if it differs', () => {
  const gpt4o = { input: 2.5, output: 10, cacheRead: 1.25, cacheWrite: 0 }
  expect(build('openai', model({ id: 'gpt-4o', cost: gpt4o }))?.['gpt-4o']).not.toHaveProperty('price')
  const cheaper = build('openai', model({ id: 'gpt-4o', cost: { ...gpt4o, output: 9 } }))
  expect(cheaper?.['gpt-4o']?.price).toEqual({ input: 2.5, output: 9, cacheRead: 1.25 })
})

test('a profile of Bedrock is omitted if it has what is known without its regions', () => {
  const nova = { contextWindow: 9, cost: { ...cost, input: 5 } }
  const built = build(
    'aws',
    model({ id: 'amazon.nova-9', ...nova }),
    model({ id: 'us.amazon.nova-9', ...nova }),
    model({ id: 'eu.amazon.nova-9', ...nova, cost: { ...cost, input: 6 } }),
    model({ id: 'jp.amazon.nova-9', ...nova, reasoning: true }),
    model({ id: 'us.meta.llama-9' }),
    // The database has it, and without regions it is right about it.
    model({ id: 'anthropic.claude-opus-5-5' }),
    model({
      id: 'us.anthropic.claude-opus-5-5',
      cost: { input: 4.4, output: 22, cacheRead: 0.22, cacheWrite: 5.5 },
    }),
    model({ id: 'us.anthropic.claude-opus-9' }),
  )
  expect(Object.keys(built ?? {})).toEqual([
    'amazon.nova-9',
    'eu.amazon.nova-9',
    'jp.amazon.nova-9',
    'us.meta.llama-9',
    'us.anthropic.claude-opus-9',
  ])
})

test('a price is omitted if the database is known to be right', () => {
  expect(build('deepseek', model({ id: 'deepseek-v4-pro' }))?.['deepseek-v4-pro']).not.toHaveProperty('price')
})
