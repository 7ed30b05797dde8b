// Owns how many bytes of request bodies may be held at once, all requests together. Knows nothing of what they say.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { GatewayError } from '../errors.ts'

const MAX_BODY_BYTES = 32 * 1024 * 1024
const MAX_TOTAL_BYTES = 256 * 1024 * 1024

export class BodyBudget {
  readonly #most: number
  #held = 0

  constructor(most = MAX_TOTAL_BYTES) {
    this.#most = most
  }

  /** Holds what the request says it will send until its answer is over. Throws 503 when that is too much for now. */
  admit(request: IncomingMessage, response: ServerResponse): void {
    const announced = Number(request.headers['content-length'] ?? MAX_BODY_BYTES)
    // What is announced above the limit of one body is refused with 413 and never held.
    const size = Number.isFinite(announced) && announced <= MAX_BODY_BYTES ? announced : 0
    if (this.#held + size > this.#most) {
      throw new GatewayError({
        status: 503,
        type: 'server_error',
        message: 'Too many large requests are under way. Try again in a moment.',
        code: 'busy',
        headers: { 'retry-after': '1' },
      })
    }
    this.#held += size
    response.once('close', () => {
      this.#held -= size
    })
  }
}
