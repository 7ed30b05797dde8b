// Which machines, host names and web pages can reach the gateway. Loopback is not authentication: any web page can reach this
// port (DNS rebinding, CVE-2024-28224).
import type { IncomingMessage } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import type { Scope } from '../../shared/api/keys.ts'
import { forbidden, invalidRequest } from '../platform/errors.ts'
import type { Settings } from '../settings/settings.ts'
import type { Principal } from './auth.ts'
import type { RequestContext } from './request-context.ts'
import { isFixedPath, pathNotFound } from './routes.ts'

const HOST_NAMES = ['127.0.0.1', 'localhost', '[::1]'] as const
/** Headers that must not be repeated, because programs disagree about which value counts. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'idempotency-key',
  'content-type',
  'x-api-key',
  'x-tollgate-key',
  'origin',
])
const EXPOSED_HEADERS =
  'x-service-request-id, x-request-id, request-id, x-service-tokens-in, x-service-tokens-out, x-service-cost-usd, x-service-model, retry-after, idempotency-replayed, x-tollgate-cache, x-tollgate-rule, age'

/** The rules for the requests of one connection, while the settings stay the same. */
interface Policy {
  settings: Settings['value']
  isOnBridge: boolean
  /** Lower-case hosts with the port. */
  hosts: readonly string[]
  /** Origins of the gateway's own interface. */
  ownOrigins: readonly string[]
}

/** Checks the head of every request from a socket. */
export class OriginGuard {
  readonly #settings: Settings
  readonly #access: NetworkAccess
  readonly #policies = new WeakMap<Socket, Policy>()

  constructor(settings: Settings, access: NetworkAccess) {
    this.#settings = settings
    this.#access = access
  }

  /** Throws 400, 403 or 404. Adds the CORS headers for an allowed origin to the response. */
  check(context: RequestContext): void {
    const { request } = context
    const policy = this.#findPolicy(request.socket)
    context.isOnBridge = policy.isOnBridge
    checkRepeatedHeaders(request)
    checkHost(request, policy, this.#access)
    checkOrigin(context, policy)
    if (!isFixedPath(context.url)) checkPath(context)
  }

  #findPolicy(socket: Socket): Policy {
    const settings = this.#settings.value
    const knownPolicy = this.#policies.get(socket)
    if (knownPolicy?.settings === settings) return knownPolicy
    // The port of the connection, which may outlive its listener (while draining, or after a change of port).
    const port = socket.localPort ?? 0
    const onBridge = isOnBridge(socket, this.#access)
    const hosts = HOST_NAMES.map((name) => `${name}:${port}`)
    const others = onBridge ? [] : allowedHosts(socket, this.#access)
    const policy = {
      settings,
      isOnBridge: onBridge,
      hosts: [
        ...(onBridge ? [] : hosts),
        ...others,
        ...containerHosts(socket, onBridge, settings).map((name) => `${name}:${port}`),
      ],
      ownOrigins: [
        ...hosts.map((host) => `http://${host}`),
        // A proxy in front of the gateway may add TLS.
        ...others.flatMap((host) => [`http://${host}`, `https://${host}`]),
      ],
    }
    this.#policies.set(socket, policy)
    return policy
  }
}

/** Docker Desktop passes the connections of containers to 127.0.0.1. */
function containerHosts(
  { localAddress }: Socket,
  onBridge: boolean,
  { containerAccess }: Settings['value'],
): readonly string[] {
  if (!containerAccess) return []
  return onBridge && localAddress ? [CONTAINER_HOST, localAddress] : [CONTAINER_HOST]
}

function checkRepeatedHeaders({ rawHeaders, headers }: IncomingMessage): void {
  // Node has each header once in `headers`.
  if (rawHeaders.length === 2 * Object.keys(headers).length) return
  const seen = new Set<string>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? ''
    if (!SINGLE_HEADERS.has(name)) continue
    if (seen.has(name)) throw invalidRequest(`The header "${name}" was sent twice. Send it only once.`)
    seen.add(name)
  }
}

function checkHost(
  { headers: { host }, socket }: IncomingMessage,
  { hosts, isOnBridge }: Policy,
  access: NetworkAccess,
): void {
  if (host === undefined || host === '') throw invalidRequest('The Host header is missing.')
  // An exact match: a prefix match would accept 127.0.0.1.evil.example.
  if (hosts.includes(host) || hosts.includes(host.toLowerCase())) return
  const name = isOnBridge ? CONTAINER_HOST : HOST_NAMES[0]
  const url = `http://${name}:${socket.localPort ?? 0}`
  const otherwise =
    access.address === null ? '' : ', or allow this name with the option --allow-host of tollgate serve'
  throw forbidden(`The Host header is not an address of this gateway. Use ${url}${otherwise}.`)
}

function checkOrigin(context: RequestContext, { settings, ownOrigins }: Policy): void {
  const { origin, 'sec-fetch-site': site } = context.request.headers
  if (origin === undefined) {
    if (site === undefined || site === 'same-origin' || site === 'none') return
    throw forbidden('Web pages of other sites may not call the gateway.')
  }
  if (settings.allowedOrigins.includes(origin)) {
    context.headers = {
      ...context.headers,
      'access-control-allow-origin': origin,
      vary: 'Origin',
      'access-control-expose-headers': EXPOSED_HEADERS,
    }
  } else if (!ownOrigins.includes(origin)) {
    throw forbidden(
      'Web pages of this origin may not call the gateway. You can allow the origin in Settings.',
    )
  }
}

/** Encoded letters, digits, "-", "." and "_": routes consist of these, so this would be another spelling of a route. */
const NEEDLESSLY_ENCODED = /%(2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\da])/i

/** Rejects paths that a WHATWG URL parser would normalize into the path of another route. */
function checkPath({ method, url, path }: RequestContext): void {
  const odd =
    !path.startsWith('/') ||
    path.includes('//') ||
    path.includes('\\') ||
    // Clients never send a fragment, and routers cut it off.
    url.includes('#') ||
    /%5c|%00/i.test(path) ||
    NEEDLESSLY_ENCODED.test(path) ||
    /\/\.\.?(\/|$)/.test(path)
  if (odd) throw pathNotFound(method, url)
}

// Which machines can reach the gateway besides this one, and under which names. Decided at the start: no request changes it.

export interface NetworkAccess {
  /** An address to listen on besides those of loopback, or all with 0.0.0.0 or `::`; null for loopback only. */
  address: string | null
  /** Further values of the Host header, in lower case, with or without a port. */
  hosts: readonly string[]
}

export const LOOPBACK_ONLY: NetworkAccess = { address: null, hosts: [] }

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])
const ALL = ['0.0.0.0', '::']

export function listensEverywhere({ address }: NetworkAccess): boolean {
  return address !== null && ALL.includes(address)
}

/** Whether a connection came over the additional listener for containers. */
function isOnBridge({ localAddress }: Socket, access: NetworkAccess): boolean {
  if (localAddress === undefined || LOOPBACK.has(localAddress)) return false
  return !listensEverywhere(access) && localAddress !== access.address
}

/**
 * The values of the Host header for a connection from another machine: its local address, which no DNS server can assign to
 * another name, and the names that the user has allowed.
 */
function allowedHosts({ localAddress, localPort }: Socket, { address, hosts }: NetworkAccess): string[] {
  const isRemote = address !== null && localAddress !== undefined && !LOOPBACK.has(localAddress)
  return [
    ...(isRemote ? [`${formatHost(localAddress)}:${localPort}`] : []),
    ...hosts.flatMap((host) => (/:\d+$/.test(host) ? [host] : [host, `${host}:${localPort}`])),
  ]
}

function formatHost(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '')
  return isIPv6(plain) ? `[${plain}]` : plain
}

/** The name of this computer inside a container. */
export const CONTAINER_HOST = 'host.docker.internal'

/** Over the additional listener, or under the name that only containers use. */
export function isContainerRequest({ isOnBridge, request }: RequestContext): boolean {
  return isOnBridge || (request.headers.host ?? '').toLowerCase().startsWith(`${CONTAINER_HOST}:`)
}

const CONTAINER_SCOPES: ReadonlySet<Scope> = new Set(['completions-only', 'telemetry-only', 'full'])

/** Throws 403 where a container uses a key whose scope is not for tools. */
export function requireContainerKey(context: RequestContext, principal: Principal): void {
  if (principal.kind === 'owner') return
  const { scope } = principal.key
  if (CONTAINER_SCOPES.has(scope) || !isContainerRequest(context)) return
  throw forbidden(
    `A container cannot use a key with the scope "${scope}". Use one with the scope "completions-only", "telemetry-only" or "full".`,
  )
}
