// Requests from containers: only with a key that can do no more than a tool needs, and without the interface.
import type { IncomingMessage } from 'node:http'
import { forbidden } from '../platform/errors.ts'
import type { Principal } from './auth.ts'

/** The name of this computer inside a container. */
export const CONTAINER_HOST = 'host.docker.internal'

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])

/** Over the additional listener, or under the name that only containers use. */
export function isContainerRequest({ socket, headers }: IncomingMessage): boolean {
  return (
    isOnBridge(socket.localAddress) || (headers.host ?? '').toLowerCase().startsWith(`${CONTAINER_HOST}:`)
  )
}

/** Whether a connection came over the additional listener. */
export function isOnBridge(localAddress: string | undefined): boolean {
  return localAddress !== undefined && !LOOPBACK.has(localAddress)
}

/** Throws 403 for keys that can do more than a tool in a container needs, or nothing of it. */
export function requireContainerKey(request: IncomingMessage, principal: Principal): void {
  if (principal.kind === 'owner') return
  const { scope } = principal.key
  if (scope === 'completions-only' || scope === 'full' || !isContainerRequest(request)) return
  throw forbidden(
    `A container cannot use a key with the scope "${scope}". Use one with the scope "completions-only" or "full".`,
  )
}
