// Owns which calls are noted as rejected: those of a valid key that never became a request to a model, though they were
// meant as one, or asked for an endpoint that there is not.
import type { IncomingMessage } from 'node:http'
import type { Operation } from '../../shared/operations.ts'
import type { KeyState } from '../keys/api-keys.ts'
import type { GatewayError } from '../platform/errors.ts'
import { isRejection } from '../request-log/rejections.ts'
import { authenticate, type Principal } from './auth.ts'
import { describeClient } from './client-agent.ts'
import { displayPath, modelInPath } from './endpoints.ts'
import type { GatewayServices } from './services.ts'

/** What is known of a call once it has come to its operation. */
export interface ReceivedCall {
  principal: Principal
  operation: Operation
  asked: Asked
}

interface Asked {
  model: string | null
  stream: boolean
}

export const NOTHING_ASKED: Asked = { model: null, stream: false }

export type ReceivedCalls = WeakMap<IncomingMessage, ReceivedCall>

/** Notes the call if it is one of those. `call`: undefined when it came to no operation. */
export function noteRejected(
  { id, raw }: { id: string; raw: IncomingMessage },
  error: GatewayError,
  call: ReceivedCall | undefined,
  services: GatewayServices,
): void {
  if (!isRejection(error.status)) return
  const { method = '', url = '' } = raw
  const key = call ? callerOf(call) : unroutedCaller(error, raw, services)
  if (!key) return
  const { model, stream } = call?.asked ?? { ...NOTHING_ASKED, model: modelInPath(url) }
  services.rejections.add({
    id,
    keyId: key.id,
    endpoint: `${method} ${displayPath(url)}`,
    requestedModel: model,
    stream,
    httpStatus: error.status,
    error: error.body,
    client: describeClient(raw.headers),
  })
}

/** What a body asks for, whether or not it is valid. */
export function askedIn(body: unknown): Asked {
  if (typeof body !== 'object' || body === null) return NOTHING_ASKED
  const model = 'model' in body && typeof body.model === 'string' ? body.model : null
  return { model, stream: 'stream' in body && body.stream === true }
}

/** The key of an inference call. The window's own calls show their errors themselves. */
function callerOf({ principal, operation }: ReceivedCall): KeyState | null {
  return principal.kind === 'key' && isInference(operation) ? principal.key : null
}

/** Whoever may only make completions may call every inference operation, and nothing else is a POST for them. */
function isInference({ method, scopes }: Operation): boolean {
  return method === 'POST' && scopes !== 'public' && scopes.includes('completions-only')
}

/** The key of a call to no endpoint; null when the door refused the call, or it has no valid key. */
function unroutedCaller(
  error: GatewayError,
  raw: IncomingMessage,
  { keys }: GatewayServices,
): KeyState | null {
  if (error.status !== 404 && error.status !== 405) return null
  try {
    const principal = authenticate(raw, keys)
    if (principal.kind !== 'key') return null
    keys.touch(principal.key)
    return principal.key
  } catch {
    return null
  }
}
