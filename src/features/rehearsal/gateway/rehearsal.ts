// Tries limits on what was spent in the last days.

import type { Feature } from '../../../gateway/http/calls.ts'
import type { ApiKeys } from '../../../gateway/keys/api-keys.ts'
import type { KeyState } from '../../../gateway/keys/key-state.ts'
import type { Clock } from '../../../gateway/platform/clock.ts'
import type { AccountService } from '../../../gateway/spend/account.ts'
import { createFilter } from '../../../gateway/spend/limit.ts'
import { isModelCounted, ROLLING_MS, SPANS, type SpendFilter } from '../../../gateway/spend/spend-counter.ts'
import type { Store } from '../../../gateway/store/store.ts'
import { mergeLimits } from '../../../shared/api/main-limit.ts'
import { DEFAULT_REHEARSAL_DAYS, type Rehearsal, type RehearsedLimit } from '../../../shared/api/rehearsal.ts'
import type { AccountSpendLimit } from '../../../shared/api/spend-limits.ts'
import { MAIN_PERIOD } from '../../../shared/api/terms.ts'
import { isOfRuns } from '../../../shared/limits/limits.ts'
import { nanoToUsd, nanoUsd, usdToNano } from '../../../shared/money/money.ts'
import { daySpan } from '../../../shared/values/calendar.ts'
import type { PastModel, PastStep } from './past-rows.ts'
import {
  type NanoStop,
  rehearseCalendar,
  rehearseLifetime,
  rehearseRolling,
  type Spend,
  stopWithin,
  toStop,
} from './rehearse-periods.ts'

const DAY_MS = 86_400_000
const MAX_SESSIONS_SHOWN = 100

interface Deps {
  store: Store
  clock: Clock
  account: AccountService
}

/** When the limits would have stopped requests of the key; with null, of the account. */
async function rehearse(
  key: KeyState | null,
  {
    limits: tried,
    days = DEFAULT_REHEARSAL_DAYS,
  }: { limits: readonly AccountSpendLimit[]; days?: number | undefined },
  { store, clock, account }: Deps,
): Promise<Rehearsal> {
  const { zone } = account.counters
  const now = clock.now()
  const from = daySpan(now - (days - 1) * DAY_MS, zone).start
  const past = { store, now, from, zone, everNano: key ? key.spendNano : account.counters.lifetime.spentNano }
  const all = await Promise.all(
    tried.map(async (limit) => ({ limit, filter: await prepareFilter(limit, key, store) })),
  )
  const spendSince = readSpend(
    all.filter(({ limit }) => !isOfRuns(limit.per)),
    past,
  )
  const limits = all.map(async ({ limit, filter }, index): Promise<RehearsedLimit> => {
    const isRun = isOfRuns(limit.per)
    const stops = isRun
      ? await runStops(limit, filter, past)
      : periodStops(limit, filter, { ...past, spend: await spendSince(limit, filter) })
    const preventedNano = stops.reduce((sum, stop) => sum + stop.preventedNano, 0)
    const shown = isRun ? largest(stops) : stops
    return {
      param: `spendLimits[${index}]`,
      stops: shown.map((stop) => toStop(stop, zone)),
      stopCount: stops.length,
      preventedUsd: nanoToUsd(nanoUsd(preventedNano)),
    }
  })
  return { from: new Date(from).toISOString(), timeZone: zone, limits: await Promise.all(limits) }
}

interface Past {
  store: Store
  now: number
  from: number
  zone: string
  /** All that the key or the account has ever spent. */
  everNano: number
}

/** The spend that counts under a limit. */
type Filter = Omit<SpendFilter, 'matches'> & { models: readonly PastModel[] | null }

/** Patterns of models are matched here once, so that the store sums up what they name and nothing else is passed on. */
async function prepareFilter(limit: AccountSpendLimit, key: KeyState | null, store: Store): Promise<Filter> {
  const { matches, ...place } = createFilter(limit, key)
  if (matches === null && key) return { ...place, models: null }
  const past = await store.read('pastModels')
  const models = past.filter(({ model, provider }) => isModelCounted({ ...place, matches }, model, provider))
  return { ...place, models: matches === null && models.length === past.length ? null : models }
}

/** Reads the sums of each 15 minutes once for all limits that count the same, from the earliest that one of them needs. */
function readSpend(
  limits: readonly { limit: AccountSpendLimit; filter: Filter }[],
  past: Past,
): (limit: AccountSpendLimit, filter: Filter) => Promise<Spend[]> {
  const starts = new Map<string, number>()
  for (const { limit, filter } of limits) {
    const name = JSON.stringify(filter)
    starts.set(name, Math.min(starts.get(name) ?? Infinity, findStart(limit, filter, past)))
  }
  const reads = new Map<string, Promise<Spend[]>>()
  return async (limit, filter) => {
    const name = JSON.stringify(filter)
    const from = starts.get(name) ?? 0
    const read = reads.get(name) ?? past.store.read('pastSlots', { ...filter, from })
    reads.set(name, read)
    const start = findStart(limit, filter, past)
    return (await read).filter(({ slot }) => slot >= start)
  }
}

/** The start of the spend that matters. */
function findStart({ per, window }: AccountSpendLimit, filter: Filter, { from, zone }: Past): number {
  // The spend of a model or a project is read from the beginning, to know the total before.
  if (per === 'lifetime' || per === 'session' || per === 'subagent') return isAll(filter) ? from : 0
  return window === 'rolling' ? from - ROLLING_MS[per] : SPANS[per](from, zone).start
}

function isAll({ models, tag }: Filter): boolean {
  return models === null && tag === null
}

function periodStops(
  { usd, per, window }: AccountSpendLimit,
  filter: Filter,
  { now, from, zone, everNano, spend }: Past & { spend: Spend[] },
): NanoStop[] {
  const limitNano = usdToNano(usd)
  const inDays = (stop: NanoStop) => stop.to > from
  if (per === 'lifetime' || per === 'session' || per === 'subagent') {
    const recent = spend.filter(({ slot }) => slot >= from)
    const spentBefore = isAll(filter) ? Math.max(0, everNano - sum(spend)) : sum(spend) - sum(recent)
    return rehearseLifetime(recent, { limitNano, before: spentBefore, now })
  }
  if (window === 'rolling')
    return rehearseRolling(spend, { windowMs: ROLLING_MS[per], limitNano, zone }).filter(inDays)
  return rehearseCalendar(spend, { per, limitNano, zone }).filter(inDays)
}

async function runStops(
  { usd, per }: AccountSpendLimit,
  filter: Filter,
  { store, from }: Past,
): Promise<NanoStop[]> {
  const limitNano = usdToNano(usd)
  const read = per === 'session' ? 'pastSessions' : 'pastAgents'
  const runs = await store.read(read, { ...filter, from }, limitNano)
  const stops = runs.map(
    ({ id, agentId, startedAt, lastAt, nano }): NanoStop & { agentId: string | null } => ({
      sessionId: id,
      agentId,
      from: startedAt,
      to: lastAt,
      stoppedAt: lastAt,
      spentNano: nano,
      preventedNano: nano - limitNano,
    }),
  )
  const shown = largest(stops)
  const steps = await store.read(
    'pastSteps',
    shown.flatMap(({ sessionId, agentId }) => (sessionId ? [{ id: sessionId, agentId }] : [])),
    filter.models,
  )
  for (const [index, stop] of shown.entries())
    stop.stoppedAt = stepAt(steps[index] ?? [], limitNano) ?? stop.stoppedAt
  return stops
}

/** The stops that prevent most, oldest first. */
function largest<T extends NanoStop>(stops: readonly T[]): T[] {
  const most = [...stops].sort((a, b) => b.preventedNano - a.preventedNano).slice(0, MAX_SESSIONS_SHOWN)
  return most.sort((a, b) => a.to - b.to)
}

function stepAt(steps: readonly PastStep[], limitNano: number): number | null {
  const spend = steps.map(({ at, nano }) => ({ slot: at, nano }))
  return stopWithin(spend, limitNano)?.stoppedAt ?? null
}

function sum(spend: readonly { nano: number }[]): number {
  return spend.reduce((total, { nano }) => total + nano, 0)
}

export function createRehearsal(deps: Deps & { keys: ApiKeys }): Feature {
  return {
    handlers: {
      rehearseKeyLimits: ({ id, body: { spendLimitUsd: mainUsd, spendLimits: limits, days } }) => {
        const tried = mergeLimits([], { mainUsd, limits }, MAIN_PERIOD.key)
        return rehearse(deps.keys.require(id), { limits: tried, days }, deps)
      },
      rehearseAccountLimits: ({ body: { monthlyLimitUsd: mainUsd, spendLimits: limits, days } }) => {
        const tried = mergeLimits([], { mainUsd, limits }, MAIN_PERIOD.account)
        return rehearse(null, { limits: tried, days }, deps)
      },
    },
  }
}
