import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { ClaimResult } from '../idempotency/idempotency.ts'
import type { Principal } from './auth.ts'
import type { ReceivedCall } from './rejected-calls.ts'
import type { GatewayServices } from './services.ts'

/** The owner has no bearer secret, so its stored answers are sealed with a secret of this process. */
const ownerSecret = randomBytes(32).toString('base64url')

/** Null for a request without an Idempotency-Key. */
export async function claimIdempotencyKey(
  { headers, raw }: Pick<FastifyRequest, 'headers' | 'raw'>,
  { operation: { method }, principal }: ReceivedCall,
  body: Buffer,
  services: GatewayServices,
): Promise<ClaimResult | null> {
  const key = headers['idempotency-key']
  if (method !== 'POST' || typeof key !== 'string') return null
  const path = (raw.url ?? '').split('?', 1)[0] ?? ''
  const caller = await identifyCaller(principal, services)
  return services.idempotency.claim({ ...caller, key, method, path, body })
}

/** The owner's claims belong to the API key that the window pays with. */
async function identifyCaller(principal: Principal, { keys }: GatewayServices) {
  if (principal.kind === 'key') {
    const { id } = principal.key
    return { caller: id, keyId: id, secret: principal.secret }
  }
  return { caller: 'owner', keyId: (await keys.playground()).id, secret: ownerSecret }
}
