// Owns the rest of a body that is refused while it is still being sent: it is read and dropped, because a connection
// that is closed on a sending client is reset, and the reset takes the answer with it.
import type { IncomingMessage } from 'node:http'

const MOST_BYTES = 64 * 1024 * 1024
const LONGEST_MS = 5_000

/** Resolves when the body is over, or when it is too long or too slow to be worth it. */
export function readAway(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    let left = MOST_BYTES
    const stop = () => {
      clearTimeout(timer)
      request.off('data', drop)
      for (const event of ENDS) request.off(event, stop)
      resolve()
    }
    const drop = (chunk: Buffer) => {
      left -= chunk.byteLength
      if (left < 0) stop()
    }
    const timer = setTimeout(stop, LONGEST_MS)
    for (const event of ENDS) request.once(event, stop)
    request.on('data', drop)
  })
}

const ENDS = ['end', 'error', 'close'] as const
