// The effects of rules on requests.
import { z } from 'zod'
import { RULE_ANSWERS } from './terms.ts'

export const RuleEffect = z
  .object({
    ruleId: z.string(),
    ruleName: z.string().describe('As the rule was named then.'),
    shadow: z.boolean().describe('Whether it only would have done so.'),
    changes: z
      .array(
        z.object({
          field: z.string().describe('`model`, or the member of the body or the header.'),
          asked: z.string(),
          sent: z.string().nullable().describe('Null for what was removed.'),
        }),
      )
      .describe('Empty where the rule held and nothing could be lowered.'),
    answer: z
      .enum(RULE_ANSWERS)
      .nullable()
      .describe(
        'Where the rule asks: whether you allowed the request, or an earlier one of its session or sub-agent. `none`: you did not answer in time, or would have been asked. Null for other rules.',
      ),
    unable: z.string().nullable().describe('Why the request went on as it was asked; null if it did not.'),
    savedUsd: z.number().nullable().describe('At the same tokens. Null without a known price.'),
    rewriteUsd: z.number().nullable().describe('What writing the cached prompt again cost.'),
  })
  .meta({ id: 'RuleEffect', description: 'What a rule did to a request.' })
export type RuleEffect = z.infer<typeof RuleEffect>

const RuledRequest = RuleEffect.extend({
  requestId: z.string(),
  createdAt: z.iso.datetime(),
  askedModel: z.string(),
}).meta({ id: 'RuledRequest' })

export const RuledRequestQuery = z
  .strictObject({
    rule: z.string().optional().describe('Only what this rule did.'),
    request: z.string().optional().describe('Only what was done to this request.'),
    session: z.string().optional().describe('Only in this session.'),
    limit: z.coerce.number().int().min(1).max(500).default(100),
  })
  .meta({ id: 'RuledRequestQuery' })

export const RuledRequestList = z
  .object({ data: z.array(RuledRequest).describe('The newest first.') })
  .meta({ id: 'RuledRequestList' })

/** The field of a request's record. */
export const ruleFields = {
  rules: z
    .array(RuleEffect)
    .nullable()
    .describe(
      'What rules did to the request, or would have done; null for none. What that saved follows with its settlement.',
    ),
}
