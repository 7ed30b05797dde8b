import type { PlanId } from '../../../shared/api/account.ts'
import type { Estimate } from '../../../shared/api/pricing.ts'
import { roundTicks } from '../../kit/ticks.ts'

export interface BreakEvenLines {
  plans: PlanId[]
  /** Total tokens a month for the labels of the axis. */
  ticks: number[]
  /** The two ends of each straight line: total tokens a month, and USD for each plan in the order of `plans`. */
  points: { tokens: number; usd: number[] }[]
}

/** The cost of each plan as the workload grows with its mix unchanged. Reaches past both the workload and the break-even. */
export function breakEvenLines(estimate: Estimate, input: number, output: number): BreakEvenLines {
  const total = input + output
  const reach = Math.max(1_000_000, total * 1.25, (estimate.breakEvenTokens ?? 0) * 1.6)
  const ticks = roundTicks(reach)
  // The gateway computes the break-even of an empty workload for an even mix.
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
