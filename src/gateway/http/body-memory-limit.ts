import { GatewayError } from '../platform/errors.ts'

const MAX_TOTAL_BYTES = 256 * 1024 * 1024

/** The memory that one request's body takes. */
export interface BodyMemory {
  /** Throws 503 when there is not enough memory for `bytes` more. */
  check(bytes: number): void
  /** As `check`, and reserves the bytes. */
  reserve(bytes: number): void
  release(): void
}

/**
 * Limits the memory of all request bodies together. One key may use at most as much as is still free then: half of the
 * total when it is alone, less when others use more. So a single key cannot block the others.
 */
export class BodyMemoryLimit {
  readonly #maxBytes: number
  readonly #bytesByKey = new Map<string, number>()
  #totalBytes = 0

  constructor(maxBytes = MAX_TOTAL_BYTES) {
    this.#maxBytes = maxBytes
  }

  forRequest(keyId: string): BodyMemory {
    return new KeyBodyMemory(this, keyId)
  }

  /** Throws 503 when the key may not use `bytes` more. */
  check(keyId: string, bytes: number): void {
    if (this.#usedBy(keyId) + bytes > this.#maxBytes - this.#totalBytes - bytes) throw busy()
  }

  add(keyId: string, bytes: number): void {
    const used = this.#usedBy(keyId) + bytes
    this.#totalBytes += bytes
    if (used === 0) this.#bytesByKey.delete(keyId)
    else this.#bytesByKey.set(keyId, used)
  }

  #usedBy(keyId: string): number {
    return this.#bytesByKey.get(keyId) ?? 0
  }
}

class KeyBodyMemory implements BodyMemory {
  readonly #limit: BodyMemoryLimit
  readonly #keyId: string
  #reserved = 0

  constructor(limit: BodyMemoryLimit, keyId: string) {
    this.#limit = limit
    this.#keyId = keyId
  }

  check(bytes: number): void {
    this.#limit.check(this.#keyId, bytes)
  }

  reserve(bytes: number): void {
    this.check(bytes)
    this.#reserved += bytes
    this.#limit.add(this.#keyId, bytes)
  }

  release(): void {
    this.#limit.add(this.#keyId, -this.#reserved)
    this.#reserved = 0
  }
}

/** For the owner and admin keys, whom other keys must not block. */
export const UNLIMITED: BodyMemory = { check() {}, reserve() {}, release() {} }

function busy(): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'server_error',
    message:
      'The bodies of running requests use all the memory that this key may have. Try again when some of them are finished.',
    code: 'busy',
    headers: { 'retry-after': '1' },
  })
}
