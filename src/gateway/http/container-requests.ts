// Requests from containers: only with a key that can do no more than a tool needs, and without the interface.
import { forbidden } from '../platform/errors.ts'
import type { Principal } from './auth.ts'
import type { RequestContext } from './request-context.ts'

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
