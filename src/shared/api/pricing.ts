import { z } from 'zod'
import { PlanId } from './account.ts'
import { PRICED_TIERS, PriceOrigin, Pricing } from './models.ts'

const TokenCount = z.int().min(0).max(1e15)

export const EstimateRequest = z
  .strictObject({
    model: z.string().min(1),
    monthlyInputTokens: TokenCount,
    monthlyOutputTokens: TokenCount,
    cachedInputShare: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('Which share of the input tokens is read from a cache, from 0 to 1; 0 if absent.'),
    serviceTier: z
      .enum(PRICED_TIERS)
      .optional()
      .describe('The tier (`service_tier`) whose prices are estimated with; the standard one if absent.'),
  })
  .meta({ id: 'CostEstimateRequest' })
export type EstimateRequest = z.infer<typeof EstimateRequest>

export const PlanEstimate = z
  .object({
    plan: PlanId,
    monthlyCostUsd: z.number().describe('Tokens and fee together.'),
    planFeeUsd: z.number(),
    perMillionIn: z.number().describe('USD per million input tokens.'),
    perMillionOut: z.number().describe('USD per million output tokens.'),
  })
  .meta({ id: 'PlanCostEstimate', description: 'The monthly cost under one plan.' })
export type PlanEstimate = z.infer<typeof PlanEstimate>

export const Estimate = z
  .object({
    plan: PlanId.describe('The plan with the lowest cost.'),
    monthlyCostUsd: z.number().describe('The cost under `plan`.'),
    perMillionIn: z.number().describe('USD per million input tokens under `plan`, on average.'),
    perMillionOut: z.number().describe('USD per million output tokens under `plan`.'),
    breakEvenPlan: PlanId.describe('The committed plan that is compared.'),
    breakEvenSavingsUsd: z
      .number()
      .describe('What `breakEvenPlan` saves in a month; negative if it costs more.'),
    breakEvenTokens: z
      .number()
      .nullable()
      .describe('Monthly tokens from which `breakEvenPlan` is cheaper; null for a free model.'),
    listCostUsd: z.number().describe('The cost at list prices.'),
    plans: z.array(PlanEstimate),
  })
  .meta({ id: 'CostEstimate' })
export type Estimate = z.infer<typeof Estimate>

export const PriceStatus = z
  .object({
    source: z
      .enum(['package', 'refreshed'])
      .describe('`package`: shipped with this version of Tollgate; `refreshed`: fetched since.'),
    asOf: z.iso.date().describe('The date of the prices.'),
    stale: z.boolean().describe('Whether the prices are older than 60 days.'),
    modelCount: z.number(),
  })
  .meta({ id: 'PriceStatus', description: 'The price database in use.' })
export type PriceStatus = z.infer<typeof PriceStatus>

export const PriceSuggestion = z
  .object({
    model: z.string().describe('The model whose price is unknown.'),
    knownAs: z.string().describe('The id of the model whose price it is.'),
    provider: z.string().describe('The name of the provider that charges it.'),
    match: PriceOrigin.shape.match.describe('`approximate`: only the beginning of the id is the same.'),
    pricing: Pricing,
  })
  .meta({ id: 'PriceSuggestion', description: 'What a known provider charges for a model of that name.' })
export type PriceSuggestion = z.infer<typeof PriceSuggestion>

export const PriceSuggestionList = z
  .object({ data: z.array(PriceSuggestion) })
  .meta({ id: 'PriceSuggestionList' })
