// Which machines can reach the gateway besides this one, and under which names. Decided at the start: no request changes it.
import { isIPv6, type Socket } from 'node:net'
import { forbidden } from '../platform/errors.ts'
import type { Principal } from './auth.ts'
import type { RequestContext } from './request-context.ts'

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
export function isOnBridge({ localAddress }: Socket, access: NetworkAccess): boolean {
  if (localAddress === undefined || LOOPBACK.has(localAddress)) return false
  return !listensEverywhere(access) && localAddress !== access.address
}

/**
 * The values of the Host header for a connection from another machine: the address that it came to, which no DNS server can
 * give to a name of its own, and the names that the user has allowed.
 */
export function allowedHosts(
  { localAddress, localPort }: Socket,
  { address, hosts }: NetworkAccess,
): string[] {
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

/** Throws 403 for keys that can do more than a tool in a container needs, or nothing of it. */
export function requireContainerKey(context: RequestContext, principal: Principal): void {
  if (principal.kind === 'owner') return
  const { scope } = principal.key
  if (scope === 'completions-only' || scope === 'full' || !isContainerRequest(context)) return
  throw forbidden(
    `A container cannot use a key with the scope "${scope}". Use one with the scope "completions-only" or "full".`,
  )
}
