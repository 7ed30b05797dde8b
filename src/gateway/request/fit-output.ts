// Under a strict limit, an answer is shortened to what the limit leaves.
import type { ChatRequest } from '../../shared/chat.ts'
import type { Offer } from '../catalog/offers.ts'
import type { Forecast } from './forecast.ts'
import type { Candidate, OutputLimits } from './prepare.ts'
import { reservationAt } from './reservation-amounts.ts'

/** Tokens; an answer is not shortened below this, unless the client itself asks for less. */
const LEAST_OUTPUT = 256

interface Room {
  request: ChatRequest
  /** Nano-dollars. */
  roomNano: number
  discountPercent: number
}

/** The largest output limits whose worst case fits into `roomNano`. Offers of which no useful answer fits are absent. */
export function fitOutputs(
  candidates: readonly Candidate[],
  { request, roomNano, discountPercent }: Room,
  forecast: Forecast,
): OutputLimits {
  const limits = new Map<Offer, number>()
  for (const candidate of candidates) {
    if (candidate.refusal) continue
    const { bound, offer } = candidate
    const choices = bound.calls > 1 ? 1 : (request.n ?? 1)
    const most = Math.floor(bound.output / choices)
    const fits = (tokens: number) =>
      reservationAt(candidate, tokens * choices, discountPercent, forecast) <= roomNano
    const limit = largest(most, fits)
    if (limit >= Math.min(LEAST_OUTPUT, most)) limits.set(offer, limit)
  }
  return limits
}

/** The largest number from 0 to `most` that fits, where all below one that fits do so too; -1 for none. */
function largest(most: number, fits: (tokens: number) => boolean): number {
  let low = -1
  let high = most
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}
