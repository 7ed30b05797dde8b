import type { IncomingMessage, RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import inject from 'light-my-request'

const STATUS_WITHOUT_BODY = new Set([101, 204, 205, 304])

/**
 * Handles a request inside this process, as the owner. Ownership is the identity of the request object in `ownerRequests`,
 * which no request over a socket can have.
 */
export async function fetchAsOwner(
  handler: RequestListener,
  ownerRequests: WeakSet<IncomingMessage>,
  request: Request,
): Promise<Response> {
  const url = new URL(request.url)
  const canceled = new AbortController()
  const signal = AbortSignal.any([request.signal, canceled.signal])
  const payload = request.body ? Buffer.from(await request.arrayBuffer()) : undefined
  const headers = Object.fromEntries(request.headers)
  const reply = await inject(
    (incoming, outgoing) => {
      ownerRequests.add(incoming)
      handler(incoming, outgoing)
    },
    {
      method: request.method,
      url: url.pathname + url.search,
      headers,
      payloadAsStream: true,
      signal,
      ...(payload ? { payload } : {}),
    },
  )
  const stream = reply.stream()
  const responseHeaders = new Headers()
  for (const [name, value] of Object.entries(reply.headers)) {
    // These describe the inner connection, which does not exist for the caller.
    if (value !== undefined && name !== 'transfer-encoding' && name !== 'connection')
      responseHeaders.set(name, String(value))
  }
  const body = STATUS_WITHOUT_BODY.has(reply.statusCode) ? null : createCancelableBody(stream, canceled)
  return new Response(body, { status: reply.statusCode, headers: responseHeaders })
}

/** When the window stops reading, Chromium cancels the body rather than the request. */
function createCancelableBody(stream: Readable, canceled: AbortController): ReadableStream<Uint8Array> {
  const reader = Readable.toWeb(stream).getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      canceled.abort()
      stream.destroy()
      await reader.cancel().catch(() => undefined)
    },
  })
}
