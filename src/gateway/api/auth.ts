// Owns the way from a request's headers to a principal, and the scope check. Secrets are looked up by hash only.
import type { IncomingMessage } from 'node:http'
import type { Scope } from '../../shared/keys.ts'
import type { ApiKeys, KeyState } from '../keys/api-keys.ts'
import { scopeForbidden, unauthenticated } from '../platform/errors.ts'
import { looksLikeSecret } from '../platform/ids.ts'

/** Who is calling: the owner of this machine through the window, or the bearer of a key. */
export type Principal = { kind: 'owner' } | { kind: 'key'; key: KeyState; secret: string }

/** Header names other than Authorization in which SDKs of other formats send the same secret. */
const KEY_HEADERS = ['x-api-key', 'api-key', 'x-goog-api-key'] as const

/** The key that the request carries. Throws 401. */
export function authenticate(request: IncomingMessage, keys: ApiKeys): Principal {
  const secret = presentedSecret(request)
  if (secret === null) {
    throw unauthenticated(
      'No API key was sent. Send "Authorization: Bearer <your key>"; keys are made in Tollgate under Keys.',
    )
  }
  const key = looksLikeSecret(secret) ? keys.findBySecret(secret) : null
  if (!key)
    throw unauthenticated(
      'This API key is not known here. Check that it was copied whole, or make a new one.',
    )
  if (key.revokedAt !== null) throw unauthenticated('This API key was revoked. Make a new one.')
  return { kind: 'key', key, secret }
}

/** Throws 403 when the principal's scope is not among `scopes`. The owner may do all. */
export function requireScope(principal: Principal, scopes: readonly Scope[]): void {
  if (principal.kind === 'owner' || scopes.includes(principal.key.scope)) return
  throw scopeForbidden(principal.key.scope, scopes)
}

function presentedSecret(request: IncomingMessage): string | null {
  const authorization = request.headers.authorization
  if (authorization !== undefined) return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ''
  for (const name of KEY_HEADERS) {
    const value = request.headers[name]
    if (typeof value === 'string') return value
  }
  return null
}
