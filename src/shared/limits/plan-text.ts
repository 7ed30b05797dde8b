// The windows of plans in words, for the tray, the status line, agents and the window.
import type { PlanWindow } from '../api/plans.ts'
import { getDateFormat } from '../values/locale.ts'

type Times = Pick<PlanWindow, 'resetsAt' | 'fullAt'>

const DAY_MS = 86_400_000

/** `42%`; `unknown` where the vendor does not say. */
export function formatUsed(utilization: number | null): string {
  return utilization === null ? 'unknown' : `${Math.round(utilization * 100)}%`
}

/** `resets 16:40, full at 15:10`; empty where neither is known. A time on another day comes with its day. */
export function formatPlanTimes({ resetsAt, fullAt }: Times, now: number, timeZone?: string): string {
  const at = (iso: string) => formatMoment(Date.parse(iso), now, timeZone)
  return [
    ...(resetsAt === null ? [] : [`resets ${at(resetsAt)}`]),
    ...(fullAt === null ? [] : [`full at ${at(fullAt)}`]),
  ].join(', ')
}

/** `5 hours: 42% used, resets 16:40`. */
export function formatPlanWindow(window: PlanWindow, now: number, timeZone?: string): string {
  const times = formatPlanTimes(window, now, timeZone)
  const used = window.utilization === null ? 'use unknown' : `${formatUsed(window.utilization)} used`
  return `${window.label}: ${used}${times === '' ? '' : `, ${times}`}`
}

/** For a plan whose vendor refuses requests: `used up until 16:40`. */
export function formatRefusal(until: string, now: number, timeZone?: string): string {
  return `used up until ${formatMoment(Date.parse(until), now, timeZone)}`
}

function formatMoment(at: number, now: number, timeZone: string | undefined): string {
  const day = at - now < DAY_MS ? {} : ({ weekday: 'short' } as const)
  return getDateFormat({ ...day, hour: '2-digit', minute: '2-digit' }, timeZone).format(at)
}
