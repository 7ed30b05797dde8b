import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../testing/listen.ts'
import { createHttpServer, TIMEOUTS } from './connections.ts'

const MEGA = 1024 * 1024
/** Node checks twice in this time whether the client has read anything. */
const UNREAD_MS = 6_000

test('a client that reads slowly gets the complete response', async () => {
  const timeouts = { ...TIMEOUTS, unreadMs: UNREAD_MS }
  const server = createHttpServer((_request, response) => response.end(Buffer.alloc(30 * MEGA)), timeouts)
  onTestFinished(() => void server.close().closeAllConnections())
  const port = await listen(server)
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write('GET / HTTP/1.1\r\nConnection: close\r\n\r\n')
  const began = performance.now()
  let length = 0
  let rests = 0
  for await (const piece of socket) {
    length += piece.length
    if (length < (rests + 1) * 3 * MEGA) continue
    rests++
    await delay(UNREAD_MS / 4)
  }
  expect(length).toBeGreaterThan(30 * MEGA)
  // It took longer than a client may leave an answer unread.
  expect(performance.now() - began).toBeGreaterThan(2 * UNREAD_MS)
})
