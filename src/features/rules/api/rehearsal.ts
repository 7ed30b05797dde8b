import { z } from 'zod'
import { RuleInput } from './rules.ts'

const MAX_DAYS = 366

export const RuleRehearsalInput = z
  .strictObject({
    rule: RuleInput,
    id: z.string().optional().describe('The rule that it is a change of, so that it is tried in its place.'),
    days: z.int().min(1).max(MAX_DAYS).default(30),
  })
  .meta({ id: 'RuleRehearsalInput' })
export type RuleRehearsalInput = z.infer<typeof RuleRehearsalInput>

export const RuleRehearsal = z
  .object({
    from: z.iso.datetime().describe('The start of the first day.'),
    requests: z.number().describe('How many were looked at: own ones and imported ones.'),
    imported: z.number(),
    changed: z.number().describe('How many it would have changed.'),
    asked: z
      .number()
      .describe('How many would have waited for your permission: one of each session or sub-agent.'),
    beforeUsd: z.number().describe('What these have cost, as far as their prices are known.'),
    afterUsd: z
      .number()
      .describe('What the same tokens would have cost, with the caches that had to be written again.'),
    savedUsd: z.number().describe('At the same tokens, without that.'),
    rewriteUsd: z.number(),
    unpriced: z.number().describe('Changed requests of which a price is not known; they are in no amount.'),
    unknown: z
      .number()
      .describe(
        'Requests of which a condition is about something that was not recorded; it does not hold for them.',
      ),
    data: z
      .array(
        z.object({
          requestId: z.string().nullable().describe('Null for an imported one.'),
          at: z.iso.datetime(),
          program: z.string(),
          askedModel: z.string(),
          model: z.string().nullable().describe('Null for one that would have been denied.'),
          costUsd: z.number(),
          savedUsd: z.number(),
          rewriteUsd: z.number(),
        }),
      )
      .describe('The hundred with the largest differences.'),
  })
  .meta({ id: 'RuleRehearsal', description: 'What a rule would have done to past requests.' })
export type RuleRehearsal = z.infer<typeof RuleRehearsal>
