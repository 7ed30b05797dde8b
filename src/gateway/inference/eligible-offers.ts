import type { ChatRequest } from '../../shared/chat.ts'
import type { Offer } from '../catalog/offers.ts'
import { type GatewayError, invalidRequest } from '../platform/errors.ts'

/**
 * The offers that can serve the request, in their order. Throws 400: an image for models without vision (`param`
 * names it), or `model_unpriced` where something caps the spend and no offer has a price: it could not be enforced.
 */
export function selectEligible(offers: readonly Offer[], request: ChatRequest, caps: Caps): readonly Offer[] {
  let eligible = offers
  if (hasImages(request)) {
    eligible = eligible.filter((offer) => !offer.capabilitiesKnown || offer.capabilities.includes('vision'))
    if (eligible.length === 0) {
      throw invalidRequest(
        `The model "${request.model}" does not accept images. Choose one with the capability "vision".`,
        {
          param: 'messages',
        },
      )
    }
  }
  if (!caps.key && !caps.month) return eligible
  const priced = eligible.filter((offer) => offer.price !== null)
  if (priced.length === 0) {
    throw unpricedModel(request.model, caps)
  }
  return priced
}

/** What caps the spend of a request. */
export interface Caps {
  key: boolean
  month: boolean
}

function unpricedModel(model: string, { key, month }: Caps): GatewayError {
  const [cap, remedy] =
    key && month
      ? ["neither the key's spend cap nor the monthly limit could be enforced", '']
      : key
        ? ["the key's spend cap could not be enforced", ', or use a key without a cap']
        : ['the monthly limit could not be enforced', ', or remove the monthly limit under Settings']
  return invalidRequest(
    `The price of "${model}" is not known, so ${cap}. Set its price under Models${remedy}.`,
    { param: 'model', code: 'model_unpriced' },
  )
}

function hasImages({ messages }: ChatRequest): boolean {
  return messages.some(
    ({ content }) => Array.isArray(content) && content.some((part) => part.type === 'image_url'),
  )
}
