// Owns Idempotency-Key: one run for each key, its answer kept for 24 hours and replayed byte by byte. What is kept is
// sealed with a key derived from the caller's own bearer, so the service itself cannot read it back.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { MAX_KEPT_BYTES } from '../inference/settlement.ts'
import type { Clock } from '../platform/clock.ts'
import { GatewayError, invalidRequest } from '../platform/errors.ts'
import type { StoredIdempotency } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import type { Settlement } from '../store/types.ts'
import { seal, unseal } from './seal-answer.ts'

export const IDEMPOTENCY_LIFE_MS = 24 * 60 * 60 * 1000

/** An answer as it went to the client. */
export interface KeptAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

const Sealed = z.object({ headers: z.record(z.string(), z.string()), body: z.string() })
type Kept = Extract<Settlement['idempotency'], { sealed: unknown }>

/** Turns an answer into what is kept of it. */
export interface Sealer {
  seal(answer: KeptAnswer): Kept
  /** The client left before there was an answer: a replay says so, and nothing is run or billed again. */
  lost(): Kept
  /** Nothing was run, so the key may be used again. */
  unused(): Extract<Settlement['idempotency'], { drop: true }>
  /** The answer is longer than what is kept: a replay says so, and nothing is run or billed again. */
  tooLarge(): Kept
}

export interface Claim {
  /** The value of the header. */
  key: string
  /** Whose key it is: the id of an API key, or the owner. */
  caller: string
  /** An API key that is there, which the claim belongs to. */
  keyId: string
  method: string
  path: string
  body: Buffer
  /** The caller's own secret. */
  secret: string
}

/** This process runs the request: it must end in exactly one of `keep`, `settled` or `drop`. */
export interface Run extends Sealer {
  keep(answer: KeptAnswer): Promise<void>
  /** The answer was kept together with its charge. */
  settled(): void
  drop(): Promise<void>
}

export type Begun = { kind: 'run'; run: Run } | { kind: 'replay'; answer: KeptAnswer }

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
   * Claims the key, or answers what it led to before. While the first request runs, a second one waits for it. Throws
   * 400 for a malformed key or another body under the same key, 502 when the first one's outcome is not known.
   */
  async begin(claim: Claim): Promise<Begun> {
    if (!/^[\x21-\x7e]{1,255}$/.test(claim.key)) {
      throw invalidRequest('Idempotency-Key must have 1 to 255 visible ASCII characters.', {
        param: 'Idempotency-Key',
      })
    }
    const id = createHash('sha256')
      .update([claim.caller, claim.method, claim.path, claim.key].join('\0'))
      .digest('hex')
    const bodyHash = createHash('sha256').update(claim.body).digest()
    for (;;) {
      const running = this.#inFlight.get(id)
      if (running) {
        if (!running.bodyHash.equals(bodyHash)) throw reused()
        await running.ended
        continue
      }
      let end = () => {}
      const ended = new Promise<void>((resolve) => {
        end = resolve
      })
      this.#inFlight.set(id, { bodyHash, ended })
      const leave = () => {
        this.#inFlight.delete(id)
        end()
      }
      try {
        const now = this.#clock.now()
        const claimed = await this.#store.write('claimIdempotency', {
          id,
          keyId: claim.keyId,
          bodyHash,
          createdAt: now,
          expiredBefore: now - IDEMPOTENCY_LIFE_MS,
        })
        if (claimed.claimed) return { kind: 'run', run: this.#run(id, claim.secret, leave) }
        const answer = replay(claimed.existing, bodyHash, claim.secret)
        leave()
        return { kind: 'replay', answer }
      } catch (error) {
        leave()
        throw error
      }
    }
  }

  #run(id: string, secret: string, leave: () => void): Run {
    let open = true
    let sealed = false
    const once = () => {
      const was = open
      open = false
      return was
    }
    const kept = (status: number, headers: Record<string, string>, body: string): Kept => {
      sealed = true
      return { id, status, sealed: seal(secret, id, JSON.stringify({ headers, body })) }
    }
    const instead = (error: object): Kept => kept(502, ERROR_HEADERS, JSON.stringify({ error }))
    const tooLarge = () => instead(TOO_LARGE)
    return {
      seal: ({ status, headers, body }) => kept(status, headers, body),
      unused: () => ({ id, drop: true }),
      lost: () => instead(UNKNOWN),
      tooLarge,
      keep: async ({ status, headers, body }) => {
        if (!once()) return
        const fits = Buffer.byteLength(body) <= MAX_KEPT_BYTES
        const answer = fits ? kept(status, headers, body) : tooLarge()
        await this.#store.write('finishIdempotency', answer).finally(leave)
      },
      settled: () => {
        if (once()) leave()
      },
      drop: async () => {
        if (!once()) return
        // What was sealed is on its way into the ledger with its charge, and must not be run again.
        if (!sealed) await this.#store.write('dropIdempotency', id).catch(() => undefined)
        leave()
      },
    }
  }
}

function replay(existing: StoredIdempotency, bodyHash: Buffer, secret: string): KeptAnswer {
  if (!bodyHash.equals(Buffer.from(existing.bodyHash))) throw reused()
  if (existing.state !== 'done' || existing.status === null || existing.sealed === null)
    throw outcomeUnknown()
  const text = unseal(secret, existing.id, Buffer.from(existing.sealed))
  if (text === null) throw outcomeUnknown()
  const { headers, body } = Sealed.parse(JSON.parse(text))
  return { status: existing.status, headers: { ...headers, 'idempotency-replayed': 'true' }, body }
}

function reused(): GatewayError {
  return invalidRequest(
    'This Idempotency-Key was used with another request body. Use a new key for a new request.',
    {
      code: 'idempotency_key_reused',
      param: 'Idempotency-Key',
    },
  )
}

const UNKNOWN = {
  type: 'upstream_error',
  message:
    'The first request with this Idempotency-Key was broken off, and its answer is not known. It is not run again; use a new key to do so.',
  code: 'outcome_unknown',
} as const

const TOO_LARGE = {
  type: 'upstream_error',
  message:
    'The first request with this Idempotency-Key was answered and billed, but its answer was too large to be kept for a replay. It is not run again; use a new key to do so.',
  code: 'answer_too_large',
} as const

const ERROR_HEADERS = { 'content-type': 'application/json; charset=utf-8' }

function outcomeUnknown(): GatewayError {
  return new GatewayError({ status: 502, ...UNKNOWN })
}
