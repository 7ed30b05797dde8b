// Owns how many bytes of request bodies may be held at once, all requests together. Knows nothing of what they say.
import { GatewayError } from '../platform/errors.ts'

const MAX_TOTAL_BYTES = 256 * 1024 * 1024

/** What one request holds. */
export interface BodyHold {
  /** Throws 503 when `bytes` more would be too much for now. */
  check(bytes: number): void
  /** As `check`, and holds them. */
  take(bytes: number): void
  release(): void
}

/**
 * One holder may hold as much as is then still free: alone, half of everything, and the more others hold, the less. So
 * however much one of them sends, there is room for the next.
 */
export class BodyBudget {
  readonly #most: number
  readonly #heldBy = new Map<string, number>()
  #held = 0

  constructor(most = MAX_TOTAL_BYTES) {
    this.#most = most
  }

  hold(holder: string): BodyHold {
    let mine = 0
    const check = (bytes: number) => {
      if (this.#of(holder) + bytes > this.#most - this.#held - bytes) throw busy()
    }
    return {
      check,
      take: (bytes) => {
        check(bytes)
        mine += bytes
        this.#add(holder, bytes)
      },
      release: () => {
        this.#add(holder, -mine)
        mine = 0
      },
    }
  }

  #of(holder: string): number {
    return this.#heldBy.get(holder) ?? 0
  }

  #add(holder: string, bytes: number): void {
    const now = this.#of(holder) + bytes
    this.#held += bytes
    if (now === 0) this.#heldBy.delete(holder)
    else this.#heldBy.set(holder, now)
  }
}

/** For those who answer for the machine itself: nobody's bodies keep theirs out. */
export const UNBOUNDED: BodyHold = { check() {}, take() {}, release() {} }

function busy(): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'server_error',
    message:
      'The bodies of running requests take up all the memory that this key may use for them. Try again when some are done.',
    code: 'busy',
    headers: { 'retry-after': '1' },
  })
}
