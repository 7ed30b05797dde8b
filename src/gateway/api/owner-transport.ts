// Owns the window's door: a web Request is handed to the same routes inside this process, as the owner. The mark of
// ownership is the identity of the request object itself, which nothing that comes over a socket can have.
import type { IncomingMessage, RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import inject from 'light-my-request'

const BODYLESS = new Set([101, 204, 205, 304])

export async function fetchAsOwner(
  handler: RequestListener,
  owned: WeakSet<IncomingMessage>,
  request: Request,
): Promise<Response> {
  const url = new URL(request.url)
  const left = new AbortController()
  const signal = AbortSignal.any([request.signal, left.signal])
  const payload = request.body ? Buffer.from(await request.arrayBuffer()) : undefined
  const headers = Object.fromEntries(request.headers)
  const reply = await inject(
    (incoming, outgoing) => {
      owned.add(incoming)
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
    // The length is that of the stream it describes; a stream that is passed on has its own.
    if (value !== undefined && name !== 'transfer-encoding' && name !== 'connection')
      responseHeaders.set(name, String(value))
  }
  const body = BODYLESS.has(reply.statusCode) ? null : cancellable(stream, left)
  return new Response(body, { status: reply.statusCode, headers: responseHeaders })
}

/** When the window stops reading, Chromium cancels the body and not the request, so the body carries the news on. */
function cancellable(stream: Readable, left: AbortController): ReadableStream<Uint8Array> {
  const reader = Readable.toWeb(stream).getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      left.abort()
      stream.destroy()
      await reader.cancel().catch(() => undefined)
    },
  })
}
