import type { IncomingMessage } from 'node:http'

const MAX_BYTES = 64 * 1024 * 1024
const MAX_MS = 5_000

/**
 * Reads and discards the rest of a rejected body. Closing the connection on a client that is still sending resets it, and
 * the client would lose the response. Resolves at the end of the body, or when it is too long or too slow.
 */
export function drainRequest(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    let remaining = MAX_BYTES
    const stop = () => {
      clearTimeout(timer)
      request.off('data', discard)
      for (const event of ENDS) request.off(event, stop)
      resolve()
    }
    const discard = (chunk: Buffer) => {
      remaining -= chunk.byteLength
      if (remaining < 0) stop()
    }
    const timer = setTimeout(stop, MAX_MS)
    for (const event of ENDS) request.once(event, stop)
    request.on('data', discard)
  })
}

const ENDS = ['end', 'error', 'close'] as const
