import { z } from 'zod'
import { Approval, approvalEvents } from '../../features/approvals/api/approvals.ts'
import { BatchJob, batchEvents } from '../../features/batches/api/batches.ts'
import { Account, GuardAlert } from './account.ts'
import { HistoryProgress } from './history.ts'
import { KeyMetadata } from './keys.ts'
import { PlanAlert, PlanState } from './plans.ts'
import { RequestRecord } from './requests.ts'
import { Session } from './sessions.ts'
import { AccountSpendLimit } from './spend-limits.ts'
import type { AlertType } from './terms.ts'

const { usd: _usd, ...LIMIT } = AccountSpendLimit.shape

export const CapAlert = z
  .object({
    keyId: z.string().nullable().describe('The key whose cap or limit it is; null for one of the account.'),
    name: z.string(),
    percent: z.number().describe('The percentage of the cap that was reached.'),
    spentUsd: z.number(),
    limitUsd: z.number(),
    limit: z.object({ ...LIMIT, index: z.number() }).describe('Which of `spendLimits`.'),
  })
  .meta({ id: 'CapAlert', description: 'Spend reached one of the percentages in `notifyAtPercent`.' })
export type CapAlert = z.infer<typeof CapAlert>

/** What the alerts say. */
export const ALERTS = [CapAlert, GuardAlert, PlanAlert, Approval, BatchJob] as const

export const LiveEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('request'), request: RequestRecord }),
    z.object({ type: z.literal('key'), key: KeyMetadata }),
    z.object({ type: z.literal('session'), session: Session }),
    z.object({ type: z.literal('account'), account: Account }),
    ...batchEvents,
    z.object({ type: z.literal('providers') }),
    z.object({ type: z.literal('activity') }),
    z.object({ type: z.literal('cap-alert'), alert: CapAlert }),
    z.object({ type: z.literal('guard-alert'), alert: GuardAlert }),
    ...approvalEvents,
    z.object({ type: z.literal('history'), running: HistoryProgress.nullable() }),
    z.object({ type: z.literal('plan'), plan: PlanState }),
    z.object({ type: z.literal('plan-alert'), alert: PlanAlert }),
  ])
  .meta({
    id: 'LiveEvent',
    description: 'The data of one event of `GET /v1/events`. The event is named by `type`.',
  })
export type LiveEvent = z.infer<typeof LiveEvent>

export type AlertEvent = Extract<LiveEvent, { type: AlertType }>
