// What operations refuse although it is well formed.
import type { Plan } from '../../shared/account.ts'
import type { KeyUpdate } from '../../shared/keys.ts'
import { invalidRequest } from '../platform/errors.ts'

export function unpriced(model: string) {
  return invalidRequest(`The price of "${model}" is not known. Set its price to estimate with it.`, {
    param: 'model',
    code: 'model_unpriced',
  })
}

export function unpricedTier(model: string, tier: string) {
  return invalidRequest(
    `The prices of "${model}" in the tier "${tier}" are not known. Leave out "serviceTier", or set "tierFactors" in its price.`,
    { param: 'serviceTier', code: 'model_unpriced' },
  )
}

/** A key's own limits lie within its plan's. One that was set under a larger plan may stay. */
export function refuseAbovePlan(
  limits: Pick<KeyUpdate, 'rpmLimit' | 'tpmLimit'>,
  { requestsPerMinute, tokensPerMinute }: Plan,
  before?: Pick<KeyUpdate, 'rpmLimit' | 'tpmLimit'>,
): void {
  const most = { rpmLimit: requestsPerMinute, tpmLimit: tokensPerMinute }
  for (const field of ['rpmLimit', 'tpmLimit'] as const) {
    const value = limits[field] ?? null
    if (value === null || value <= most[field] || value === before?.[field]) continue
    throw invalidRequest(
      `"${field}" can be at most ${most[field]}, the limit for all keys together. It is set in Tollgate under Settings, in the section Limits, or with PATCH /v1/settings (planLimits).`,
      {
        param: field,
      },
    )
  }
}

/** A gateway that is its own provider would call itself until something breaks. */
export function refuseLoop(baseUrl: string | undefined, port: number): void {
  if (baseUrl === undefined) return
  const url = new URL(baseUrl)
  const loopback = /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(url.hostname)
  if (loopback && Number(url.port || (url.protocol === 'https:' ? 443 : 80)) === port) {
    throw invalidRequest('This is the address of Tollgate itself. Enter the address of the provider.', {
      param: 'baseUrl',
    })
  }
}
