// Runs simulated worlds, which all begin with the same database.
import { createDatabase } from '../../store/testing/memory-database.ts'
import { createMemoryCredentials } from '../gateway.ts'
import { BrokenInvariant } from './broken.ts'
import { describeCredentials } from './credential-spread.ts'
import { BASE_URLS, models } from './models.ts'
import type { Plan } from './plan.ts'
import { type Ask, type PreparedData, type SimulateOptions, START_MS, World } from './world.ts'

export interface WorldResult {
  requests: number
  steps: number
  broken: BrokenInvariant | null
}

/** The models of all vendors. */
async function setUp(ask: Ask, isSpread: boolean): Promise<void> {
  for (const provider of new Set(models.map((model) => model.provider))) {
    const body = { ...describeCredentials(provider, isSpread), ...BASE_URLS[provider] }
    await ask('PUT', `/v1/providers/${provider}`, body)
  }
  for (const { id, provider, prices, tierFactors, contextWindow, maxOutputTokens, reasons } of models) {
    const capabilities = ['vision', 'tools', 'json', 'streaming', ...(reasons ? ['reasoning'] : [])]
    const pricing = { ...prices, ...(tierFactors && { tierFactors }) }
    const body = { provider, pricing, contextWindow, maxOutputTokens, capabilities }
    await ask('PUT', `/v1/models/${id}`, body)
  }
  await ask('PATCH', '/v1/settings', { timeZone: 'UTC' })
}

/** Keyed by whether sessions are spread over credentials. */
const prepared = new Map<boolean, PreparedData>()

async function prepare(isSpread: boolean): Promise<PreparedData> {
  const known = prepared.get(isSpread)
  if (known) return known
  const credentials = createMemoryCredentials()
  const empty = { seed: 0, keys: [], rules: [], isSpread, pastSpendNano: 0, slowestCommitMs: 1, actions: [] }
  const world = new World(empty, { bytes: createDatabase(START_MS), credentials })
  const data = { bytes: await world.prepare((ask) => setUp(ask, isSpread)), credentials }
  world.close()
  prepared.set(isSpread, data)
  return data
}

/** Runs a plan. Always the same for the same plan. */
export async function simulate(plan: Plan, options?: SimulateOptions): Promise<WorldResult> {
  const world = new World(plan, await prepare(plan.isSpread), options)
  let broken: BrokenInvariant | null = null
  try {
    await world.run()
  } catch (error) {
    if (!(error instanceof BrokenInvariant)) throw error
    broken = error
  } finally {
    world.close()
  }
  return { requests: world.requests, steps: world.steps, broken }
}
