// What a request reserves when it comes: a plain call its worst case, a stream the bound of its prompt and a likely
// output.
import type { ChatRequest } from '../../shared/chat.ts'
import { type NanoUsd, nanoUsd } from '../../shared/money.ts'
import type { Amounts } from '../billing/budget.ts'
import { MOST_NANO } from '../billing/cost.ts'
import type { Candidate } from './candidates.ts'
import type { Forecast } from './forecast.ts'
import { mostCost } from './worst-case.ts'

/** The price of a model that only looks alike may be too low by about as much. */
const APPROXIMATE_PRICE = 2

/** How the usual bounds of a candidate are multiplied, because its usage has passed them before. */
export function factorOf({ offer }: Candidate, forecast: Forecast): number {
  const price = offer.price?.origin.match === 'approximate' ? APPROXIMATE_PRICE : 1
  return forecast.factor(forecastName(offer)) * price
}

/** The name under which usage is remembered: what one provider serves of a model. */
export function forecastName({ providerId, upstreamModel }: Candidate['offer']): string {
  return `${providerId}/${upstreamModel}`
}

/** Output tokens that one call of a stream is likely to bring, all its choices together. */
export function likelyOutput(
  candidate: Candidate,
  request: ChatRequest,
  keyId: string,
  forecast: Forecast,
): number {
  const { bound, offer } = candidate
  const choices = bound.calls > 1 ? 1 : (request.n ?? 1)
  return Math.min(forecast.likelyOutput(keyId, forecastName(offer)) * choices, bound.output)
}

/** The dearest of the candidates decides: any of them may serve in the end. */
export function amountsFor(
  candidates: readonly Candidate[],
  { request, keyId, discountPercent }: { request: ChatRequest; keyId: string; discountPercent: number },
  forecast: Forecast,
): Amounts {
  const dearest = (outputOf: (candidate: Candidate) => number): NanoUsd => {
    const costs = candidates.map((candidate) => {
      const cost = mostCost(candidate.offer, candidate.bound, outputOf(candidate), discountPercent)
      return Math.min(Math.ceil(cost * factorOf(candidate, forecast)), MOST_NANO)
    })
    return nanoUsd(Math.max(0, ...costs))
  }
  if (!request.stream) {
    const worst = dearest(({ bound }) => bound.output)
    return { least: worst, want: worst }
  }
  return {
    least: dearest(() => 0),
    want: dearest((candidate) => likelyOutput(candidate, request, keyId, forecast)),
  }
}
