import type { Capability, ModelRecord, Pricing } from '../../../shared/api/models.ts'
import { getRates } from '../../../shared/money/rates.ts'
import { includesWords } from '../../kit/search-words.ts'
import type { MonthlyTokens } from './workload.ts'

/** A model with what the workload would cost with it. */
export interface ModelCost {
  model: ModelRecord
  pricing: Pricing
  /** USD per month. */
  costUsd: number
  /** Its share of the tokens of the last 30 days, from 0 to 1. */
  share: number
}

/** USD at the price, less the discount of the account. Cached tokens without a price of their own are priced as input. */
export function estimateCost(pricing: Pricing, tokens: MonthlyTokens, discountPercent: number): number {
  const rates = getRates(pricing)
  const millionths =
    tokens.input * rates.input +
    tokens.cacheRead * rates.cacheRead +
    tokens.cacheWrite * rates.cacheWrite5m +
    tokens.output * rates.output +
    (tokens.requests ?? 0) * rates.requests
  return ((millionths / 1e6) * (100 - discountPercent)) / 100
}

/** The sandbox's prices are examples: its models are left out once there are others with a price. */
export function realModels(models: readonly ModelRecord[]): readonly ModelRecord[] {
  const real = models.filter(({ providers }) => providers.some((id) => id !== 'sandbox'))
  return real.some(({ pricing }) => pricing !== null) ? real : models
}

export interface CostFilter {
  text: string
  capabilities: readonly Capability[]
  /** The least context window, in tokens; 0 for any. */
  context: number
}

export function matchesCostFilter(
  { text, capabilities, context }: CostFilter,
  { id, name, providers, ...model }: ModelRecord,
): boolean {
  if (context > 0 && (model.contextWindow ?? 0) < context) return false
  if (!capabilities.every((each) => model.capabilities.includes(each))) return false
  return includesWords(`${id} ${name} ${providers.join(' ')}`, text)
}
