import type { IncomingHttpHeaders } from 'node:http'
import type { Scope } from '../../shared/api/keys.ts'
import type { ApiKeys } from '../keys/api-keys.ts'
import { hasExpired, type KeyState } from '../keys/key-state.ts'
import type { Clock } from '../platform/clock.ts'
import { forbidden, unauthenticated } from '../platform/errors.ts'
import { looksLikeSecret } from '../platform/ids.ts'
import { isPlanToken } from '../upstream/authorization/plan-sign-in.ts'

/** The caller: the owner, through the app's window, or the bearer of a key. */
export type Principal = { kind: 'owner' } | { kind: 'key'; key: KeyState; secret: string }

/** The header for a client that sends something else in the others. */
const OWN_HEADER = 'x-tollgate-key'
/** Headers besides Authorization in which SDKs of other API formats send the key. */
const KEY_HEADERS = ['x-api-key', 'api-key', 'x-goog-api-key'] as const

interface AuthServices {
  keys: ApiKeys
  clock: Clock
}

/** The principal of a request's key. Throws 401. */
export function authenticate(headers: IncomingHttpHeaders, query: string, services: AuthServices): Principal {
  const secret = readSecret(headers)
  if (secret === null) {
    if (/(^|&)key=/.test(query)) {
      throw unauthenticated(
        'The API key is in the URL, where histories and logs keep it. Send it in the header "x-goog-api-key" or as "Authorization: Bearer <your key>".',
      )
    }
    throw unauthenticated(
      'No API key was sent. Send "Authorization: Bearer <your key>". You can create keys in Tollgate under Keys.',
    )
  }
  const key = looksLikeSecret(secret) ? services.keys.findBySecret(secret) : null
  if (!key)
    throw unauthenticated(
      'This API key does not exist. Check that it was copied completely, or create a new one.',
    )
  const principal: Principal = { kind: 'key', key, secret }
  requireValid(principal, services)
  return principal
}

/** Throws 401 once the principal's key is revoked or has expired, which it may have been since it was authenticated. */
export function requireValid(principal: Principal, { keys, clock }: AuthServices): void {
  if (principal.kind === 'owner') return
  const { key } = principal
  if (key.revokedAt !== null) throw unauthenticated('This API key was revoked. Create a new one.')
  if (hasExpired(key, clock.now())) {
    keys.expiry.note(key)
    throw unauthenticated(
      `The key "${key.name}" has expired. Set a later end in Tollgate under Keys, or use another key.`,
      'key_expired',
    )
  }
}

/** Throws 403 when the principal's scope is not among `scopes`. The owner has every scope. */
export function requireScope(principal: Principal, scopes: readonly Scope[]): void {
  if (principal.kind === 'owner' || scopes.includes(principal.key.scope)) return
  const list = scopes.map((scope) => `"${scope}"`).join(' or ')
  throw forbidden(
    `This key has the scope "${principal.key.scope}", which does not allow this operation. Use a key with the scope ${list}.`,
  )
}

/**
 * Null if there is none. Throws 401 for two that differ: a client that is set up wrong must not spend on either. Next to
 * `x-tollgate-key`, the other headers may hold what is no key of Tollgate's. Throws 403 for the sign-in of a plan without a
 * key of Tollgate's.
 */
function readSecret(headers: IncomingHttpHeaders): string | null {
  const { authorization, [OWN_HEADER]: ownSecret } = headers
  const isOwn = typeof ownSecret === 'string'
  const bearer = authorization === undefined ? null : (BEARER.exec(authorization)?.[1] ?? '')
  if (!isOwn && bearer !== null && isPlanToken(bearer, headers)) throw planWithoutKey()
  let secret = isOwn ? ownSecret : null
  for (const value of [bearer, ...KEY_HEADERS.map((name) => headers[name])]) {
    if (typeof value !== 'string' || (isOwn && !looksLikeSecret(value))) continue
    if (secret !== null && secret !== value) throw differentKeys(headers)
    secret = value
  }
  return secret
}

function planWithoutKey() {
  return forbidden(
    'Authorization holds the sign-in of a Claude or ChatGPT plan, and no Tollgate key came with it. Send the key in "x-tollgate-key"; docs/plans.md says how to set that in your tool.',
    { code: 'plan_sign_in' },
  )
}

const BEARER = /^Bearer +(\S+)$/i

function differentKeys(headers: IncomingHttpHeaders) {
  const sent = [OWN_HEADER, ...KEY_HEADERS].filter((name) => headers[name] !== undefined)
  const names = [...(headers.authorization === undefined ? [] : ['Authorization']), ...sent]
  const list = names.map((name) => `"${name}"`).join(' and ')
  return unauthenticated(`Different API keys were sent in ${list}. Send one key, in one of them.`)
}
