import type { CostStatus } from '../../../shared/api/requests.ts'
import type { RequestFilter } from '../../data/request-filter.ts'
import { formatUsd } from '../../kit/format.ts'
import { parseUsd } from '../../kit/number-input.ts'

export type CostFilter = Pick<RequestFilter, 'minCostUsd' | 'maxCostUsd' | 'costStatus'>

export const anyCost: CostFilter = { minCostUsd: null, maxCostUsd: null, costStatus: null }

const statusNames: Record<CostStatus, string> = {
  pending: 'Not settled yet',
  exact: 'Exact cost',
  estimated: 'Estimated',
  unsettled: 'Unsettled',
  confirmed: 'Confirmed',
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

export function isSameCost(one: CostFilter, other: CostFilter): boolean {
  return (
    one.minCostUsd === other.minCostUsd &&
    one.maxCostUsd === other.maxCostUsd &&
    one.costStatus === other.costStatus
  )
}

/** "Any cost", "≥ $0.10", "$0.10 – $1.00", "Unsettled". */
export function formatCostFilter({ minCostUsd, maxCostUsd, costStatus }: CostFilter): string {
  const bounds = formatBounds(minCostUsd, maxCostUsd)
  if (costStatus === null) return bounds ?? 'Any cost'
  return bounds === null ? statusNames[costStatus] : `${statusNames[costStatus]}, ${bounds}`
}

function formatBounds(min: number | null, max: number | null): string | null {
  if (min !== null && max !== null) return `${formatUsd(min)} – ${formatUsd(max)}`
  if (min !== null) return `≥ ${formatUsd(min)}`
  return max === null ? null : `≤ ${formatUsd(max)}`
}

export interface ParsedBounds {
  minCostUsd: number | null
  maxCostUsd: number | null
  /** The error of each field; both null when the bounds are valid. */
  minError: string | null
  maxError: string | null
}

export function parseBounds(minText: string, maxText: string): ParsedBounds {
  const min = parseUsd(minText)
  const max = parseUsd(maxText)
  const minCostUsd = min.ok ? min.usd : null
  const maxCostUsd = max.ok ? max.usd : null
  const crossed = minCostUsd !== null && maxCostUsd !== null && minCostUsd > maxCostUsd
  return {
    minCostUsd,
    maxCostUsd,
    minError: min.ok ? null : 'Enter an amount such as 0.25.',
    maxError: max.ok ? (crossed ? 'Must not be less than “From”.' : null) : 'Enter an amount such as 5.',
  }
}
