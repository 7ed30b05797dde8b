// When limits would have stopped requests, from the sums of each 15 minutes.

import { formatTime } from '../../../gateway/platform/clock.ts'
import { findFirstSlot, type PeriodName, SPANS } from '../../../gateway/spend/spend-counter.ts'
import type { RehearsedStop } from '../../../shared/api/rehearsal.ts'
import { type NanoUsd, nanoToUsd } from '../../../shared/money/money.ts'
import { dayName, daySpan, type Span } from '../../../shared/values/calendar.ts'

/** Spend in 15 minutes under the limit, oldest first. */
export interface Spend {
  slot: number
  nano: number
}

export type NanoStop = Omit<
  RehearsedStop,
  'date' | 'from' | 'to' | 'stoppedAt' | 'spentUsd' | 'preventedUsd'
> & {
  from: number
  to: number
  stoppedAt: number
  spentNano: number
  preventedNano: number
}

/** The limit would have prevented the spend beyond it in each period. */
export function rehearseCalendar(
  spend: readonly Spend[],
  { per, limitNano, zone }: { per: PeriodName; limitNano: number; zone: string },
): NanoStop[] {
  return groupBySpan(spend, (slot) => SPANS[per](slot, zone)).flatMap(({ span, spend: inSpan }) => {
    const stop = stopWithin(inSpan, limitNano)
    return stop ? [{ from: span.start, to: span.end, ...stop }] : []
  })
}

/** `before`: what was spent before the first slot. */
export function rehearseLifetime(
  spend: readonly Spend[],
  { limitNano, before: spentBefore, now }: { limitNano: number; before: number; now: number },
): NanoStop[] {
  const [first] = spend
  if (!first) return []
  const stop = stopWithin([{ slot: first.slot, nano: spentBefore }, ...spend], limitNano)
  if (!stop) return []
  const total = spend.reduce((sum, { nano }) => sum + nano, 0)
  return [{ from: first.slot, to: now, ...stop, preventedNano: Math.min(stop.preventedNano, total) }]
}

/** Goes through the slots as they would have been admitted; each day with something prevented is one stop. */
export function rehearseRolling(
  spend: readonly Spend[],
  { windowMs, limitNano, zone }: { windowMs: number; limitNano: number; zone: string },
): NanoStop[] {
  const admitted: Spend[] = []
  let inWindow = 0
  let oldest = 0
  const stops: NanoStop[] = []
  for (const { slot, nano } of spend) {
    const from = findFirstSlot(slot, windowMs)
    for (let first = admitted[oldest]; first && first.slot < from; first = admitted[++oldest])
      inWindow -= first.nano
    const allowed = Math.min(nano, Math.max(0, limitNano - inWindow))
    admitted.push({ slot, nano: allowed })
    inWindow += allowed
    if (allowed === nano) continue
    const last = stops.at(-1)
    const day = last && slot < last.to ? last : null
    const span = day ? null : daySpan(slot, zone)
    const stop = day ?? {
      from: span?.start ?? slot,
      to: span?.end ?? slot,
      stoppedAt: slot,
      spentNano: inWindow,
      preventedNano: 0,
    }
    if (!day) stops.push(stop)
    stop.spentNano += nano - allowed
    stop.preventedNano += nano - allowed
  }
  return stops
}

/** Where spend passes the limit; null if it does not. */
export function stopWithin(
  spend: readonly Spend[],
  limitNano: number,
): Pick<NanoStop, 'stoppedAt' | 'spentNano' | 'preventedNano'> | null {
  let spentNano = 0
  let stoppedAt: number | null = null
  for (const { slot, nano } of spend) {
    spentNano += nano
    if (spentNano > limitNano) stoppedAt ??= slot
  }
  return stoppedAt === null ? null : { stoppedAt, spentNano, preventedNano: spentNano - limitNano }
}

export function toStop(
  { from, to, stoppedAt, spentNano, preventedNano, ...rest }: NanoStop,
  zone: string,
): RehearsedStop {
  return {
    date: dayName(stoppedAt, zone),
    from: formatTime(from),
    to: formatTime(to),
    stoppedAt: formatTime(stoppedAt),
    spentUsd: nanoToUsd(spentNano as NanoUsd),
    preventedUsd: nanoToUsd(preventedNano as NanoUsd),
    ...rest,
  }
}

function groupBySpan(
  spend: readonly Spend[],
  getSpan: (slot: number) => Span,
): { span: Span; spend: Spend[] }[] {
  const groups: { span: Span; spend: Spend[] }[] = []
  for (const each of spend) {
    const last = groups.at(-1)
    if (last && each.slot < last.span.end) last.spend.push(each)
    else groups.push({ span: getSpan(each.slot), spend: [each] })
  }
  return groups
}
