// One connection of the fuzzer: pipelined requests, and their responses in order.
import { connect } from 'node:net'
import { NotHttp, type RawResponse, ResponseReader } from './http-responses.ts'
import type { RawRequest } from './raw-requests.ts'

export interface Exchange {
  /** In the order of the requests; fewer where the connection ended before. */
  responses: RawResponse[]
  /** The fault of the connection; null when every request got a response. */
  fault: 'no response in time' | 'bytes that are not a response' | 'more responses than requests' | null
}

const LONGEST_MS = 20_000

/**
 * Sends the requests in parts of `partBytes` and returns the responses. After a damaged request the connection is
 * half-closed, and read to its end.
 */
export function exchange(
  port: number,
  requests: readonly RawRequest[],
  partBytes: number,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const isDamaged = requests.some(({ kind }) => kind === 'damaged')
    const reader = new ResponseReader()
    const outcome: Exchange = { responses: [], fault: null }
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    const end = (fault: Exchange['fault']) => {
      clearTimeout(timer)
      outcome.fault ??= fault
      socket.destroy()
      resolve(outcome)
    }
    const timer = setTimeout(() => end('no response in time'), LONGEST_MS)
    const read = (closed: boolean) => {
      try {
        for (;;) {
          const method = requests[outcome.responses.length]?.method
          const response = reader.next(method === 'HEAD', closed)
          if (!response) break
          if (response.status >= 200) outcome.responses.push(response)
          if (!isDamaged && outcome.responses.length === requests.length)
            return end(reader.hasUnread ? 'more responses than requests' : null)
        }
      } catch (error) {
        if (!(error instanceof NotHttp)) throw error
        return end('bytes that are not a response')
      }
      if (closed) end(null)
    }
    socket.on('data', (bytes) => {
      reader.push(bytes)
      read(false)
    })
    socket.on('error', () => read(true))
    socket.on('close', () => read(true))
    const bytes = Buffer.concat(requests.map((request) => request.bytes))
    const send = (at: number) => {
      if (socket.destroyed) return
      if (at >= bytes.length) {
        if (isDamaged) socket.end()
        return
      }
      socket.write(bytes.subarray(at, at + partBytes))
      setImmediate(send, at + partBytes)
    }
    send(0)
  })
}
