// Rejected calls are shown to the user when a valid key made them, and when they either were meant as a request to a model
// or went to an endpoint that does not exist.
import type { Operation } from '../../shared/api/operations/operation.ts'
import { authenticate } from '../http/auth.ts'
import { describeClient } from '../http/describe-client.ts'
import { NO_MODEL, type RequestContext, type RequestedModel } from '../http/request-context.ts'
import { displayPath, type FoundRoute, modelInPath } from '../http/routes.ts'
import type { KeyState } from '../keys/key-state.ts'
import { isRejection } from '../observe/request-log/rejections.ts'
import type { GatewayError } from '../platform/errors.ts'
import type { GatewayServices } from './services.ts'

/** Records a rejected request if it is one of those. */
export function recordRejected(
  context: RequestContext,
  error: GatewayError,
  services: GatewayServices,
): void {
  if (!isRejection(error)) return
  const { id, method, url, request, route } = context
  const key = route ? findCaller(context, route) : findCallerOfUnrouted(error, context, services)
  if (!key) return
  const { model, stream } = route ? readModel(context, route) : { ...NO_MODEL, model: modelInPath(url) }
  services.rejections.add({
    id,
    keyId: key.id,
    endpoint: `${method} ${displayPath(url)}`,
    requestedModel: model ?? '',
    stream,
    httpStatus: error.status,
    error: error.body,
    client: describeClient(request.headers),
  })
}

/** Gemini's API has the model in the path, and streams by another action. */
function readModel({ requested }: RequestContext, { operation, pathId }: FoundRoute): RequestedModel {
  if (!operation.path.includes('{id+}:')) return requested ?? NO_MODEL
  return { model: pathId, stream: operation.streams === 'events' }
}

/** The key of an inference call; null for other calls, whose errors the window displays itself. */
function findCaller({ principal }: RequestContext, { operation }: FoundRoute): KeyState | null {
  return principal?.kind === 'key' && isInference(operation) ? principal.key : null
}

/** Requests to models: what keys may send that only create completions, and keys that only read may not. */
export function isInference({ method, scopes }: Operation): boolean {
  if (method !== 'POST' || scopes === 'public') return false
  return scopes.includes('completions-only') && !scopes.includes('read-only')
}

/** The key of a call to no endpoint; null when the origin guard rejected the call, or it has no valid key. */
function findCallerOfUnrouted(
  error: GatewayError,
  { request, query }: RequestContext,
  { keys, clock }: GatewayServices,
): KeyState | null {
  if (error.status !== 404 && error.status !== 405) return null
  try {
    const principal = authenticate(request.headers, query, { keys, clock })
    if (principal.kind !== 'key') return null
    keys.touch(principal.key)
    return principal.key
  } catch {
    return null
  }
}
