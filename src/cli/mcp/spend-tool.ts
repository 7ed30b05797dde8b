import { z } from 'zod'
import { formatUsd } from '../../shared/money/format-usd.ts'
import { dayStart } from '../../shared/values/calendar.ts'
import type { Caller } from './caller.ts'
import { defineTool, ToolError } from './tool.ts'

const PERIODS = ['total', 'today', 'month', 'session', 'project'] as const
type Period = (typeof PERIODS)[number]

const Spend = z.object({
  usd: z.number().describe('What was charged, in USD.'),
  worthUsd: z
    .number()
    .nullable()
    .describe('What requests that a plan paid for would have cost, in USD; null where it is not known.'),
  requests: z.number().nullable().describe('The number of requests; null where it is not known.'),
  of: z.string().describe('What the amount is of.'),
})
type Spend = z.infer<typeof Spend>

export const getSpend = defineTool({
  name: 'get_spend',
  title: 'What was spent',
  description:
    'What this API key has spent: in total, today, this month, in the session that is used now, or in its project.',
  input: z.object({
    period: z
      .enum(PERIODS)
      .default('total')
      .describe(
        '`session`: the session of this key that was active last. `project`: all keys with the tag of this one.',
      ),
  }),
  output: Spend,
  async run({ period }, caller) {
    const spend = await readSpend[period](caller)
    const requests = spend.requests === null ? '' : ` in ${spend.requests} requests`
    const worth = spend.worthUsd ? `, and ${formatUsd(spend.worthUsd)} worth of a plan` : ''
    return { text: `${spend.of}: ${formatUsd(spend.usd)}${requests}${worth}.`, result: spend }
  },
})

const NOT_KNOWN = { worthUsd: null, requests: null }

const readSpend: Readonly<Record<Period, (caller: Caller) => Promise<Spend>>> = {
  async total(caller) {
    if (caller.isOwner)
      return { usd: (await caller.call('getAccount')).spendUsd, ...NOT_KNOWN, of: 'All keys' }
    const { name, spendUsd } = await caller.call('getCallingKey')
    return { usd: spendUsd, ...NOT_KNOWN, of: `The key “${name}”, ever` }
  },
  async today(caller) {
    const { data, timeZone } = await readUsage(caller, 'day')
    const today = data.at(-1)
    const isToday = today !== undefined && dayStart(today.group, timeZone) + DAY_MS > Date.now()
    return computeSum(isToday ? today : undefined, 'Today')
  },
  async month(caller) {
    const { data } = await readUsage(caller, 'month')
    return computeSum(data.at(-1), 'This month')
  },
  async session(caller) {
    const query = { limit: 1, ...(await ownKey(caller)) }
    const [session] = (await caller.call('listSessions', { query })).data
    if (!session) throw new ToolError('This key has no session yet.')
    const name = session.title === null ? session.id : `“${session.title}”`
    return computeSum(session, `The session ${name}`)
  },
  async project(caller) {
    if (caller.isOwner) throw new ToolError('Without a key there is no project. Set TOLLGATE_API_KEY.')
    const { tag } = await caller.call('getCallingKey')
    if (tag === null) throw new ToolError('This key has no project.')
    // The sums, which pruning of the log does not change.
    const { total } = await caller.call('getUsage', { query: { tag, groupBy: 'month', from: EPOCH } })
    return computeSum(total, `The project “${tag}”`)
  },
}

const DAY_MS = 86_400_000
const EPOCH = new Date(0).toISOString()

type Sums = Record<'costUsd' | 'worthUsd' | 'requests', number>

function computeSum(row: Sums | undefined, of: string): Spend {
  return { usd: row?.costUsd ?? 0, worthUsd: row?.worthUsd ?? 0, requests: row?.requests ?? 0, of }
}

/** Days or months up to now, the last one last. */
async function readUsage(caller: Caller, groupBy: 'day' | 'month') {
  const from = new Date(Date.now() - 31 * DAY_MS).toISOString()
  return await caller.call('getUsage', { query: { groupBy, from, ...(await ownKey(caller)) } })
}

/** A filter for the requests of the calling key; none for the owner. */
async function ownKey(caller: Caller): Promise<{ key?: string }> {
  return caller.isOwner ? {} : { key: (await caller.call('getCallingKey')).id }
}
