import type { GuardSensitivity } from '../../../shared/guard.ts'

/** From which figures on a key is paused. Amounts are in USD. */
export interface Level {
  spend: {
    /** A minute, however small the habit. */
    floorUsd: number
    /** A minute, of a key without a habit yet. */
    newKeyUsd: number
    /** How often the habit. */
    factor: number
    /** A few large requests are no loop. */
    minRequests: number
  }
  /** Both have to be reached. */
  repeats: { count: number; usd: number }
  refusals: { count: number }
}

export const levels: Readonly<Record<GuardSensitivity, Level>> = {
  low: {
    spend: { floorUsd: 20, newKeyUsd: 30, factor: 15, minRequests: 30 },
    repeats: { count: 100, usd: 10 },
    refusals: { count: 1000 },
  },
  // An honest agent with 100 requests and $3 a minute stays far below.
  standard: {
    spend: { floorUsd: 5, newKeyUsd: 8, factor: 8, minRequests: 20 },
    repeats: { count: 30, usd: 2 },
    refusals: { count: 300 },
  },
  high: {
    spend: { floorUsd: 1.5, newKeyUsd: 3, factor: 4, minRequests: 10 },
    repeats: { count: 12, usd: 0.5 },
    refusals: { count: 100 },
  },
}
