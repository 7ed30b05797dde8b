import type { ChatRequest } from '../../shared/chat.ts'
import { type NanoUsd, nanoUsd } from '../../shared/money.ts'
import { MAX_REQUEST_NANO } from '../billing/cost.ts'
import type { Amounts } from '../billing/reservation.ts'
import type { Forecast } from './forecast.ts'
import type { Candidate } from './prepare.ts'
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

/** The highest cost of a candidate with `output` tokens in each call, as far as is known of its model. */
export function reservationAt(
  candidate: Candidate,
  output: number,
  discountPercent: number,
  forecast: Forecast,
): NanoUsd {
  const cost = maxCost(candidate, output, discountPercent) * factorOf(candidate, forecast)
  return nanoUsd(Math.min(Math.ceil(cost), MAX_REQUEST_NANO))
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

interface AmountsInput {
  request: ChatRequest
  keyId: string
  discountPercent: number
  isStrict: boolean
}

/**
 * What a request reserves at its start: a plain call its worst case, a stream its prompt and a likely output, or under a
 * strict limit its worst case too. The most
 * expensive candidate decides, because any of them may serve in the end.
 */
export function amountsFor(
  candidates: readonly Candidate[],
  { request, keyId, discountPercent, isStrict }: AmountsInput,
  forecast: Forecast,
): Amounts {
  const maxOf = (outputOf: (candidate: Candidate) => number): NanoUsd => {
    const costs = candidates.map((candidate) =>
      reservationAt(candidate, outputOf(candidate), discountPercent, forecast),
    )
    return nanoUsd(Math.max(0, ...costs))
  }
  if (!request.stream || isStrict) {
    const worst = maxOf(({ bound }) => bound.output)
    return { min: worst, max: worst }
  }
  return {
    min: maxOf(() => 0),
    max: maxOf((candidate) => likelyOutput(candidate, request, keyId, forecast)),
  }
}
