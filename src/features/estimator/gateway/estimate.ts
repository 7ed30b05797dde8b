// The arithmetic of the workload estimator.

import type { Feature } from '../../../gateway/http/calls.ts'
import type { Catalog } from '../../../gateway/models/catalog/catalog.ts'
import type { ProviderModels } from '../../../gateway/models/catalog/model-discovery.ts'
import { invalidRequest } from '../../../gateway/platform/errors.ts'
import type { AccountService } from '../../../gateway/spend/account.ts'
import type { Plan } from '../../../shared/api/account.ts'
import type { Pricing } from '../../../shared/api/models.ts'
import type { Estimate, EstimateRequest, PlanEstimate } from '../../../shared/api/pricing.ts'
import { getRates } from '../../../shared/money/rates.ts'

const COMMITTED_PLAN = 'bundle'

/**
 * The monthly cost of the workload under each plan, and the cheapest plan; pay-as-you-go if the costs are equal.
 * `breakEvenTokens` = fee / (average list price per token × discount), as docs/contract.md defines. The average is over the
 * workload's mix, or an even mix without tokens. Null when the price is zero.
 */
export function estimate(workload: EstimateRequest, listed: Pricing, plans: readonly Plan[]): Estimate {
  const { monthlyInputTokens: input, monthlyOutputTokens: output } = workload
  const pricing = averagePricing(workload, listed)
  const table = plans.map((plan) => estimatePlan(plan, pricing, input, output))
  const listCostUsd = round((input * pricing.inputPerMillion + output * pricing.outputPerMillion) / 1e6)
  const cheapest = table.reduce((best, row) => (row.monthlyCostUsd < best.monthlyCostUsd ? row : best))
  const committed = table.find((row) => row.plan === COMMITTED_PLAN) ?? cheapest
  const uncommitted = table.find((row) => row.planFeeUsd === 0) ?? cheapest
  const discount = plans.find((plan) => plan.id === COMMITTED_PLAN)?.discountPercent ?? 0
  return {
    plan: cheapest.plan,
    monthlyCostUsd: cheapest.monthlyCostUsd,
    perMillionIn: cheapest.perMillionIn,
    perMillionOut: cheapest.perMillionOut,
    breakEvenPlan: committed.plan,
    breakEvenSavingsUsd: round(uncommitted.monthlyCostUsd - committed.monthlyCostUsd),
    breakEvenTokens: breakEven(committed.planFeeUsd, averagePricePerToken(pricing, input, output), discount),
    listCostUsd,
    plans: table,
  }
}

/** USD per million tokens of the workload. */
interface AveragePricing {
  inputPerMillion: number
  outputPerMillion: number
}

/** The prices in the tier, of input over what is read from the cache and what is not. */
function averagePricing(workload: EstimateRequest, listed: Pricing): AveragePricing {
  const { cachedInputShare: cached = 0, serviceTier } = workload
  const { input, cacheRead, output } = getRates(listed, serviceTier)
  return { inputPerMillion: round(input * (1 - cached) + cacheRead * cached), outputPerMillion: output }
}

function estimatePlan(plan: Plan, pricing: AveragePricing, input: number, output: number): PlanEstimate {
  const factor = (100 - plan.discountPercent) / 100
  const perMillionIn = round(pricing.inputPerMillion * factor)
  const perMillionOut = round(pricing.outputPerMillion * factor)
  return {
    plan: plan.id,
    planFeeUsd: plan.monthlyUsd,
    perMillionIn,
    perMillionOut,
    monthlyCostUsd: round(plan.monthlyUsd + (input * perMillionIn + output * perMillionOut) / 1e6),
  }
}

function averagePricePerToken(pricing: AveragePricing, input: number, output: number): number {
  const [i, o] = input + output === 0 ? [1, 1] : [input, output]
  return (i * pricing.inputPerMillion + o * pricing.outputPerMillion) / (i + o) / 1e6
}

function breakEven(feeUsd: number, pricePerToken: number, discountPercent: number): number | null {
  const savedPerToken = pricePerToken * (discountPercent / 100)
  return savedPerToken === 0 ? null : feeUsd / savedPerToken
}

/** To the nano-dollar, so that 0.1 × 0.8 is 0.08. Doubles are exact enough for an estimate. */
function round(usd: number): number {
  const scaled = Math.round(usd * 1e9) / 1e9
  return Number.isFinite(scaled) ? scaled : usd
}

interface EstimatorDeps {
  catalog: Catalog
  providerModels: ProviderModels
  account: AccountService
}

export function createEstimator({ catalog, providerModels, account }: EstimatorDeps): Feature {
  return {
    handlers: {
      estimateCost: async ({ body }) => {
        if (!catalog.knows(body.model)) await providerModels.refreshMissing()
        const { pricing } = catalog.get(body.model)
        if (!pricing) throw unpriced(body.model)
        if (body.serviceTier && pricing.tierFactors?.[body.serviceTier] === undefined)
          throw unpricedTier(body.model, body.serviceTier)
        return estimate(body, pricing, account.plans())
      },
    },
  }
}

function unpriced(model: string) {
  return invalidRequest(`The price of "${model}" is not known. Set its price to estimate with it.`, {
    param: 'model',
    code: 'model_unpriced',
  })
}

function unpricedTier(model: string, tier: string) {
  return invalidRequest(
    `The prices of "${model}" in the tier "${tier}" are not known. Leave out "serviceTier", or set "tierFactors" in its price.`,
    { param: 'serviceTier', code: 'model_unpriced' },
  )
}
