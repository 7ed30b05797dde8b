// Loopback is not authentication: any web page can reach this port (DNS rebinding, CVE-2024-28224).
import type { IncomingMessage } from 'node:http'
import { forbidden, type GatewayError, invalidRequest } from '../platform/errors.ts'
import { CONTAINER_HOST, isOnBridge } from './container-requests.ts'
import { pathNotFound } from './endpoints.ts'

interface OriginPolicy {
  port: number
  /** The address of the connection on this computer. */
  localAddress: string | undefined
  /** The user lets containers call the gateway. */
  containerAccess: boolean
  allowedOrigins: readonly string[]
}

const HOST_NAMES = ['127.0.0.1', 'localhost', '[::1]'] as const
/** Headers that must not be repeated, because programs disagree about which value counts. */
const SINGLE_HEADERS = [
  'host',
  'authorization',
  'idempotency-key',
  'content-type',
  'x-api-key',
  'origin',
] as const

/** Checks headers and path before the body is read. Returns the error to respond with, or null. */
export function guardOrigin(request: IncomingMessage, policy: OriginPolicy): GatewayError | null {
  return (
    checkRepeatedHeaders(request) ??
    checkHost(request, policy) ??
    checkOrigin(request, policy) ??
    checkPath(request)
  )
}

/** The CORS headers for an allowed origin; none for any other. */
export function corsHeaders(request: IncomingMessage, policy: OriginPolicy): Record<string, string> {
  const origin = request.headers.origin
  if (origin === undefined || !policy.allowedOrigins.includes(origin)) return {}
  return {
    'access-control-allow-origin': origin,
    vary: 'Origin',
    'access-control-expose-headers':
      'x-service-request-id, x-request-id, request-id, x-service-tokens-in, x-service-tokens-out, x-service-cost-usd, x-service-model, retry-after, idempotency-replayed',
  }
}

function checkRepeatedHeaders(request: IncomingMessage): GatewayError | null {
  const seen = new Set<string>()
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i]?.toLowerCase() ?? ''
    if (!SINGLE_HEADERS.some((single) => single === name)) continue
    if (seen.has(name)) return invalidRequest(`The header "${name}" was sent twice. Send it only once.`)
    seen.add(name)
  }
  return null
}

function checkHost(request: IncomingMessage, policy: OriginPolicy): GatewayError | null {
  const host = request.headers.host
  if (host === undefined || host === '') return invalidRequest('The Host header is missing.')
  // An exact match: a prefix match would accept 127.0.0.1.evil.example.
  const allowed = hostNames(policy).some((name) => host.toLowerCase() === `${name}:${policy.port}`)
  if (allowed) return null
  const name = isOnBridge(policy.localAddress) ? CONTAINER_HOST : HOST_NAMES[0]
  return forbidden(`The Host header is not an address of this gateway. Use http://${name}:${policy.port}.`)
}

function hostNames({ localAddress, containerAccess }: OriginPolicy): readonly string[] {
  const forContainers = containerAccess ? [CONTAINER_HOST] : []
  return isOnBridge(localAddress)
    ? [...forContainers, ...(containerAccess && localAddress ? [localAddress] : [])]
    : // Docker Desktop passes the connections of containers to 127.0.0.1.
      [...HOST_NAMES, ...forContainers]
}

function checkOrigin(request: IncomingMessage, policy: OriginPolicy): GatewayError | null {
  const origin = request.headers.origin
  if (origin !== undefined) {
    const own = HOST_NAMES.some((name) => origin === `http://${name}:${policy.port}`)
    if (own || policy.allowedOrigins.includes(origin)) return null
    return forbidden(
      'Web pages of this origin may not call the gateway. You can allow the origin in Settings.',
    )
  }
  const site = request.headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return null
  return forbidden('Web pages of other sites may not call the gateway.')
}

/** Encoded letters, digits, "-", "." and "_": routes consist of these, so this would be another spelling of a route. */
const NEEDLESSLY_ENCODED = /%(2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\da])/i

/** Rejects paths that a WHATWG URL parser would normalise into the path of another route. */
function checkPath({ method = '', url = '' }: IncomingMessage): GatewayError | null {
  const path = url.split('?', 1)[0] ?? ''
  const odd =
    !path.startsWith('/') ||
    path.includes('//') ||
    path.includes('\\') ||
    // Clients never send a fragment, and routers cut it off.
    url.includes('#') ||
    /%5c|%00/i.test(path) ||
    NEEDLESSLY_ENCODED.test(path) ||
    /\/\.\.?(\/|$)/.test(path)
  return odd ? pathNotFound(method, url) : null
}
