import { z } from 'zod'
import { AccountSpendLimits, SpendLimits } from './spend-limits.ts'

export const DEFAULT_REHEARSAL_DAYS = 30
const MAX_DAYS = 366

const days = z
  .int()
  .min(1)
  .max(MAX_DAYS)
  .optional()
  .describe(`How many of the last days to look at; ${DEFAULT_REHEARSAL_DAYS} by default.`)

export const KeyRehearsal = z
  .strictObject({
    spendLimitUsd: z.number().nonnegative().nullable().optional().describe('A lifetime cap to try.'),
    spendLimits: SpendLimits.optional().describe('Limits to try.'),
    days,
  })
  .meta({ id: 'KeyRehearsal' })
export type KeyRehearsal = z.infer<typeof KeyRehearsal>

export const AccountRehearsal = z
  .strictObject({
    monthlyLimitUsd: z.number().nonnegative().nullable().optional().describe('A monthly limit to try.'),
    spendLimits: AccountSpendLimits.optional().describe('Limits to try.'),
    days,
  })
  .meta({ id: 'AccountRehearsal' })
export type AccountRehearsal = z.infer<typeof AccountRehearsal>

export const RehearsedStop = z
  .object({
    date: z
      .string()
      .describe('The day on which requests would have been stopped, in your time zone: YYYY-MM-DD.'),
    from: z.iso.datetime().describe('The start of the period or of the session.'),
    to: z.iso.datetime().describe('The end of the period, or the last request of the session.'),
    stoppedAt: z.iso
      .datetime()
      .describe(
        'When the limit was reached, to 15 minutes; of a session to the request, while the log has it.',
      ),
    spentUsd: z.number().describe('What was spent in the period, or in the session.'),
    preventedUsd: z.number().describe('What of it the limit would have prevented.'),
    sessionId: z.string().optional().describe('Only for a limit per session.'),
  })
  .meta({ id: 'RehearsedStop' })
export type RehearsedStop = z.infer<typeof RehearsedStop>

export const RehearsedLimit = z
  .object({
    param: z
      .string()
      .describe(
        'Which limit it is: `spendLimits[0]`. The one of `spendLimitUsd` or `monthlyLimitUsd` is the last.',
      ),
    stops: z
      .array(RehearsedStop)
      .describe('Oldest first; the hundred that would have prevented most of a limit per session.'),
    stopCount: z.number().describe('How many there are.'),
    preventedUsd: z.number().describe('The sum over all of them.'),
  })
  .meta({ id: 'RehearsedLimit' })
export type RehearsedLimit = z.infer<typeof RehearsedLimit>

export const Rehearsal = z
  .object({
    from: z.iso.datetime().describe('The start of the first day.'),
    timeZone: z.string(),
    limits: z.array(RehearsedLimit),
  })
  .meta({ id: 'Rehearsal', description: 'When limits would have stopped requests that were made.' })
export type Rehearsal = z.infer<typeof Rehearsal>
