// Owns who may knock on loopback: Host, Origin, fetch metadata, doubled headers and odd paths. Knows nothing of keys.
// Loopback is not authentication: any web page can reach this port (DNS rebinding, CVE-2024-28224).
import type { IncomingMessage } from 'node:http'
import { forbidden, type GatewayError, invalidRequest } from '../platform/errors.ts'
import { noSuchPath } from './endpoints.ts'

export interface DoorPolicy {
  port: number
  allowedOrigins: readonly string[]
}

const HOST_NAMES = ['127.0.0.1', 'localhost', '[::1]'] as const
/** Headers of which two would be read differently by different readers. */
const SINGLE_HEADERS = [
  'host',
  'authorization',
  'idempotency-key',
  'content-type',
  'x-api-key',
  'origin',
] as const

/** Why the request is refused before anything is read of it, or null. */
export function refusal(request: IncomingMessage, policy: DoorPolicy): GatewayError | null {
  return (
    refuseDoubled(request) ??
    refuseHost(request, policy) ??
    refuseOrigin(request, policy) ??
    refusePath(request)
  )
}

/** The CORS headers for an origin that the user allows; none for any other. */
export function corsHeaders(request: IncomingMessage, policy: DoorPolicy): Record<string, string> {
  const origin = request.headers.origin
  if (origin === undefined || !policy.allowedOrigins.includes(origin)) return {}
  return {
    'access-control-allow-origin': origin,
    vary: 'Origin',
    'access-control-expose-headers':
      'x-service-request-id, x-request-id, x-service-tokens-in, x-service-tokens-out, x-service-cost-usd, x-service-model, retry-after, idempotency-replayed',
  }
}

function refuseDoubled(request: IncomingMessage): GatewayError | null {
  const seen = new Set<string>()
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i]?.toLowerCase() ?? ''
    if (!SINGLE_HEADERS.some((single) => single === name)) continue
    if (seen.has(name)) return invalidRequest(`The header "${name}" was sent twice. Send it once.`)
    seen.add(name)
  }
  return null
}

function refuseHost(request: IncomingMessage, policy: DoorPolicy): GatewayError | null {
  const host = request.headers.host
  if (host === undefined || host === '') return invalidRequest('The Host header is missing.')
  // Whole names only: a prefix match would let 127.0.0.1.evil.example in.
  const known = HOST_NAMES.some((name) => host.toLowerCase() === `${name}:${policy.port}`)
  return known
    ? null
    : forbidden(`This gateway answers only on its own address, http://127.0.0.1:${policy.port}.`)
}

function refuseOrigin(request: IncomingMessage, policy: DoorPolicy): GatewayError | null {
  const origin = request.headers.origin
  if (origin !== undefined) {
    const own = HOST_NAMES.some((name) => origin === `http://${name}:${policy.port}`)
    if (own || policy.allowedOrigins.includes(origin)) return null
    return forbidden(
      'Web pages of this origin may not call the gateway. Its owner can allow the origin in Settings.',
    )
  }
  const site = request.headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return null
  return forbidden('Web pages of other sites may not call the gateway.')
}

/** Letters, digits, "-", "." and "_", of which routes are made: encoded, they would be another spelling of a route. */
const NEEDLESSLY_ENCODED = /%(2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\da])/i

/** Paths that WHATWG URL parsers would normalise into another route are no routes at all. */
function refusePath({ method = '', url = '' }: IncomingMessage): GatewayError | null {
  const path = url.split('?', 1)[0] ?? ''
  const odd =
    !path.startsWith('/') ||
    path.includes('//') ||
    path.includes('\\') ||
    // Nobody sends a fragment, and routers cut it off.
    url.includes('#') ||
    /%5c|%00/i.test(path) ||
    NEEDLESSLY_ENCODED.test(path) ||
    /\/\.\.?(\/|$)/.test(path)
  return odd ? noSuchPath(method, url) : null
}
