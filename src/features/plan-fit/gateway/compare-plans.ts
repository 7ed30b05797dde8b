// Which plan fits: the recorded use, as if each plan had paid for it.

import type { Feature } from '../../../gateway/http/calls.ts'
import type { Clock } from '../../../gateway/platform/clock.ts'
import type { Settings } from '../../../gateway/settings/settings.ts'
import type { Store, UsageSum } from '../../../gateway/store/store.ts'
import { NANO_PER_USD } from '../../../shared/money/money.ts'
import { type FitPlan, NEEDED_DAYS, type PlanFit } from '../api/plan-fit.ts'
import { fillWindows, type HourUse } from './fill-windows.ts'
import { covers, PLAN_TABLE, type PlanRow, TABLE_DATE } from './plan-table.ts'

const DAY_MS = 86_400_000
const MONTH_DAYS = 30

interface ModelHour extends HourUse {
  model: string
}

interface Period {
  /** Epoch milliseconds. */
  now: number
  days: number
  timeZone: string
}

interface Deps {
  store: Store
  clock: Clock
  settings: Settings
}

export function createPlanFit({ store, clock, settings }: Deps): Feature {
  return {
    handlers: {
      getPlanFit: ({ query: { days } }) =>
        comparePlans(store, { now: clock.now(), days: Number(days), timeZone: settings.timeZone }),
    },
  }
}

/** Compares the plans with the use of the days up to now. */
export async function comparePlans(store: Store, { now: to, days, timeZone }: Period): Promise<PlanFit> {
  const from = to - days * DAY_MS
  const query = { groupBy: 'hour', splitBy: 'model', timeZone, from, to } as const
  const [requests, calls] = await Promise.all([
    store.read('usage', query),
    store.read('usage', { ...query, source: 'history' }),
  ])
  const hours = [...requests, ...calls].map(toHour).sort((a, b) => a.at - b.at)
  const first = hours[0]
  const dataDays = first === undefined ? 0 : Math.min((to - first.at) / DAY_MS, days)
  const perMonth = dataDays === 0 ? 0 : MONTH_DAYS / dataDays
  const isEnough = dataDays >= NEEDED_DAYS
  const plans = isEnough
    ? PLAN_TABLE.flatMap((plan) => fitPlan(plan, { hours, perMonth, timeZone, until: to }))
    : []
  plans.sort((a, b) => (a.totalUsd ?? Infinity) - (b.totalUsd ?? Infinity) || a.priceUsd - b.priceUsd)
  const apiUsd = roundUsd(sumUsd(hours) * perMonth)
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    timeZone,
    dataDays: Math.floor(dataDays),
    neededDays: NEEDED_DAYS,
    apiUsd,
    importedUsd: roundUsd(sumUsd(calls.map(toHour)) * perMonth),
    unpriced: [...requests, ...calls].reduce((sum, { unpriced }) => sum + unpriced, 0),
    best: isEnough ? findBest(plans, apiUsd) : null,
    plans,
    assumptions: ASSUMPTIONS,
  }
}

/** The first plan with a total, if it is cheaper than the API. */
function findBest([plan]: readonly FitPlan[], apiUsd: number): string {
  return plan && plan.totalUsd !== null && plan.totalUsd < apiUsd ? plan.id : 'api'
}

const ASSUMPTIONS = [
  'Imported calls count at the list price of their day, requests at what they were charged or, with a plan, at what they are worth.',
  'A window begins with the first use after the last one has ended, and a month has 30 days. The smallest step is an hour.',
  'What does not fit into the windows of a plan, and use of models that it does not have, is billed by API at the same prices.',
  'All use counts, whatever program it was in. Most vendors allow a plan in their own programs only, and their chats fill the same windows.',
  `Prices and windows are those of ${TABLE_DATE}, each with the date of its source. Amounts that users have measured are estimates.`,
]

function toHour({ group, split = '', costNano, worthNano }: UsageSum): ModelHour {
  return { at: Date.parse(group), model: split, usd: (costNano + worthNano) / NANO_PER_USD }
}

interface AllUse {
  hours: readonly ModelHour[]
  /** The factor from sums of the time to those of a month. */
  perMonth: number
  timeZone: string
  until: number
}

/** None for a plan without any of the models. */
function fitPlan(plan: PlanRow, { hours, perMonth, timeZone, until }: AllUse): FitPlan[] {
  const covered = hours.filter(({ model, usd }) => usd > 0 && covers(plan, model))
  if (covered.length === 0) return []
  const { windows } = fillWindows(covered, plan.windows, { timeZone })
  const { beyondUsd } = fillWindows(covered, plan.windows, { timeZone, until })
  const coveredUsd = sumUsd(covered)
  const restUsd = sumUsd(hours) - coveredUsd
  const isComplete = plan.windows.every(({ allowanceUsd }) => allowanceUsd !== null)
  const { families: _, ...row } = plan
  return [
    {
      ...row,
      coveredUsd: roundUsd(coveredUsd * perMonth),
      beyondUsd: isComplete ? roundUsd(beyondUsd * perMonth) : null,
      totalUsd: isComplete ? roundUsd(plan.priceUsd + (beyondUsd + restUsd) * perMonth) : null,
      windows: windows.map((window) => ({ ...window, peakUsd: roundUsd(window.peakUsd) })),
    },
  ]
}

function sumUsd(hours: readonly HourUse[]): number {
  return hours.reduce((sum, { usd }) => sum + usd, 0)
}

/** To the cent: the answer is an estimate. */
function roundUsd(usd: number): number {
  return Math.round(usd * 100) / 100
}
