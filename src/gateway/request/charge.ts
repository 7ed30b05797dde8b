import type { ChatUsage } from '../../shared/chat-completion.ts'
import { addUsd, type NanoUsd, nanoToUsd, nanoUsd, ZERO_USD } from '../../shared/money.ts'
import type { AppliedPrice, CostStatus, UsageBuckets } from '../../shared/requests.ts'
import { sumUsage } from '../formats/token-usage.ts'

export interface Charge {
  usage: UsageBuckets | null
  tokensIn: number
  tokensOut: number
  /** Null when there is no price. */
  costNano: NanoUsd | null
  costStatus: Exclude<CostStatus, 'pending'>
  /** Bounds, when the outcome is not known or the provider reported far more than was possible; null otherwise. */
  costLowNano: NanoUsd | null
  costHighNano: NanoUsd | null
  price: AppliedPrice | null
}

/** The charge of a request that no provider worked on. */
export const FREE: Charge = {
  usage: null,
  tokensIn: 0,
  tokensOut: 0,
  costNano: ZERO_USD,
  costStatus: 'free',
  costLowNano: null,
  costHighNano: null,
  price: null,
}

/** From the most to the least certain. */
const BY_CERTAINTY: readonly Charge['costStatus'][] = [
  'free',
  'exact',
  'confirmed',
  'estimated',
  'unsettled',
  'unknown',
]

/** Both together, with the less certain status, and the first price. */
export function addCharges(a: Charge, b: Charge): Charge {
  if (a.costStatus === 'free') return b
  if (b.costStatus === 'free') return a
  const costStatus =
    BY_CERTAINTY.indexOf(a.costStatus) > BY_CERTAINTY.indexOf(b.costStatus) ? a.costStatus : b.costStatus
  const cost =
    a.costNano === null || b.costNano === null ? (a.costNano ?? b.costNano) : addUsd(a.costNano, b.costNano)
  const hasBounds = a.costHighNano !== null || b.costHighNano !== null
  const open = costStatus === 'unsettled' || (costStatus === 'estimated' && hasBounds)
  return {
    usage: a.usage && b.usage ? sumUsage([a.usage, b.usage]) : (a.usage ?? b.usage),
    tokensIn: a.tokensIn + b.tokensIn,
    tokensOut: a.tokensOut + b.tokensOut,
    costNano: cost,
    costStatus,
    costLowNano: open ? addBounds(a, b, 'costLowNano') : null,
    costHighNano: open ? addBounds(a, b, 'costHighNano') : null,
    price: a.price ?? b.price,
  }
}

/** A charge without bounds is its own bound. */
function addBounds(a: Charge, b: Charge, side: 'costLowNano' | 'costHighNano'): NanoUsd {
  return nanoUsd((a[side] ?? a.costNano ?? 0) + (b[side] ?? b.costNano ?? 0))
}

/** Usage with its `cost` in USD; without a price there is none. */
export function withCost(usage: ChatUsage, costNano: NanoUsd | null): ChatUsage {
  const { cost: _upstream, ...counts } = usage
  return costNano === null ? counts : { ...counts, cost: nanoToUsd(costNano) }
}
