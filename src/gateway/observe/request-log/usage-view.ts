import { nanoToUsd, nanoUsd } from '../../../shared/money.ts'
import type { Usage } from '../../../shared/usage.ts'
import type { UsageSum } from '../../store/store.ts'
import { percentile, sumTimings } from '../../store/sums/rollup-columns.ts'

type Totals = Usage['total']

/** Sums in the API's units, with percentiles where the store added histograms of the durations. */
export function usageView(sums: readonly UsageSum[], latency: boolean): Totals {
  const costNano = sums.reduce((nano, sum) => nano + sum.costNano, 0)
  return {
    requests: total(sums, 'requests'),
    tokensIn: total(sums, 'tokensIn'),
    tokensOut: total(sums, 'tokensOut'),
    tokensCached: total(sums, 'tokensCached'),
    costUsd: nanoToUsd(nanoUsd(costNano)),
    errors: total(sums, 'errors'),
    unpriced: total(sums, 'unpriced'),
    ...(latency ? percentiles(sums) : {}),
  }
}

type Count = 'requests' | 'tokensIn' | 'tokensOut' | 'tokensCached' | 'errors' | 'unpriced'

function total(sums: readonly UsageSum[], name: Count): number {
  return sums.reduce((total, sum) => total + sum[name], 0)
}

function percentiles(sums: readonly UsageSum[]) {
  const timings = sumTimings(sums.map((sum) => sum.timings))
  return {
    latencyP50Ms: percentile(timings.total, 0.5),
    latencyP95Ms: percentile(timings.total, 0.95),
    firstByteP50Ms: percentile(timings.firstByte, 0.5),
  }
}
