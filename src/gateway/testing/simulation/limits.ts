// The reference for the spend under a limit: sums over the rows of all requests, without any state.
import type {
  AccountSpendLimit,
  AccountSpendLimitState,
  SpendLimit,
} from '../../../shared/api/spend-limits.ts'
import type { StoredRequest } from '../../store/store.ts'
import type { Random } from '../random.ts'

/** The columns of a request's row that count. */
type Column =
  | 'agentId'
  | 'costHighNano'
  | 'costNano'
  | 'costStatus'
  | 'createdAt'
  | 'keyId'
  | 'model'
  | 'provider'
  | 'requestedModel'
  | 'sessionId'
  | 'settledAt'
  | 'tag'
export type Row = Pick<StoredRequest, Column>

/** The models that each pattern matches, written out. */
const PATTERNS: Readonly<Record<string, readonly string[]>> = {
  'claude-*': ['claude-sonnet-4-5'],
  '*-mini': ['o4-mini', 'gpt-5-mini'],
  'openai/gpt-4o': ['gpt-4o'],
  'grok-4': ['grok-4'],
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Rolling periods are counted in quarters of an hour; docs/caps.md. */
const SLOT_MS = HOUR_MS / 4
const ROLLING_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS }
/** Spend that is dated so much later counts as well: the clock was set back. */
const LATER_MS = 31 * DAY_MS

export function drawLimit(random: Random): SpendLimit {
  const per = random.any(['day', 'day', 'week', 'month', 'session', 'subagent', 'lifetime'] as const)
  const isEndless = per === 'session' || per === 'subagent' || per === 'lifetime'
  return {
    usd: random.any([0.02, 0.1, 0.5, 2, 10]),
    per,
    ...(!isEndless && random.chance(0.3) && { window: 'rolling' as const }),
    ...(random.chance(0.3) && { model: random.any(Object.keys(PATTERNS)) }),
    ...(random.chance(0.25) && { action: random.any(['warn', 'ask', 'ask'] as const) }),
  }
}

export function drawAccountLimit(random: Random): AccountSpendLimit {
  return { ...drawLimit(random), ...(random.chance(0.3) && { tag: random.any(['shop', 'lab']) }) }
}

/** Patterns that any model could match at a provider with a fitting name. */
const OPEN_PATTERNS: ReadonlySet<string> = new Set(['claude-*'])

/** Whether a limit is for requests of this model. `provider`: null if it is not known, as after a crash. */
export function isForModel(
  { model }: Pick<SpendLimit, 'model'>,
  id: string,
  provider: string | null,
): boolean {
  if (model === undefined || PATTERNS[model]?.includes(id)) return true
  return provider === null && OPEN_PATTERNS.has(model)
}

/**
 * The amounts that a limit may show as spent at a moment, in nano-dollars: one, or those of all sessions or sub-agents, because
 * it shows the one used last. `rows` are those of its key, or all.
 */
export function spentUnder(limit: AccountSpendLimitState, rows: readonly Row[], now: number): number[] {
  const [from, to] = getSpan(limit, now)
  const counted = rows.filter(
    ({ createdAt, model, requestedModel, provider, tag }) =>
      createdAt >= from &&
      createdAt < to &&
      isForModel(limit, model ?? requestedModel, provider) &&
      (limit.tag === undefined || limit.tag === tag),
  )
  if (limit.per !== 'session' && limit.per !== 'subagent') return [sumCosts(counted)]
  const runs = Map.groupBy(
    counted.filter(({ agentId }) => limit.per === 'session' || agentId !== null),
    ({ keyId, sessionId, agentId }) => `${keyId} ${sessionId} ${limit.per === 'subagent' ? agentId : ''}`,
  )
  return [0, ...[...runs.values()].map(sumCosts)]
}

export function sumCosts(rows: readonly Row[]): number {
  return rows.reduce((sum, { costNano }) => sum + (costNano ?? 0), 0)
}

/** The span in the UTC calendar. */
function getSpan({ per, window }: SpendLimit, now: number): [from: number, to: number] {
  if (per === 'lifetime' || per === 'session' || per === 'subagent') return [-Infinity, Infinity]
  // A quarter of an hour leaves as a whole, when its end is old enough.
  if (window === 'rolling') return [Math.floor((now - ROLLING_MS[per]) / SLOT_MS) * SLOT_MS, Infinity]
  const at = new Date(now)
  const [year, month, date] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  if (per === 'month') return [Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1) + LATER_MS]
  const first = per === 'day' ? date : date - ((at.getUTCDay() + 6) % 7)
  return [Date.UTC(year, month, first), Date.UTC(year, month, first + (per === 'day' ? 1 : 7)) + LATER_MS]
}
