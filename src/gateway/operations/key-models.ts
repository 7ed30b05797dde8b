// The models that the caller may use, of all that the catalog has.

import type { MatchesModel } from '../../shared/model-pattern.ts'
import type { ModelRecord } from '../../shared/models.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Principal } from '../http/auth.ts'
import { modelNotAllowed } from '../request/select.ts'

export function listModels(catalog: Catalog, principal: Principal, withDisabled: boolean): ModelRecord[] {
  const models = catalog.list(withDisabled)
  const allows = principal.kind === 'key' ? principal.key.allows : null
  return allows === null ? models : models.filter((model) => isAllowed(model, allows))
}

/** Throws 404 for an unknown model, and 403 for one that the key may not use. */
export function getModel(catalog: Catalog, principal: Principal, id: string): ModelRecord {
  const model = catalog.get(id)
  if (principal.kind === 'owner' || principal.key.allows === null) return model
  if (isAllowed(model, principal.key.allows)) return model
  throw modelNotAllowed(principal.key.name, id)
}

function isAllowed({ id, providers }: ModelRecord, allows: MatchesModel): boolean {
  return providers.some((provider) => {
    // The caller may have asked for `provider/id`.
    const plain = id.startsWith(`${provider}/`) ? id.slice(provider.length + 1) : id
    return allows(plain, provider) || allows(id, provider)
  })
}
