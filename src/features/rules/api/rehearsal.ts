import { z } from 'zod'
import { AccountSpendLimit } from '../../../shared/api/spend-limits.ts'
import { RuleInput } from './rules.ts'

const MAX_DAYS = 366

export const RehearsalInput = z
  .strictObject({
    rule: RuleInput.optional().describe('A rule to try, on the requests of all keys.'),
    id: z.string().optional().describe('The rule that it is a change of, so that it is tried in its place.'),
    limit: AccountSpendLimit.optional().describe('A limit to try, instead of a rule.'),
    keyId: z.string().nullable().default(null).describe('The key of the limit; null for one of the account.'),
    history: z
      .boolean()
      .default(true)
      .describe(
        'Whether calls that were imported from the logs of agents are looked at, too. No key has any.',
      ),
    days: z.int().min(1).max(MAX_DAYS).default(30).describe('How many of the last days to look at.'),
  })
  .refine(({ rule, limit }) => (rule === undefined) !== (limit === undefined), {
    error: 'must have either a rule or a limit',
  })
  .meta({ id: 'RehearsalInput' })
export type RehearsalInput = z.infer<typeof RehearsalInput>

const RehearsedRequest = z
  .object({
    requestId: z.string().nullable().describe('Null for an imported one.'),
    importedSession: z
      .string()
      .nullable()
      .describe("The agent's own id of the session of an imported one; null for others."),
    at: z.iso.datetime(),
    program: z.string(),
    askedModel: z.string(),
    model: z.string().nullable().describe('Null for one that would have been refused, or would have waited.'),
    costUsd: z.number().nullable().describe('Null where it is not known.'),
    savedUsd: z.number().nullable().describe('Null without a known price.'),
    rewriteUsd: z.number().nullable().describe('What writing the cached prompt again would have cost.'),
  })
  .meta({ id: 'RehearsedRequest' })
export type RehearsedRequest = z.infer<typeof RehearsedRequest>

export const Rehearsal = z
  .object({
    from: z.iso.datetime().describe('The start of the first day.'),
    timeZone: z.string(),
    requests: z
      .number()
      .describe(
        'How many were looked at: own ones and imported ones; for a limit, those that count under it.',
      ),
    imported: z.number(),
    changed: z
      .number()
      .describe(
        'How many the rule would have changed, or the limit would have stopped, asked about or warned of. A rule asks about the first of each session or sub-agent.',
      ),
    days: z.number().describe('On how many days.'),
    firstAt: z.iso.datetime().nullable().describe('The first of these; null for none.'),
    beforeUsd: z.number().describe('What all that were looked at have cost, as far as it is known.'),
    afterUsd: z
      .number()
      .describe(
        'What they would have cost at the same tokens, with the caches that had to be written again.',
      ),
    savedUsd: z.number().describe('At the same tokens, without these caches.'),
    rewriteUsd: z.number(),
    unpriced: z.number().describe('Changed requests of which a price is not known; they have saved nothing.'),
    unknown: z
      .number()
      .describe(
        'Requests of which a condition is about something that was not recorded; it does not hold for them.',
      ),
    data: z.array(RehearsedRequest).describe('The hundred with the largest differences.'),
  })
  .meta({ id: 'Rehearsal', description: 'What a rule or a limit would have done to past requests.' })
export type Rehearsal = z.infer<typeof Rehearsal>
