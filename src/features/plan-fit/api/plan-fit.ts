import { z } from 'zod'

export const PlanLength = z.enum(['five-hours', 'week', 'month'])
export type PlanLength = z.infer<typeof PlanLength>

export const PlanBasis = z
  .enum(['published', 'measured', 'ratio', 'unpublished'])
  .describe(
    'What the allowance is known from. `published`: the vendor states it. `measured`: users have measured it. `ratio`: it is a stated multiple of a measured one. `unpublished`: it is not known.',
  )
export type PlanBasis = z.infer<typeof PlanBasis>

/** The least days of use: an answer from fewer would be chance. */
export const NEEDED_DAYS = 14

export const PlanFitQuery = z
  .strictObject({
    days: z.enum(['30', '90']).default('30').describe('Of how many days, up to now, the use is compared.'),
  })
  .meta({ id: 'PlanFitQuery' })
export type PlanFitQuery = z.infer<typeof PlanFitQuery>

const Dated = {
  source: z.string().describe('Where this was published.'),
  asOf: z.iso.date().describe('When it was read or measured.'),
}

const FitWindow = z.object({
  length: PlanLength,
  allowanceUsd: z
    .number()
    .nullable()
    .describe('How much use fits, at list prices of the API. Null where it is not published.'),
  basis: PlanBasis,
  note: z.string(),
  peakUsd: z.number().describe('What the most use in one window was worth.'),
  fullDays: z
    .array(z.iso.date())
    .describe('The days on which the window would have been full, and more was used.'),
  ...Dated,
})
export type FitWindow = z.infer<typeof FitWindow>

export const FitPlan = z
  .object({
    id: z.string(),
    name: z.string(),
    vendor: z.string(),
    priceUsd: z.number().describe('A month, without tax.'),
    coveredUsd: z.number().describe('What the use with its models was worth in a month.'),
    beyondUsd: z
      .number()
      .nullable()
      .describe('The part of `coveredUsd` for which its windows were full; null if one is not known.'),
    totalUsd: z
      .number()
      .nullable()
      .describe(
        'Its price, with `beyondUsd` and the use of other models by API; null if a window is not known.',
      ),
    windows: z.array(FitWindow),
    ...Dated,
  })
  .meta({ id: 'FitPlan' })
export type FitPlan = z.infer<typeof FitPlan>

export const PlanFit = z
  .object({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    timeZone: z.string(),
    dataDays: z.number().describe('Since the first use in this time.'),
    neededDays: z.number().describe('With fewer days there is no answer: `plans` is empty.'),
    apiUsd: z.number().describe('What all use would cost by API in a month of 30 days.'),
    importedUsd: z.number().describe('The part of `apiUsd` that is from the logs of agents.'),
    unpriced: z.number().describe('Requests and calls without a known price, which are in no sum.'),
    best: z
      .string()
      .nullable()
      .describe('The plan with the lowest `totalUsd`; `api` if none is cheaper; null without an answer.'),
    plans: z.array(FitPlan).describe('Those that can be used with any of the models, by `totalUsd`.'),
    assumptions: z.array(z.string()),
  })
  .meta({ id: 'PlanFit' })
export type PlanFit = z.infer<typeof PlanFit>
