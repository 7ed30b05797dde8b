// Owns the lines of the break-even chart: what each plan costs as the workload grows with its mix unchanged. Pure.
import type { PlanId } from '../../../shared/account.ts'
import type { Estimate } from '../../../shared/pricing.ts'
import { roundTicks } from '../overview/ticks.ts'

export interface BreakEvenLines {
  plans: PlanId[]
  /** Total tokens a month to name along the axis, from none to the last one drawn. */
  ticks: number[]
  /** Straight lines, so their two ends are enough: total tokens a month, and USD for each plan in the order of `plans`. */
  points: { tokens: number; usd: number[] }[]
}

/** Reaches past both the workload and the break-even, so that both are in sight. */
export function breakEvenLines(estimate: Estimate, input: number, output: number): BreakEvenLines {
  const total = input + output
  const reach = Math.max(1_000_000, total * 1.25, (estimate.breakEvenTokens ?? 0) * 1.6)
  const ticks = roundTicks(reach)
  // An empty workload has no mix of its own; the break-even is then that of an even one.
  const share = total === 0 ? 0.5 : input / total
  return {
    plans: estimate.plans.map(({ plan }) => plan),
    ticks,
    points: [0, ticks.at(-1) ?? reach].map((tokens) => ({
      tokens,
      usd: estimate.plans.map(
        ({ planFeeUsd, perMillionIn, perMillionOut }) =>
          planFeeUsd + (tokens * (share * perMillionIn + (1 - share) * perMillionOut)) / 1e6,
      ),
    })),
  }
}
