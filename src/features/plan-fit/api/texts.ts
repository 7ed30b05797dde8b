import { formatUsd } from '../../../shared/money/format-usd.ts'
import type { FitPlan, PlanFit } from './plan-fit.ts'

/** The answer in a sentence, or why there is none. */
export function describeFit(fit: PlanFit): string {
  const { best, apiUsd, plans, dataDays, neededDays } = fit
  if (best === null)
    return `There are only ${dataDays} days of use, and an answer needs ${neededDays}. Import the history of your agents, or ask again later.`
  const plan = plans.find(({ id }) => id === best)
  const total = plan?.totalUsd
  if (plan && total !== null && total !== undefined)
    return `${plan.name} would cost least${describeDoubt(plan)}: ${formatUsd(total)} per month, instead of ${formatUsd(apiUsd)} by API alone.`
  return `By API alone, your use costs ${formatUsd(apiUsd)} per month. No plan whose windows are known would cost less.`
}

function describeDoubt({ windows }: FitPlan): string {
  return windows.every(({ basis }) => basis === 'published')
    ? ''
    : ', as far as users have measured its windows'
}

/** What the answer is about. */
export function describeUse({ dataDays, importedUsd, unpriced }: PlanFit): string {
  return [
    `From ${dataDays} days of use, for a month of 30 days.`,
    ...(importedUsd > 0 ? [`${formatUsd(importedUsd)} of it is from the logs of agents.`] : []),
    ...(unpriced > 0 ? [`Calls without a known price, which are in no sum: ${unpriced}.`] : []),
  ].join(' ')
}

const DAY_MS = 86_400_000
const months = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** Days in their order, such as `Nov 3 – Nov 5, Nov 9`. */
export function formatDays(days: readonly string[]): string {
  const stretches: { first: number; last: number }[] = []
  for (const day of days) {
    const at = Date.parse(day)
    const open = stretches.at(-1)
    if (open && at - open.last === DAY_MS) open.last = at
    else stretches.push({ first: at, last: at })
  }
  return stretches
    .map(({ first, last }) =>
      first === last ? months.format(first) : `${months.format(first)} – ${months.format(last)}`,
    )
    .join(', ')
}

/** The days on which any window of a plan would have been full. */
export function listFullDays({ windows }: FitPlan): string[] {
  return [...new Set(windows.flatMap(({ fullDays }) => fullDays))].sort()
}
