import { createHash, randomBytes } from 'node:crypto'
import { readBoundary, readForm } from '../formats/pass-through/form.ts'
import { type Principal, requireValid } from '../http/auth.ts'
import type { Exchange } from '../http/request-context.ts'
import type { ClaimResult } from '../idempotency/idempotency.ts'
import type { GatewayServices } from './services.ts'

/** The owner has no bearer secret, so its stored answers are sealed with a secret of this process. */
const ownerSecret = randomBytes(32).toString('base64url')

/** The Idempotency-Key of a request; null if there is none. */
export function readIdempotencyKey({ method, request }: Exchange): string | null {
  const key = request.headers['idempotency-key']
  return method === 'POST' && typeof key === 'string' ? key : null
}

export async function claimIdempotencyKey(
  key: string,
  { method, path, request }: Exchange,
  { principal, bytes }: { principal: Principal; bytes: Buffer },
  services: GatewayServices,
): Promise<ClaimResult> {
  const bodyHash = hashBody(bytes, request.headers['content-type'])
  const caller = await identifyCaller(principal, services)
  return services.idempotency.claim({
    ...{ ...caller, key, method, path, bodyHash },
    checkCaller: () => requireValid(principal, services),
  })
}

/** Of a form, its parts count: an SDK that repeats a request chooses another boundary. */
function hashBody(body: Buffer, contentType: string | undefined): Buffer {
  const hash = createHash('sha256')
  const boundary = readBoundary(contentType)
  const parts = boundary === null ? null : readForm(body, boundary)
  if (!parts) return hash.update(body).digest()
  for (const { headers, content } of parts) {
    hash.update(JSON.stringify([headers, content.byteLength])).update(content)
  }
  return hash.digest()
}

/** The owner's claims belong to the API key that the window pays with. */
async function identifyCaller(principal: Principal, { keys }: GatewayServices) {
  if (principal.kind === 'key') {
    const { id } = principal.key
    return { caller: id, keyId: id, secret: principal.secret }
  }
  return { caller: 'owner', keyId: (await keys.playground()).id, secret: ownerSecret }
}
