// A provider with the Responses API over WebSockets, which answers as a test says.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { startTestUpstream, type TestHandler } from '../../gateway/upstream/testing/test-upstream.ts'

export interface SocketVendor {
  url: string
  /** The handshakes, the bodies of POST requests, and the messages with the number of their connection. */
  handshakes: IncomingMessage[]
  posts: unknown[]
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the messages
  messages: { connection: number; message: any }[]
  /** The open connections. */
  open: Set<WebSocket>
  /** Refuses handshakes with this answer; null to accept them. */
  refusal: string | null
  /** Answers a message. */
  answer: (ws: WebSocket, message: object) => void
  close(): Promise<void>
}

export async function startSocketVendor(
  post: TestHandler,
  answer: SocketVendor['answer'],
): Promise<SocketVendor> {
  const upstream = await startTestUpstream((exchange) => {
    if (exchange.request.method === 'POST') vendor.posts.push(exchange.request.json())
    return post(exchange)
  })
  const server = new WebSocketServer({ noServer: true })
  const vendor: SocketVendor = {
    ...{ url: upstream.url, handshakes: [], posts: [], messages: [], open: new Set(), refusal: null, answer },
    async close() {
      for (const ws of vendor.open) ws.terminate()
      await upstream.close()
    },
  }
  upstream.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    vendor.handshakes.push(request)
    if (vendor.refusal !== null) return socket.end(vendor.refusal)
    server.handleUpgrade(request, socket, head, (ws) => {
      const connection = vendor.handshakes.length
      vendor.open.add(ws)
      ws.on('message', (data) => {
        const message = JSON.parse(String(data))
        vendor.messages.push({ connection, message })
        vendor.answer(ws, message)
      })
      void once(ws, 'close').then(() => vendor.open.delete(ws))
    })
  })
  return vendor
}
