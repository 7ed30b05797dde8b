import { z } from 'zod'
import { Timestamp } from './requests.ts'

export const USAGE_SPLITS = ['key', 'model', 'provider', 'client'] as const
export const USAGE_GROUPS = ['day', 'week', 'month', ...USAGE_SPLITS] as const
export const UsageQuery = z
  .strictObject({
    from: Timestamp.optional(),
    to: Timestamp.optional(),
    groupBy: z.enum(USAGE_GROUPS).default('day'),
    splitBy: z.enum(USAGE_SPLITS).optional().describe('Divide each group further, for a stacked chart.'),
    timeZone: z.string().optional().describe('An IANA time zone; default: that of the settings.'),
  })
  .meta({ id: 'UsageQuery' })
export type UsageQuery = z.infer<typeof UsageQuery>

const UsageTotals = z
  .object({
    requests: z.number(),
    tokensIn: z.number(),
    tokensOut: z.number(),
    costUsd: z.number(),
  })
  .meta({ id: 'UsageTotals' })

export const UsageRow = UsageTotals.extend({
  group: z
    .string()
    .describe(
      'The first calendar day (YYYY-MM-DD) of a day, week (from Monday) or month; otherwise a key id, model, provider or client name.',
    ),
  label: z.string().describe("A key's name; otherwise the same as `group`."),
  split: z.string().optional().describe('The part of the group, with `splitBy`.'),
  splitLabel: z.string().optional().describe("A key's name; otherwise the same as `split`."),
}).meta({ id: 'UsageRow' })
export type UsageRow = z.infer<typeof UsageRow>

export const Usage = z
  .object({
    groupBy: z.enum(USAGE_GROUPS),
    timeZone: z.string(),
    data: z.array(UsageRow),
    total: UsageTotals,
  })
  .meta({ id: 'Usage' })
export type Usage = z.infer<typeof Usage>
