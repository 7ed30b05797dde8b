// Tries limits on what was spent in the last days.
import { daySpan } from '../../shared/calendar.ts'
import { nanoToUsd, nanoUsd, usdToNano } from '../../shared/money.ts'
import { DEFAULT_REHEARSAL_DAYS, type Rehearsal, type RehearsedLimit } from '../../shared/rehearsal.ts'
import type { AccountSpendLimit } from '../../shared/spend-limits.ts'
import type { KeyState } from '../keys/api-keys.ts'
import type { Clock } from '../platform/clock.ts'
import type { PastSlot, PastStep, Store } from '../store/store.ts'
import type { AccountService } from './account.ts'
import { filterOf } from './owned-limits.ts'
import {
  type NanoStop,
  periodStart,
  rehearseCalendar,
  rehearseLifetime,
  rehearseRolling,
  type Spend,
  stopWithin,
  toStop,
} from './rehearse-periods.ts'
import { ROLLING_MS } from './rolling-counter.ts'
import type { SpendFilter } from './spend-counter.ts'

const DAY_MS = 86_400_000
const MAX_SESSIONS_SHOWN = 100

/** A limit to try, and the name of the field that has it. */
export interface Tried {
  param: string
  limit: AccountSpendLimit
}

interface Deps {
  store: Store
  clock: Clock
  account: AccountService
}

export class Rehearsals {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** When the limits would have stopped requests of the key; with null, of the account. */
  run(key: KeyState | null, tried: readonly Tried[], days = DEFAULT_REHEARSAL_DAYS): Promise<Rehearsal> {
    return rehearse(key, { tried, days }, this.#deps)
  }
}

async function rehearse(
  key: KeyState | null,
  { tried, days }: { tried: readonly Tried[]; days: number },
  { store, clock, account }: Deps,
): Promise<Rehearsal> {
  const { zone } = account.counters
  const now = clock.now()
  const from = daySpan(now - (days - 1) * DAY_MS, zone).start
  const past = { store, now, from, zone }
  const everNano = key ? key.spendNano : account.counters.totalNano
  const limits: RehearsedLimit[] = []
  for (const { param, limit } of tried) {
    const filter = filterOf(limit, key)
    const isSession = limit.per === 'session'
    const stops = isSession
      ? await sessionStops(limit, filter, past)
      : await periodStops(limit, filter, { ...past, everNano })
    const preventedNano = stops.reduce((sum, stop) => sum + stop.preventedNano, 0)
    const shown = isSession ? largest(stops) : stops
    limits.push({
      param,
      stops: shown.map((stop) => toStop(stop, zone)),
      stopCount: stops.length,
      preventedUsd: nanoToUsd(nanoUsd(preventedNano)),
    })
  }
  return { from: new Date(from).toISOString(), timeZone: zone, limits }
}

interface Past {
  store: Store
  now: number
  from: number
  zone: string
}

async function periodStops(
  { usd, per, window }: AccountSpendLimit,
  filter: SpendFilter,
  { store, now, from, zone, everNano }: Past & { everNano: number },
): Promise<NanoStop[]> {
  const limitNano = usdToNano(usd)
  const place = { keyId: filter.keyId, tag: filter.tag }
  const since = async (start: number) => spendOf(await store.read('pastSlots', place, start), filter)
  const inDays = (stop: NanoStop) => stop.to > from
  if (per === 'lifetime' || per === 'session') {
    // Of a model or a project everything is read, to know what it had spent before.
    const isAll = filter.matches === null && filter.tag === null
    const all = await since(isAll ? from : 0)
    const spend = all.filter(({ slot }) => slot >= from)
    const before = isAll ? Math.max(0, everNano - sum(all)) : sum(all) - sum(spend)
    return rehearseLifetime(spend, { limitNano, before, now })
  }
  if (window === 'rolling') {
    const windowMs = ROLLING_MS[per]
    return rehearseRolling(await since(from - windowMs), { windowMs, limitNano, zone }).filter(inDays)
  }
  return rehearseCalendar(await since(periodStart(per, from, zone)), { per, limitNano, zone }).filter(inDays)
}

async function sessionStops(
  { usd }: AccountSpendLimit,
  filter: SpendFilter,
  { store, from }: Past,
): Promise<NanoStop[]> {
  const limitNano = usdToNano(usd)
  const sessions = await store.read('pastSessions', { keyId: filter.keyId, tag: filter.tag }, from)
  const stops = sessions.flatMap(({ id, startedAt, lastAt, models }): NanoStop[] => {
    const spentNano = sum(models.filter(({ model, provider }) => counts(filter, model, provider)))
    if (spentNano <= limitNano) return []
    const preventedNano = spentNano - limitNano
    return [{ sessionId: id, from: startedAt, to: lastAt, stoppedAt: lastAt, spentNano, preventedNano }]
  })
  const shown = largest(stops)
  const steps = await store.read(
    'pastSteps',
    shown.flatMap(({ sessionId }) => sessionId ?? []),
  )
  for (const [index, stop] of shown.entries())
    stop.stoppedAt = stepAt(steps[index] ?? [], filter, limitNano) ?? stop.stoppedAt
  return stops
}

/** Those that prevent most, oldest first. */
function largest(stops: readonly NanoStop[]): NanoStop[] {
  const most = [...stops].sort((a, b) => b.preventedNano - a.preventedNano).slice(0, MAX_SESSIONS_SHOWN)
  return most.sort((a, b) => a.to - b.to)
}

function stepAt(steps: readonly PastStep[], filter: SpendFilter, limitNano: number): number | null {
  const counted = steps.filter(({ model, provider }) => counts(filter, model, provider))
  return (
    stopWithin(
      counted.map(({ at, nano }) => ({ slot: at, nano })),
      limitNano,
    )?.stoppedAt ?? null
  )
}

/** The sums of each slot that count. */
function spendOf(slots: readonly PastSlot[], filter: SpendFilter): Spend[] {
  const spend: Spend[] = []
  for (const { slot, model, provider, nano } of slots) {
    if (!counts(filter, model, provider)) continue
    const last = spend.at(-1)
    if (last?.slot === slot) last.nano += nano
    else spend.push({ slot, nano })
  }
  return spend
}

function counts({ matches }: SpendFilter, model: string, provider: string): boolean {
  return matches === null || matches(model, provider)
}

function sum(spend: readonly { nano: number }[]): number {
  return spend.reduce((total, { nano }) => total + nano, 0)
}
