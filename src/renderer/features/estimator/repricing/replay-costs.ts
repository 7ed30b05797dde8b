import { OBSTACLES } from '../../../../shared/api/labels.ts'
import type { Repricing } from '../../../../shared/api/repricing.ts'
import { formatUsd } from '../../../kit/format.ts'

/** The likely cost of replaying requests on a model. */
export interface ReplayCost {
  /** USD; without the requests whose cost is not known. */
  usd: number
  unknown: number
  /** Why the model may not be able to serve some of them. */
  obstacles: string[]
}

/** Nothing is in the cache of a provider, so the costs are those without a cache. */
export function costOfReplay(model: string, requests: readonly (Repricing | undefined)[]): ReplayCost {
  const cost: ReplayCost = { usd: 0, unknown: 0, obstacles: [] }
  for (const repricing of requests) {
    const repriced = repricing?.data.find((row) => row.model === model)
    if (!repriced || repriced.served === 0) cost.unknown += 1
    else cost.usd += repriced.uncachedUsd
    for (const { reason } of repriced?.obstacles ?? []) {
      const text = OBSTACLES[reason]
      if (!cost.obstacles.includes(text)) cost.obstacles.push(text)
    }
  }
  return cost
}

export function describeReplayCost({ usd, unknown }: ReplayCost, requests: number): string {
  if (unknown === requests) return 'Cost unknown'
  const amount = usd === 0 ? 'Likely free' : `Likely about ${formatUsd(usd)}`
  return unknown === 0 ? amount : `${amount}, and ${unknown} of unknown cost`
}
