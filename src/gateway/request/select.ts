import type { Capability } from '../../shared/api/models.ts'
import type { PassThroughEndpoint } from '../../shared/api/operations/operation.ts'
import { isChatModel, isPlan } from '../../shared/api/terms.ts'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import type { MatchesModel } from '../../shared/values/model-pattern.ts'
import { DEFAULT_PATHS, type PassThrough } from '../formats/chat/pass-through.ts'
import type { KeyState } from '../keys/key-state.ts'
import type { Offer } from '../models/catalog/offers.ts'
import { knownProviders } from '../models/providers/known-providers.ts'
import type { ProviderRegistry } from '../models/providers/registry.ts'
import { forbidden, type GatewayError, invalidRequest, notFound } from '../platform/errors.ts'
import {
  getApiProvider,
  type PlanSignIn,
  planNotAdded,
  signInMissing,
} from '../upstream/authorization/plan-sign-in.ts'
import type { UnpricedExtra } from './bound.ts'
import { isPriced } from './pass-through.ts'
import type { Arrival, InferenceDeps, LineOrRequest } from './run.ts'

/**
 * The offers that can serve the request, in their order. Throws 400: models that do not chat, an image for models without vision (`param`
 * names it), or `model_unpriced` where something caps the spend and no offer has a price: it could not be enforced.
 */
function selectEligible(offers: readonly Offer[], request: ChatRequest, caps: Caps): readonly Offer[] {
  let eligible = filterOffers(offers, (offer) => !offer.capabilitiesKnown || isChatModel(offer))
  const [other] = offers
  if (other && eligible.length === 0) throw noChat(request.model, other.capabilities)
  if (hasImages(request)) {
    eligible = filterOffers(
      eligible,
      (offer) => !offer.capabilitiesKnown || offer.capabilities.includes('vision'),
    )
    if (eligible.length === 0) {
      throw invalidRequest(
        `The model "${request.model}" does not accept images. Choose one with the capability "vision".`,
        { param: 'messages' },
      )
    }
  }
  if (!caps.key && !caps.account) return eligible
  const priced = filterOffers(eligible, (offer) => offer.price !== null)
  if (priced.length === 0) throw unpricedModel(request.model, caps)
  return priced
}

/**
 * The offers of providers that serve a request that is passed through, in their order. Throws 404 when none does, and 400
 * like `selectEligible`.
 */
function selectServing(
  offers: readonly Offer[],
  passThrough: PassThrough,
  caps: Caps,
  providers: Pick<ProviderRegistry, 'endpoint' | 'isConfigured'>,
): readonly Offer[] {
  const { endpoint, model } = passThrough
  const serving = offers.filter(
    ({ providerId }) =>
      providers.isConfigured(providerId) &&
      providers.endpoint(providerId).passThroughPaths?.[endpoint] !== undefined,
  )
  if (serving.length === 0) throw notServed(endpoint, model)
  if (!caps.key && !caps.account) return serving
  const priced = serving.filter((offer) => isPriced(offer, passThrough))
  if (priced.length === 0) throw unpricedModel(model, caps)
  return priced
}

/** Returns the list itself if all offers stay, as they usually do. */
function filterOffers(offers: readonly Offer[], test: (offer: Offer) => boolean): readonly Offer[] {
  return offers.every(test) ? offers : offers.filter(test)
}

function notServed(endpoint: PassThroughEndpoint, model: string): GatewayError {
  const names = knownProviders.filter(({ passThrough }) => passThrough?.[endpoint]).map(({ name }) => name)
  return notFound(
    `No provider of "${model}" serves POST /v1${DEFAULT_PATHS[endpoint]}. Choose a model of a provider that does, such as ${names.slice(0, 3).join(', ')}; add it under Providers.`,
    { param: 'model', code: 'endpoint_not_served' },
  )
}

function noChat(model: string, capabilities: readonly Capability[]): GatewayError {
  const list = capabilities.map((each) => `"${each}"`).join(' and ')
  return invalidRequest(
    `The model "${model}" does not chat: it is for ${list}. Choose another one from GET /v1/models.`,
    { param: 'model' },
  )
}

/** The limits that cap the spend of a request. */
export interface Caps {
  key: boolean
  account: boolean
}

function unpricedModel(model: string, caps: Caps): GatewayError {
  const { cap, remedy } = describeCaps(caps)
  return invalidRequest(
    `The price of "${model}" is not known, so ${cap}. Set its price under Models${remedy}.`,
    { param: 'model', code: 'model_unpriced' },
  )
}

/** The error for a request with an extra of unknown cost, although its model has a price. */
export function unpricedExtra({ param, problem, remedy }: UnpricedExtra, caps: Caps): GatewayError {
  const { cap, remedy: without } = describeCaps(caps)
  return invalidRequest(`${problem}, so ${cap}. ${remedy}${without}.`, { param, code: 'model_unpriced' })
}

function describeCaps({ key, account }: Caps): { cap: string; remedy: string } {
  if (key && account)
    return { cap: "neither the key's spend cap nor the monthly limit could be enforced", remedy: '' }
  return key
    ? { cap: "the key's spend cap could not be enforced", remedy: ', or use a key without a cap' }
    : {
        cap: 'the monthly limit could not be enforced',
        remedy: ', or remove the monthly limit under Settings',
      }
}

function hasImages({ messages }: ChatRequest): boolean {
  return messages.some(
    ({ content }) => Array.isArray(content) && content.some((part) => part.type === 'image_url'),
  )
}

/**
 * The offers that can serve the request, in order: first those of the model that a feature has chosen instead. Throws GatewayError if
 * there are none.
 */
export function findOffers(arrival: Arrival): readonly Offer[] {
  const { instead, request, key, tag } = arrival.call
  const offers = findModelOffers(request.model, arrival)
  if (!instead) return offers
  const others = offers.filter((offer) => !instead.offers.includes(offer))
  return arrival.deps.spendLimits.keepWithin([...instead.offers, ...others], { key, ...arrival.place, tag })
}

/** The offers of this model that can serve the request, like `findOffers`. */
export function findModelOffers(model: string, { call, deps, place }: LineOrRequest): readonly Offer[] {
  const { request, mode, key, tag, overflowFrom } = call
  const { catalog, spendLimits, providers } = deps
  if (mode.kind === 'plan') return allowedOffers(findPlanOffers(model, mode.signIn, deps), key, model)
  const offered =
    overflowFrom === null
      ? withoutPlans(catalog.route(model).offers)
      : findVendorOffers(model, overflowFrom, deps)
  const routed = allowedOffers(offered, key, model)
  const subject = { key, ...place, tag }
  const offers = spendLimits.keepWithin(routed, subject)
  const caps = spendLimits.findCaps({ ...subject, models: offers })
  return mode.kind === 'raw'
    ? selectServing(offers, mode.passThrough, caps, providers)
    : selectEligible(offers, { ...request, model }, caps)
}

/** The offer of a plan, which no other provider replaces. Throws 403 if the user has not added it, and 404 as `route` does. */
export function findPlanOffers(
  model: string,
  { providerId }: PlanSignIn,
  { catalog, providers }: Pick<InferenceDeps, 'catalog' | 'providers'>,
): readonly Offer[] {
  if (!providers.findEnabled(providerId)) throw planNotAdded(providerId)
  return catalog.route(`${providerId}/${model}`).offers.filter((offer) => offer.providerId === providerId)
}

/** The offers of a plan's vendor by API key; none if there is no such key, or the vendor does not have the model. */
export function findVendorOffers(
  model: string,
  plan: string,
  { catalog, providers }: Pick<InferenceDeps, 'catalog' | 'providers'>,
): readonly Offer[] {
  const provider = getApiProvider(plan)
  const id = `${provider}/${model}`
  if (!providers.isConfigured(provider) || !catalog.knows(id)) return []
  return catalog.route(id).offers.filter(({ providerId }) => providerId === provider)
}

/** The offers for a request that comes without the sign-in of a plan. Throws 403 if there are none. */
export function withoutPlans(offers: readonly Offer[]): readonly Offer[] {
  const others = filterOffers(offers, ({ providerId }) => !isPlan(providerId))
  const [plan] = offers
  if (plan && others.length === 0) throw signInMissing(plan.providerId)
  return others
}

// The models that a key may use.

/** The offers by what a key allows and by the offers of a route: both are replaced when they change. */
const filtered = new WeakMap<MatchesModel, WeakMap<readonly Offer[], readonly Offer[]>>()

/**
 * The offers that the key may use, those of fallbacks included. Throws 403 `model_not_allowed` when there is none. Most
 * keys may use all.
 */
export function allowedOffers(
  offers: readonly Offer[],
  key: Pick<KeyState, 'name' | 'modelMatcher'>,
  model: string,
): readonly Offer[] {
  const { modelMatcher: matches } = key
  if (matches === null) return offers
  const allowed = filterOnce(offers, matches)
  if (allowed.length === 0) throw modelNotAllowed(key.name, model)
  return allowed
}

function filterOnce(offers: readonly Offer[], matches: MatchesModel): readonly Offer[] {
  let cachedOffers = filtered.get(matches)
  if (!cachedOffers) {
    cachedOffers = new WeakMap()
    filtered.set(matches, cachedOffers)
  }
  let allowed = cachedOffers.get(offers)
  if (!allowed) {
    allowed = offers.filter(({ id, providerId }) => matches(id, providerId))
    cachedOffers.set(offers, allowed)
  }
  return allowed
}

export function modelNotAllowed(keyName: string, model: string): GatewayError {
  return forbidden(
    `The key "${keyName}" may not use the model "${model}". GET /v1/models lists those that it may use; they are set in Tollgate under Keys.`,
    { code: 'model_not_allowed', param: 'model' },
  )
}
