// The differences in inference for requests that are passed through to a provider.

import type { UsageBuckets } from '../../shared/api/requests.ts'
import { NO_USAGE } from '../../shared/api/usage-buckets.ts'
import type { Target } from '../formats/chat/codec-types.ts'
import { NOT_SUPPORTED, UpstreamFailure } from '../formats/chat/failure.ts'
import type { PassThrough, RawUsage, Units } from '../formats/chat/pass-through.ts'
import { type ReportedUsage, tokensIn, tokensOut } from '../formats/chat/usage.ts'
import type { Offer } from '../models/catalog/offers.ts'
import type { Price } from '../models/catalog/price-bands.ts'
import { ASSUMED_CONTEXT } from './bound.ts'
import type { CandidateDraft } from './quote.ts'

/** The candidate of an offer for a request that is passed through. */
export function passThroughCandidate(offer: Offer, target: Target, passThrough: PassThrough): CandidateDraft {
  const { endpoint, unit, bound, unknownInputs, encode, readUsage } = passThrough
  const path = target.passThroughPaths?.[endpoint]
  const { input, output, most, likely } = bound
  const billed = billedBy(offer.price, unit)
  return {
    offer,
    target,
    encoded: path === undefined ? null : { path, ...encode(offer.upstreamModel) },
    calls: 1,
    mode: { kind: 'raw', readUsage: (answer) => toReport(readUsage(answer), billed) },
    refusal: path === undefined ? notServed(endpoint) : null,
    bound: {
      calls: 1,
      // Images are made one by one, each from all of the input.
      prompt: input + unknownInputs * (offer.contextWindow ?? ASSUMED_CONTEXT) * (most.images ?? 1),
      external: unknownInputs > 0,
      output,
      ...(billed.unit && { units: { most, likely } }),
    },
    shortenedTo: null,
  }
}

/** Whether an offer's price covers what the request can be billed for. */
export function isPriced({ price }: Offer, { unit }: PassThrough): boolean {
  if (!price) return false
  const { tokens, unit: perUnit } = billedBy(price, unit)
  return tokens || perUnit || unit === null || !isUnknown(price, unit)
}

interface BilledUnits {
  tokens: boolean
  unit: boolean
}

function billedBy(price: Price | null, unit: keyof Units | null): BilledUnits {
  const tokens = price !== null && (price.pricing.inputPerMillion > 0 || price.pricing.outputPerMillion > 0)
  return { tokens, unit: unit !== null && price !== null && !isUnknown(price, unit) }
}

function isUnknown(price: Price, unit: keyof Units): boolean {
  return price.rates(0).assumed?.includes(unit) === true
}

/**
 * The usage that is billed: tokens, other units or both, as the price has them. Without a price for either, all is reported.
 * Null if the model is billed by tokens that are not reported.
 */
function toReport({ tokens, units, costUsd }: RawUsage, billed: BilledUnits): ReportedUsage | null {
  if (!tokens && (billed.tokens || !units)) return null
  const isTokensUsed = tokens !== null && (billed.tokens || !tokens.estimated)
  const isUnitUsed = units !== undefined && (billed.unit || !billed.tokens)
  const buckets: UsageBuckets = {
    ...NO_USAGE,
    ...(isTokensUsed && tokens.counts),
    ...(isUnitUsed && units.counts),
  }
  const [prompt, completion] = [tokensIn(buckets), tokensOut(buckets)]
  return {
    buckets,
    costUsd,
    estimated: (isTokensUsed && tokens.estimated === true) || (isUnitUsed && units.estimated === true),
    asChatUsage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  }
}

function notServed(endpoint: string): UpstreamFailure {
  return new UpstreamFailure({
    kind: 'status',
    status: 404,
    code: NOT_SUPPORTED,
    sent: false,
    message: `This provider does not serve ${endpoint}.`,
  })
}
