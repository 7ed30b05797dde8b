import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { listen } from '../testing/listen.ts'
import { createHttpServer, TIMEOUTS } from './connections.ts'

const MEGA = 1024 * 1024

const opened: { close(): void }[] = []
afterEach(() => {
  for (const each of opened.splice(0)) each.close()
})

/** Starts a server, some of whose timeouts are short. Returns a function that opens a raw connection to it. */
async function start(
  handler: RequestListener,
  short: Partial<typeof TIMEOUTS> = { lingerMs: 50 },
): Promise<() => Socket> {
  const server = createHttpServer(handler, { ...TIMEOUTS, ...short })
  const port = await listen(server)
  opened.push({ close: () => void server.close().closeAllConnections() })
  return () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    opened.push({ close: () => void socket.destroy() })
    return socket
  }
}

/** Writes a byte every 20 ms until the connection closes. Returns the response. */
async function drip(socket: Socket, head: string): Promise<string> {
  socket.write(head)
  const timer = setInterval(() => socket.write('x'), 20)
  return await text(socket).finally(() => clearInterval(timer))
}

test('the limits are 10 s for the headers and 60 s for the whole request, checked every second', () => {
  expect(TIMEOUTS).toMatchObject({ headMs: 10_000, requestMs: 60_000, unreadMs: 30_000 })
  expect(TIMEOUTS.checkMs).toBeLessThanOrEqual(1_000)
})

test.each([
  ['head', 'GET / HTTP/1.1\r\nX-Slow: ', { headMs: 200 }],
  ['body', 'POST / HTTP/1.1\r\nContent-Length: 1000\r\n\r\n', { headMs: 200, requestMs: 200 }],
])('a %s that is sent too slowly gets 400 when the time is over', async (_what, head, short) => {
  const client = await start((request) => request.resume(), { checkMs: 20, ...short })
  const began = performance.now()
  const answer = await drip(client(), head)
  // Node's own interval for this is 30 s.
  expect(performance.now() - began).toBeLessThan(25_000)
  expect(answer).toMatch(
    /^HTTP\/1.1 400 Bad Request[\s\S]*"invalid_request_error"[\s\S]*took too long to arrive/,
  )
  expect(answer).toMatch(/connection: close/)
})

test('a response that the client does not read is aborted', async () => {
  const aborted = Promise.withResolvers<void>()
  const handler: RequestListener = (_request, response) => {
    response.once('close', aborted.resolve)
    response.end(Buffer.alloc(30 * MEGA))
  }
  const client = await start(handler, { unreadMs: 100 })
  const socket = client()
  socket.pause()
  socket.write('GET / HTTP/1.1\r\n\r\n')
  await aborted.promise
})

test('a request that takes long to answer is not aborted, and neither is an idle connection', async () => {
  const unreadMs = 100
  const handler: RequestListener = (_request, response) => {
    setTimeout(() => response.end('at last'), 2 * unreadMs)
  }
  const client = await start(handler, { unreadMs })
  const socket = client()
  const pieces = socket.setEncoding('utf8')
  for (let turn = 0; turn < 2; turn++) {
    socket.write('GET / HTTP/1.1\r\n\r\n')
    expect(String((await once(pieces, 'data'))[0])).toContain('200 OK')
    await delay(1.5 * unreadMs)
  }
  expect(socket.destroyed).toBe(false)
})

test('a client that does not send HTTP gets 400, and the connection is closed even if the client keeps it open', async () => {
  const client = await start((_request, response) => response.end())
  const socket = client()
  socket.write('NONSENSE\r\n\r\n')
  const closed = once(socket, 'close')
  expect(await text(socket)).toMatch(/^HTTP\/1.1 400 Bad Request\r\nx-service-request-id: req_/)
  await closed
})

test('malformed data after a request gets one 400, after the response to the request', async () => {
  const client = await start((_request, response) => {
    response.writeHead(200)
    response.write('first')
    setTimeout(() => response.end('last'), 100)
  })
  const socket = client()
  socket.write('GET / HTTP/1.1\r\n\r\n')
  await once(socket, 'readable')
  socket.write('NONSENSE\r\n\r\n')
  socket.write('NONSENSE\r\n\r\n')
  expect(await text(socket)).toMatch(
    /^HTTP\/1.1 200[\s\S]*last[\s\S]*HTTP\/1.1 400[\s\S]*well-formed HTTP request[\s\S]*}}$/,
  )
})

test('data after the last request of a connection is ignored, and the request is answered', async () => {
  const client = await start((_request, response) => {
    setTimeout(() => response.end('answered'), 100)
  })
  for (const head of ['GET / HTTP/1.0\r\n\r\n', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n']) {
    const socket = client()
    socket.write(`${head}GET / HTTP/1.1\r\n\r\n`)
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200[\s\S]*\r\n\r\n(8\r\n)?answered(\r\n0\r\n\r\n)?$/)
  }
})

test('a client that disconnects during its next request gets no error response', async () => {
  const left = Promise.withResolvers<void>()
  const client = await start((_request, response) => {
    response.once('close', left.resolve)
    response.flushHeaders()
  })
  const socket = client()
  socket.write('GET / HTTP/1.1\r\n\r\nGET / HT')
  await once(socket, 'readable')
  socket.end()
  await left.promise
})

const tollgate = await forFile(startTestGateway())

const { host, hostname, port } = new URL(tollgate.baseUrl)

function post(body: object): string {
  const text = JSON.stringify({ model: 'sandbox-small', ...body })
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${tollgate.admin}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${text}`
}

test('a request on a connection that a failed stream has ended is not served, as its answer could not be sent', async () => {
  // A client that still writes after the gateway has ended its side.
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  socket.on('error', () => {})
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  const cut = { messages: [{ role: 'user', content: '[[sandbox:cut]] Tell me a story' }] }
  socket.write(post({ ...cut, stream: true }))
  await once(socket, 'end')
  socket.end(post({ messages: [{ role: 'user', content: 'Hello' }] }))
  await once(socket, 'close')
  await tollgate.chat({})
  expect(received).toContain('"error":')
  expect(received.split('HTTP/1.1 200')).toHaveLength(2)
  const records = await tollgate.records()
  expect(records.map(({ stream, status }) => [stream, status])).toEqual([
    [false, 'succeeded'],
    [true, 'failed'],
  ])
})
