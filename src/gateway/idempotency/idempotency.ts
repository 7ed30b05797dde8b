import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Clock } from '../platform/clock.ts'
import { GatewayError, invalidRequest } from '../platform/errors.ts'
import type { Settlement, Store, StoredIdempotency } from '../store/store.ts'
import { decodeBody, EncodedBody, encodeBody, seal, unseal } from './seal.ts'

export const IDEMPOTENCY_LIFE_MS = 24 * 60 * 60 * 1000
/** A longer answer is stored neither for a replay nor with the bodies: it would be in memory several times over. */
export const MAX_STORED_BYTES = 4 * 1024 * 1024

/** An answer as it went to the client. */
interface StoredAnswer {
  status: number
  headers: Record<string, string>
  body: string | Buffer
}

const PURPOSE = 'tollgate idempotent answer v1'
const Sealed = EncodedBody.extend({ headers: z.record(z.string(), z.string()) })

type SealedAnswer = Extract<Settlement['idempotency'], { sealed: unknown }>

export interface ClaimInput {
  /** The value of the header. */
  key: string
  /** Whose key it is: the id of an API key, or the owner. */
  caller: string
  /** An existing API key that the claim belongs to. */
  keyId: string
  method: string
  path: string
  /** SHA-256 of what must be the same in a repeated request. */
  bodyHash: Buffer
  /** The caller's own secret. */
  secret: string
  /** Called after a wait for an earlier request. Throws if the caller may not go on. */
  checkCaller(): void
}

/** This process runs the request: exactly one of `store`, `finish` and `drop` must end it. */
export type ClaimHandle = ReturnType<typeof createHandle>

/** Seals answers that are stored for a replay, with a key derived from the caller's secret. */
export type AnswerSealer = Pick<ClaimHandle, 'seal' | 'sealUnknown' | 'sealTooLarge' | 'release'>

export type ClaimResult = { kind: 'claimed'; claim: ClaimHandle } | { kind: 'replay'; answer: StoredAnswer }

interface InFlight {
  bodyHash: Buffer
  ended: Promise<void>
}

export class Idempotency {
  readonly #store: Store
  readonly #clock: Clock
  readonly #inFlight = new Map<string, InFlight>()

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /**
   * Claims the key, or returns the answer of the first request with it. While that one runs, a second one waits for it.
   * Throws 400 for a malformed key or another body under the same key, 502 when the first one's outcome is not known, and
   * what `checkCaller` throws.
   */
  async claim(input: ClaimInput): Promise<ClaimResult> {
    if (!/^[\x21-\x7e]{1,255}$/.test(input.key)) {
      throw invalidRequest('Idempotency-Key must have 1 to 255 visible ASCII characters.', {
        param: 'Idempotency-Key',
      })
    }
    const id = createHash('sha256')
      .update([input.caller, input.method, input.path, input.key].join('\0'))
      .digest('hex')
    const { bodyHash } = input
    for (let first = this.#inFlight.get(id); first; first = this.#inFlight.get(id)) {
      if (!first.bodyHash.equals(bodyHash)) throw keyReused()
      await first.ended
      input.checkCaller()
    }
    const end = this.#start(id, bodyHash)
    try {
      const now = this.#clock.now()
      const result = await this.#store.write('claimIdempotency', {
        id,
        keyId: input.keyId,
        bodyHash,
        createdAt: now,
        expiredBefore: now - IDEMPOTENCY_LIFE_MS,
      })
      if (result.claimed) return { kind: 'claimed', claim: createHandle(this.#store, id, input.secret, end) }
      const answer = openAnswer(result.existing, bodyHash, input.secret)
      end()
      return { kind: 'replay', answer }
    } catch (error) {
      end()
      throw error
    }
  }

  /** Lets later requests with the same key wait until the returned function is called. */
  #start(id: string, bodyHash: Buffer): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#inFlight.set(id, { bodyHash, ended: promise })
    return () => {
      this.#inFlight.delete(id)
      resolve()
    }
  }
}

function createHandle(store: Store, id: string, secret: string, end: () => void) {
  let open = true
  let sealed = false
  const close = (): boolean => {
    const wasOpen = open
    open = false
    return wasOpen
  }
  const sealAnswer = ({ status, headers, body }: StoredAnswer): SealedAnswer => {
    sealed = true
    const text = JSON.stringify({ headers, ...encodeBody(body) })
    return { id, status, sealed: seal(text, { secret, id, purpose: PURPOSE }) }
  }
  const sealError = (error: object): SealedAnswer =>
    sealAnswer({ status: 502, headers: ERROR_HEADERS, body: JSON.stringify({ error }) })
  /** The answer was too long to store. A replay reports this; nothing is executed or billed again. */
  const sealTooLarge = () => sealError(TOO_LARGE)
  return {
    seal: sealAnswer,
    sealTooLarge,
    /** The client disconnected before there was an answer. A replay reports this; nothing is executed or billed again. */
    sealUnknown: () => sealError(OUTCOME_UNKNOWN),
    /** Nothing was executed, so the key can be used again. */
    release: () => ({ id, drop: true }) as const,
    store: async (answer: StoredAnswer): Promise<void> => {
      if (!close()) return
      const fits = Buffer.byteLength(answer.body) <= MAX_STORED_BYTES
      await store.write('finishIdempotency', fits ? sealAnswer(answer) : sealTooLarge()).finally(end)
    },
    /** The sealed answer was stored together with the request's charge. */
    finish: () => {
      if (close()) end()
    },
    drop: async (): Promise<void> => {
      if (!close()) return
      // A sealed answer is being written with its charge, so the request must not run again.
      if (!sealed) await store.write('dropIdempotency', id).catch(() => undefined)
      end()
    },
  }
}

/** The answer to replay. Throws when there is none, or when the first request had another body. */
function openAnswer(existing: StoredIdempotency, bodyHash: Buffer, secret: string): StoredAnswer {
  if (!bodyHash.equals(Buffer.from(existing.bodyHash))) throw keyReused()
  if (existing.state !== 'done' || existing.status === null || existing.sealed === null)
    throw outcomeUnknown()
  const text = unseal(existing.sealed, { secret, id: existing.id, purpose: PURPOSE })
  // The window's own secret lasts only as long as its process.
  if (text === null) throw outcomeUnknown()
  const { headers, ...encoded } = Sealed.parse(JSON.parse(text))
  const body = decodeBody(encoded)
  return { status: existing.status, headers: { ...headers, 'idempotency-replayed': 'true' }, body }
}

function keyReused(): GatewayError {
  return invalidRequest(
    'This Idempotency-Key was used with another request body. Use a new key for a new request.',
    { code: 'idempotency_key_reused', param: 'Idempotency-Key' },
  )
}

const OUTCOME_UNKNOWN = {
  type: 'upstream_error',
  message:
    'The first request with this Idempotency-Key was interrupted, and its answer is not known. It is not run again; use a new key to do so.',
  code: 'outcome_unknown',
} as const

const TOO_LARGE = {
  type: 'upstream_error',
  message:
    'The first request with this Idempotency-Key was answered and billed, but its answer was too large to be stored for a replay. It is not run again; use a new key to do so.',
  code: 'answer_too_large',
} as const

const ERROR_HEADERS = { 'content-type': 'application/json; charset=utf-8' }

function outcomeUnknown(): GatewayError {
  return new GatewayError({ status: 502, ...OUTCOME_UNKNOWN })
}
