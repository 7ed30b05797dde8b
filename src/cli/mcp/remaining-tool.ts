import { z } from 'zod'
import { RefusedCallError } from '../../host/gateway-client.ts'
import { PlanState } from '../../shared/api/plans.ts'
import {
  type Limit,
  type LimitKind,
  leftUsd,
  limitsOfAccount,
  limitsOfKey,
  PERIOD_WORDS,
} from '../../shared/limits/limits.ts'
import { formatPlanWindow } from '../../shared/limits/plan-text.ts'
import { formatUsd } from '../../shared/money/format-usd.ts'
import type { Caller } from './caller.ts'
import { defineTool } from './tool.ts'

const Cap = z.object({
  name: z.string(),
  limitUsd: z.number(),
  remainingUsd: z.number().describe('What is neither spent nor reserved.'),
  resetsAt: z.string().nullable().describe('An ISO 8601 time; null if it does not reset at a fixed time.'),
  stops: z.boolean().describe('Whether requests are refused at the limit; else it only warns.'),
})
type Cap = z.infer<typeof Cap>

export const getRemaining = defineTool({
  name: 'get_remaining',
  title: 'What is left',
  description:
    'How much this API key may still spend under each of its caps, how much of the windows of plans is used, and when they reset. Ask before a long task.',
  input: z.object({}),
  output: z.object({
    remainingUsd: z.number().nullable().describe('The least of all caps that stop; null without one.'),
    caps: z.array(Cap),
    plans: z.array(PlanState).describe('The windows of plans that the client may be signed in to.'),
  }),
  async run(_, caller) {
    const caps = await readCaps(caller)
    const remainingUsd = findLeast(caps)
    const { data: plans } = await caller.call('listPlanStates')
    const lines = [
      ...(caps.length === 0 ? ['Nothing limits the spend of this key.'] : caps.map(describe)),
      ...plans.flatMap(({ name, windows }) =>
        windows.map((window) => `${name}, ${formatPlanWindow(window, Date.now())}.`),
      ),
    ]
    return { text: lines.join('\n'), result: { remainingUsd, caps, plans } }
  },
})

/** The least that is left under a cap that stops; null without one. */
export function findLeast(caps: readonly Cap[]): number | null {
  const left = caps.filter(({ stops }) => stops).map(({ remainingUsd }) => remainingUsd)
  return left.length === 0 ? null : Math.min(...left)
}

/** The caps of the key, and of the account as far as the key may read it. */
export async function readCaps(caller: Caller): Promise<Cap[]> {
  const ofKey = caller.isOwner ? [] : limitsOfKey(await caller.call('getCallingKey'))
  const account = await caller.call('getAccount').catch((error: unknown) => {
    if (error instanceof RefusedCallError && error.status === 403) return null
    throw error
  })
  const ofAccount = account ? limitsOfAccount(account) : []
  return [...ofKey.map((limit) => toCap('Key', limit)), ...ofAccount.map((limit) => toCap('All keys', limit))]
}

function toCap(owner: string, limit: Limit): Cap {
  const { kind, limitUsd, resetsAt, warnsOnly } = limit
  return {
    name: `${owner}, ${nameKind(kind)}`,
    limitUsd,
    remainingUsd: leftUsd(limit),
    resetsAt,
    stops: !warnsOnly,
  }
}

function nameKind({ per, window, model, tag }: LimitKind): string {
  return [
    PERIOD_WORDS[per].each,
    ...(window === 'rolling' ? ['rolling'] : []),
    ...(model === undefined ? [] : [`for ${model}`]),
    ...(tag === undefined ? [] : [`for project ${tag}`]),
  ].join(' ')
}

function describe({ name, limitUsd, remainingUsd, resetsAt, stops }: Cap): string {
  const resets = resetsAt === null ? '' : `, resets ${resetsAt}`
  return `${name}: ${formatUsd(remainingUsd)} left of ${formatUsd(limitUsd)}${resets}${stops ? '' : ' (only warns)'}.`
}
