import { z } from 'zod'
import { AccountSpendLimit, shortText } from '../../../shared/api/spend-limits.ts'

const { usd: _usd, ...LIMIT } = AccountSpendLimit.shape

const APPROVAL_STATES = ['open', 'allowed', 'stopped', 'expired', 'withdrawn'] as const
/** The most that is allowed at a time, in USD. */
const MAX_ALLOWED_USD = 1_000_000

const shape = {
  id: z.string(),
  waiter: z.string().describe('The request that is shown: the one that waits longest. An answer names it.'),
  state: z
    .enum(APPROVAL_STATES)
    .describe(
      '`open`: it waits for an answer. `expired`: no answer came in time. `withdrawn`: the clients left, or the limit was changed or reset, or the rule was changed.',
    ),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().describe('When the request that came last is refused.'),
  keyId: z.string(),
  keyName: z.string(),
  program: z.string().nullable().describe('The calling program; null for an unknown one.'),
  tag: z.string().nullable().describe('The project.'),
  sessionId: z.string().nullable(),
  agentId: z.string().nullable().describe('The sub-agent that asks; null for the main agent.'),
  model: z
    .string()
    .nullable()
    .describe('What the request that is shown asks for; null if an agent asks ahead.'),
  neededUsd: z
    .number()
    .nullable()
    .describe('What the request that is shown could cost at most, or what an agent asks for.'),
  waiting: z.int().describe('How many requests wait for the answer.'),
  reason: z
    .string()
    .nullable()
    .describe('What an agent says that it needs the money for, in its own words, which are not checked.'),
}

const LimitApproval = z.object({
  ...shape,
  kind: z.literal('limit'),
  limit: z
    .object({ ...LIMIT, index: z.number() })
    .describe('The limit that was reached: one of `spendLimits` of its owner.'),
  ofAccount: z.boolean().describe('Whether it is a limit of the account, not of the key.'),
  limitUsd: z.number().describe('Its amount, with what was allowed before.'),
  spentUsd: z.number(),
})

const RuleApproval = z.object({
  ...shape,
  kind: z.literal('rule'),
  rule: z.object({ id: z.string(), name: z.string(), sentence: z.string() }),
})

export type LimitApproval = z.infer<typeof LimitApproval>

export const Approval = z.discriminatedUnion('kind', [LimitApproval, RuleApproval]).meta({
  id: 'Approval',
  description: 'A limit with the action `ask` was reached, or a rule asks, and requests wait.',
})
export type Approval = z.infer<typeof Approval>

type Asked = keyof typeof shape
/** The members that say what is asked. */
export type ApprovalTopic = Omit<LimitApproval, Asked> | Omit<z.infer<typeof RuleApproval>, Asked>

export const ApprovalList = z.object({ data: z.array(Approval) }).meta({ id: 'ApprovalList' })

const AllowedUsd = z
  .number()
  .positive()
  .max(MAX_ALLOWED_USD)
  .describe('How much more may be spent in this period, session or sub-agent, in USD.')

const Waiter = z.string().describe('The `waiter` of the approval. 409 `waiter_left` if it waits no more.')

export const ApprovalDecision = z
  .discriminatedUnion('decision', [
    z.strictObject({
      decision: z.literal('allow'),
      waiter: Waiter,
      usd: AllowedUsd.optional().describe(
        'How much more may be spent in this period, session or sub-agent, in USD. A limit needs it, and a rule refuses it.',
      ),
    }),
    z.strictObject({ decision: z.literal('once'), waiter: Waiter }),
    z.strictObject({ decision: z.literal('stop') }),
  ])
  .meta({
    id: 'ApprovalDecision',
    description:
      '`allow`: so much more may be spent, or the rule lets the session or sub-agent go on. `once`, for a limit: the request that is shown goes on, whatever it costs. `stop`: all that wait are refused, and so are others until the limit resets or is changed; for a rule, the others of that session or sub-agent until it is changed.',
  })
export type ApprovalDecision = z.infer<typeof ApprovalDecision>

export const ApprovalRequest = z
  .strictObject({ usd: AllowedUsd, reason: shortText(500).describe('What it is for, as the owner sees it.') })
  .meta({ id: 'ApprovalRequest' })

export const ApprovalAnswer = z
  .object({ remainingUsd: z.number().describe('What the limit leaves now.') })
  .meta({ id: 'ApprovalAnswer' })

export const approvalEvents = [
  z.object({ type: z.literal('approval'), approval: Approval }),
  z.object({ type: z.literal('approval-alert'), alert: Approval }),
] as const
