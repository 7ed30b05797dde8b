// Owns what must hold before a request may go upstream: the model can do it, its price is known, its worst case.
// Pure: takes values, returns values or throws the refusal.
import { type ChatRequest, outputLimit } from '../../shared/chat.ts'
import { type NanoUsd, nanoUsd, ZERO_USD } from '../../shared/money.ts'
import type { Offer } from '../catalog/offers.ts'
import { costOf, NO_USAGE, type Rates } from '../cost.ts'
import { type GatewayError, invalidRequest } from '../errors.ts'
import type { PromptSize } from '../tokens.ts'
import { ASSUMED_MAX_OUTPUT } from '../upstream/target.ts'

/** No model writes more in one answer. Without a bound, an absurd `max_tokens` would reserve more than can be counted. */
const MOST_OUTPUT = 10_000_000

/**
 * The offers that can serve the request, in their order. Throws 400: an image for models without vision (`param`
 * names it), or `model_unpriced` where something caps the spend and no offer has a price: it could not be kept.
 */
export function eligible(offers: readonly Offer[], request: ChatRequest, caps: Caps): readonly Offer[] {
  let left = offers
  if (hasImages(request)) {
    left = left.filter((offer) => !offer.capabilitiesKnown || offer.capabilities.includes('vision'))
    if (left.length === 0) {
      throw invalidRequest(
        `The model "${request.model}" does not accept images. Choose one with the capability "vision".`,
        {
          param: 'messages',
        },
      )
    }
  }
  if (!caps.key && !caps.month) return left
  const priced = left.filter((offer) => offer.price !== null)
  if (priced.length === 0) {
    throw unpriced(request.model, caps)
  }
  return priced
}

/** What bounds the spend of a request. */
export interface Caps {
  key: boolean
  month: boolean
}

function unpriced(model: string, { key, month }: Caps): GatewayError {
  const [cap, lifted] =
    key && month
      ? ["neither the key's spend cap nor the monthly limit could be kept", '']
      : key
        ? ["the key's spend cap could not be kept", ', or use a key without a cap']
        : ['the monthly limit could not be kept', ', or remove the monthly limit under Settings']
  return invalidRequest(
    `The price of "${model}" is not known, so ${cap}. Set its price under Models${lifted}.`,
    { param: 'model', code: 'model_unpriced' },
  )
}

/** The most that the request can cost with any of the offers, in nano-dollars. */
export function worstCase(
  offers: readonly Offer[],
  request: ChatRequest,
  size: PromptSize,
  discount: number,
): NanoUsd {
  return offers.reduce<NanoUsd>((most, offer) => {
    if (!offer.price) return most
    const usage = { ...NO_USAGE, input: size.atMost, output: maxOutput(offer, request) * (request.n ?? 1) }
    const cost = costOf(usage, dearest(offer.price.rates(size.atMost)), discount)
    return nanoUsd(Math.max(cost, most))
  }, ZERO_USD)
}

function maxOutput(offer: Offer, request: ChatRequest): number {
  const asked = outputLimit(request)
  const limit = Math.min(offer.maxOutputTokens ?? offer.contextWindow ?? MOST_OUTPUT, MOST_OUTPUT)
  if (asked !== null) return Math.min(asked, limit)
  if (offer.maxOutputTokens !== null) return limit
  return Math.min(ASSUMED_MAX_OUTPUT, offer.contextWindow ?? ASSUMED_MAX_OUTPUT)
}

/** Writing a prompt into a cache can cost more than reading it plainly. */
function dearest(rates: Rates): Rates {
  const { input, cacheWrite5m, cacheWrite1h, audioInput, output, audioOutput } = rates
  return {
    ...rates,
    input: Math.max(input, cacheWrite5m, cacheWrite1h, audioInput),
    output: Math.max(output, audioOutput),
  }
}

function hasImages({ messages }: ChatRequest): boolean {
  return messages.some(
    ({ content }) => Array.isArray(content) && content.some((part) => part.type === 'image_url'),
  )
}
