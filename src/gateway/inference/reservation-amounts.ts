import type { ChatRequest } from '../../shared/chat.ts'
import { type NanoUsd, nanoUsd } from '../../shared/money.ts'
import { MAX_REQUEST_NANO } from '../billing/cost.ts'
import type { Amounts } from '../billing/reservation.ts'
import type { Candidate } from './candidates.ts'
import type { Forecast } from './forecast.ts'
import { maxCost } from './worst-case.ts'

/** A price taken from a similar model may be too low by about this factor. */
const APPROXIMATE_PRICE_FACTOR = 2

/** By what the usual bounds of a candidate are multiplied, because its usage has exceeded them before. */
export function factorOf(candidate: Candidate, forecast: Forecast): number {
  return forecast.factor(forecastName(candidate.offer)) * priceFactor(candidate)
}

/** The part of the factor that was not learned. */
export function priceFactor({ offer }: Candidate): number {
  return offer.price?.origin.match === 'approximate' ? APPROXIMATE_PRICE_FACTOR : 1
}

/** The forecast's name for a model of one provider. */
export function forecastName({ providerId, upstreamModel }: Candidate['offer']): string {
  return `${providerId}/${upstreamModel}`
}

/** The likely output tokens of one streamed call, all its choices together. */
export function likelyOutput(
  candidate: Candidate,
  request: ChatRequest,
  keyId: string,
  forecast: Forecast,
): number {
  const { bound, offer, likelyReasoning } = candidate
  const choices = bound.calls > 1 ? 1 : (request.n ?? 1)
  return Math.min(forecast.likelyOutput(keyId, forecastName(offer), likelyReasoning) * choices, bound.output)
}

/**
 * What a request reserves at its start: a plain call its worst case, a stream its prompt and a likely output. The most
 * expensive candidate decides, because any of them may serve in the end.
 */
export function amountsFor(
  candidates: readonly Candidate[],
  { request, keyId, discountPercent }: { request: ChatRequest; keyId: string; discountPercent: number },
  forecast: Forecast,
): Amounts {
  const maxOf = (outputOf: (candidate: Candidate) => number): NanoUsd => {
    const costs = candidates.map((candidate) => {
      const cost = maxCost(candidate, outputOf(candidate), discountPercent)
      return Math.min(Math.ceil(cost * factorOf(candidate, forecast)), MAX_REQUEST_NANO)
    })
    return nanoUsd(Math.max(0, ...costs))
  }
  if (!request.stream) {
    const worst = maxOf(({ bound }) => bound.output)
    return { min: worst, max: worst }
  }
  return {
    min: maxOf(() => 0),
    max: maxOf((candidate) => likelyOutput(candidate, request, keyId, forecast)),
  }
}
