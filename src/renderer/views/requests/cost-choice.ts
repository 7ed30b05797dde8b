// Owns what the cost filter can ask for, in words, and reading the bounds that a person typed. Pure.
import type { CostStatus } from '../../../shared/requests.ts'
import { formatUsd } from '../../format.ts'
import { parseUsd } from '../../number-input.ts'
import type { RequestFilter } from '../../server-state/request-filter.ts'

export type CostFilter = Pick<RequestFilter, 'minCostUsd' | 'maxCostUsd' | 'costStatus'>

export const anyCost: CostFilter = { minCostUsd: null, maxCostUsd: null, costStatus: null }

const statusNames: Record<CostStatus, string> = {
  pending: 'Not settled yet',
  exact: 'Exact cost',
  estimated: 'Estimated',
  unsettled: 'Unsettled',
  confirmed: 'Confirmed by you',
  unknown: 'Unknown price',
  free: 'Free',
}

export const quickCosts: readonly CostFilter[] = [
  { ...anyCost, minCostUsd: 0.01 },
  { ...anyCost, minCostUsd: 0.1 },
  { ...anyCost, minCostUsd: 1 },
  { ...anyCost, costStatus: 'unsettled' },
  { ...anyCost, costStatus: 'unknown' },
]

export function sameCost(one: CostFilter, other: CostFilter): boolean {
  return (
    one.minCostUsd === other.minCostUsd &&
    one.maxCostUsd === other.maxCostUsd &&
    one.costStatus === other.costStatus
  )
}

/** "Any cost", "≥ $0.10", "$0.10 – $1.00", "Unsettled". */
export function costName({ minCostUsd, maxCostUsd, costStatus }: CostFilter): string {
  const bounds = boundsName(minCostUsd, maxCostUsd)
  if (costStatus === null) return bounds ?? 'Any cost'
  return bounds === null ? statusNames[costStatus] : `${statusNames[costStatus]}, ${bounds}`
}

function boundsName(min: number | null, max: number | null): string | null {
  if (min !== null && max !== null) return `${formatUsd(min)} – ${formatUsd(max)}`
  if (min !== null) return `≥ ${formatUsd(min)}`
  return max === null ? null : `≤ ${formatUsd(max)}`
}

export interface BoundsRead {
  minCostUsd: number | null
  maxCostUsd: number | null
  /** What is wrong with each of the fields; both null when the bounds can be used. */
  minError: string | null
  maxError: string | null
}

export function readBounds(minText: string, maxText: string): BoundsRead {
  const min = parseUsd(minText)
  const max = parseUsd(maxText)
  const minCostUsd = min.ok ? min.usd : null
  const maxCostUsd = max.ok ? max.usd : null
  const crossed = minCostUsd !== null && maxCostUsd !== null && minCostUsd > maxCostUsd
  return {
    minCostUsd,
    maxCostUsd,
    minError: min.ok ? null : 'An amount such as 0.25.',
    maxError: max.ok ? (crossed ? 'Not less than “from”.' : null) : 'An amount such as 5.',
  }
}
