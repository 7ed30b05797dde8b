// The models that a key may use.

import type { MatchesModel } from '../../shared/model-pattern.ts'
import type { Offer } from '../catalog/offers.ts'
import type { KeyState } from '../keys/key-state.ts'
import { GatewayError } from '../platform/errors.ts'

/** By what a key allows and by the offers of a route: both are replaced when they change. */
const filtered = new WeakMap<MatchesModel, WeakMap<readonly Offer[], readonly Offer[]>>()

/**
 * The offers that the key may use, those of fallbacks included. Throws 403 `model_not_allowed` when there is none. Most
 * keys may use all.
 */
export function allowedOffers(
  offers: readonly Offer[],
  key: Pick<KeyState, 'name' | 'allows'>,
  model: string,
): readonly Offer[] {
  const { allows } = key
  if (allows === null) return offers
  const allowed = filterOnce(offers, allows)
  if (allowed.length === 0) throw modelNotAllowed(key.name, model)
  return allowed
}

function filterOnce(offers: readonly Offer[], allows: MatchesModel): readonly Offer[] {
  let known = filtered.get(allows)
  if (!known) {
    known = new WeakMap()
    filtered.set(allows, known)
  }
  let allowed = known.get(offers)
  if (!allowed) {
    allowed = offers.filter(({ id, providerId }) => allows(id, providerId))
    known.set(offers, allowed)
  }
  return allowed
}

export function modelNotAllowed(keyName: string, model: string): GatewayError {
  return new GatewayError({
    status: 403,
    type: 'permission_error',
    message: `The key "${keyName}" may not use the model "${model}". GET /v1/models lists those that it may use; they are set in Tollgate under Keys.`,
    code: 'model_not_allowed',
    param: 'model',
  })
}
