// The response cache of a key: complete answers, each under a keyed hash of its request, sealed like idempotent ones.
import { createHmac, hkdfSync } from 'node:crypto'
import { z } from 'zod'
import { decodeBody, EncodedBody, encodeBody, seal, unseal } from '../../../gateway/idempotency/seal.ts'
import type { Clock } from '../../../gateway/platform/clock.ts'
import type { Store, WriteCall } from '../../../gateway/store/store.ts'

const PURPOSE = 'tollgate cached answer v1'
const HASH_PURPOSE = 'tollgate cached request v1'

const Sealed = EncodedBody.extend({
  contentType: z.string(),
  stream: z.boolean(),
  model: z.string(),
  provider: z.string(),
  costNano: z.number(),
})

export interface CachedAnswer extends Omit<z.infer<typeof Sealed>, 'body' | 'encoding'> {
  body: string | Buffer
}

export type CacheWrite = WriteCall<'changeCache'>

/** Where the answer of one request is stored. */
export interface CacheSlot {
  id: Buffer
  secret: string
  keyId: string
  ttlMs: number
  maxBytes: number
}

interface SlotInput extends Omit<CacheSlot, 'id'> {
  /** The text that is the same for equal requests. */
  request: string
}

/** Without the secret, a stored hash says nothing of its request: texts that are guessed cannot be compared with it. */
export function createSlot({ request, ...rest }: SlotInput): CacheSlot {
  const key = Buffer.from(hkdfSync('sha256', rest.secret, rest.keyId, HASH_PURPOSE, 32))
  return { ...rest, id: createHmac('sha256', key).update(request).digest() }
}

const sealKey = ({ id, secret }: CacheSlot) => ({ secret, id: id.toString('hex'), purpose: PURPOSE })

export class AnswerStore {
  readonly #store: Pick<Store, 'read'>
  readonly #clock: Clock

  constructor(store: Pick<Store, 'read'>, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** The stored answer and its age in seconds. Null if there is none, it is too old, or it cannot be opened. */
  async find(slot: CacheSlot): Promise<{ answer: CachedAnswer; ageSeconds: number } | null> {
    const now = this.#clock.now()
    const cachedAnswer = await this.#store.read('findCachedAnswer', {
      id: slot.id,
      after: now - slot.ttlMs,
      now,
    })
    const text = cachedAnswer && unseal(cachedAnswer.sealed, sealKey(slot))
    if (!cachedAnswer || !text) return null
    const { body, encoding, ...answer } = Sealed.parse(JSON.parse(text))
    const ageSeconds = Math.floor((now - cachedAnswer.createdAt) / 1_000)
    return { answer: { ...answer, body: decodeBody({ body, encoding }) }, ageSeconds }
  }

  /** What a settlement writes to keep the answer. */
  keep(slot: CacheSlot, { body, ...answer }: CachedAnswer): CacheWrite {
    const sealed = seal(JSON.stringify({ ...answer, ...encodeBody(body) }), sealKey(slot))
    const put = { id: slot.id, createdAt: this.#clock.now(), sealed }
    return ['changeCache', { put, keyId: slot.keyId, maxBytes: slot.maxBytes }]
  }

  /** What the settlement of a request writes that got the stored answer. */
  use({ id }: CacheSlot): CacheWrite {
    return ['changeCache', { used: id, at: this.#clock.now() }]
  }
}
