// Owns the shapes of the workload estimator on the wire. The arithmetic lives in the gateway.
import { z } from 'zod'
import { PlanId } from './account.ts'

const TokenCount = z.int().min(0).max(1e15)

export const EstimateRequest = z.strictObject({
  model: z.string().min(1),
  monthlyInputTokens: TokenCount,
  monthlyOutputTokens: TokenCount,
})
export type EstimateRequest = z.infer<typeof EstimateRequest>

export const PlanEstimate = z.object({
  plan: PlanId,
  monthlyCostUsd: z.number(),
  planFeeUsd: z.number(),
  perMillionIn: z.number(),
  perMillionOut: z.number(),
})
export type PlanEstimate = z.infer<typeof PlanEstimate>

export const Estimate = z.object({
  plan: PlanId,
  monthlyCostUsd: z.number(),
  perMillionIn: z.number(),
  perMillionOut: z.number(),
  breakEvenPlan: PlanId,
  breakEvenSavingsUsd: z.number(),
  breakEvenTokens: z.number().nullable(),
  listCostUsd: z.number(),
  plans: z.array(PlanEstimate),
})
export type Estimate = z.infer<typeof Estimate>

/** The price database in use: the one this version came with, or one fetched since. */
export const PriceStatus = z.object({
  source: z.enum(['package', 'refreshed']),
  /** The day of its figures. */
  asOf: z.iso.date(),
  /** Older than 60 days: prices may have changed since. */
  stale: z.boolean(),
  modelCount: z.number(),
})
export type PriceStatus = z.infer<typeof PriceStatus>
