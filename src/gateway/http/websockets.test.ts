import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { getTimers, systemClock } from '../platform/clock.ts'
import { listen } from '../testing/listen.ts'
import { VirtualTime } from '../testing/simulation/virtual-time.ts'
import { createHttpServer, TIMEOUTS } from './connections.ts'
import { BodyMemoryLimit } from './read-body.ts'
import { SOCKET_LIMITS, type SocketPeer, type SocketSession, WebSockets } from './websockets.ts'

const opened: { close(): void }[] = []
afterEach(() => {
  for (const each of opened.splice(0)) each.close()
})

const system = getTimers(systemClock)
const CLOSE_MS = 50

/** Starts a server with these limits, in virtual time, whose sessions do what the test sets. */
async function start(limits: Partial<typeof SOCKET_LIMITS>, bodies = new BodyMemoryLimit()) {
  const time = new VirtualTime()
  const virtual = time.createClock(
    (monotonic) => monotonic,
    () => false,
  )
  // A peer that does not close its side is cut in real time.
  const setTimer: typeof system.setTimeout = (run, ms) =>
    (ms === CLOSE_MS ? system : virtual.timers).setTimeout(run, ms)
  const clock = { ...virtual, timers: { ...virtual.timers, setTimeout: setTimer } }
  const advance = (ms: number) => {
    const until = time.now + ms
    while (time.step(until));
  }
  const sockets = new WebSockets(
    { stopping: new AbortController().signal, clock },
    { ...SOCKET_LIMITS, closeMs: CLOSE_MS, ...limits },
  )
  const received: string[] = []
  const receive = (text: string) => void received.push(text)
  const session = { isBusy: false, isAllowed: () => true, receive, leave: () => undefined }
  const peers: SocketPeer[] = []
  const ends: string[] = []
  const server = createHttpServer((_request, response) => response.writeHead(426).end(), TIMEOUTS, {
    accepts: ({ url }) => url === '/socket',
    serve(request, socket, head) {
      const createSession = (peer: SocketPeer): SocketSession => {
        peers.push(peer)
        return session
      }
      const memory = bodies.forRequest('key')
      void sockets.open({ request, socket, head, memory }, createSession, () => ends.push('end'))
    },
  })
  const port = await listen(server)
  opened.push({ close: () => void server.close() })
  return { port, session, peers, ends, received, advance }
}

async function open(port: number): Promise<{ ws: WebSocket; closed: Promise<unknown> }> {
  const ws = new WebSocket(`ws://127.0.0.1:${port}/socket`)
  opened.push({ close: () => ws.terminate() })
  const closed = once(ws, 'close').then(([code]) => code)
  await once(ws, 'open')
  return { ws, closed }
}

/** Resolves when the server has handled all that the client has sent. */
async function settle(ws: WebSocket): Promise<void> {
  const answered = once(ws, 'pong')
  ws.ping()
  await answered
}

/** Longer than a test. */
const NEVER_MS = 1e9

test('connections are asked every 30 seconds, and closed after 30 idle minutes', () => {
  expect(SOCKET_LIMITS).toMatchObject({
    pingMs: 30_000,
    idleMs: 1_800_000,
    perKey: 16,
    total: 64,
    messageMs: 60_000,
  })
})

test('a connection beyond the limit of its key or of all keys is refused, and told which', () => {
  const limits = { ...SOCKET_LIMITS, perKey: 1, total: 2 }
  const sockets = new WebSockets({ stopping: new AbortController().signal, clock: systemClock }, limits)
  const place = sockets.admit('a')
  expect(() => sockets.admit('a')).toThrow('This key has 1')
  sockets.admit('b')
  expect(() => sockets.admit('c')).toThrow('All keys together have 2')
  place.release()
  sockets.admit('c')
})

test('an idle connection is closed, and one with a turn is not', async () => {
  const { port, session, ends, advance } = await start({ pingMs: NEVER_MS })
  session.isBusy = true
  const { ws, closed } = await open(port)
  advance(SOCKET_LIMITS.idleMs)
  await settle(ws)
  expect(ws.readyState).toBe(WebSocket.OPEN)
  session.isBusy = false
  advance(SOCKET_LIMITS.idleMs)
  expect(await closed).toBe(1000)
  await expect.poll(() => ends).toEqual(['end'])
})

test('a client that answers pings stays; a half-open connection is cut', async () => {
  const { port, peers, ends, advance } = await start({})
  const { ws } = await open(port)
  const gone = connect(port, '127.0.0.1')
  opened.push({ close: () => void gone.destroy() })
  gone.write(
    'GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  gone.resume()
  const cut = once(gone, 'close')
  await expect.poll(() => peers).toHaveLength(2)
  for (let turn = 0; turn < 2; turn++) {
    const asked = once(ws, 'ping')
    advance(SOCKET_LIMITS.pingMs)
    await asked
    await settle(ws)
  }
  await cut
  await expect.poll(() => ends).toEqual(['end'])
  expect(ws.readyState).toBe(WebSocket.OPEN)
})

test('a connection whose key is no longer valid is closed', async () => {
  const { port, session, advance } = await start({})
  const { closed } = await open(port)
  session.isAllowed = () => false
  advance(SOCKET_LIMITS.pingMs)
  expect(await closed).toBe(1008)
})

test('unfinished messages take the memory of bodies: what is too much for it ends its connection', async () => {
  // One caller may take half of it.
  const { port, received, ends } = await start({}, new BodyMemoryLimit(2_000))
  const [first, second] = [await open(port), await open(port)]
  for (let at = 0; at < 3; at++) first.ws.send('x'.repeat(200), { fin: false })
  first.ws.ping('a ping between two fragments', undefined)
  await once(first.ws, 'pong')
  second.ws.send('x'.repeat(600), { fin: false })
  expect(await second.closed).toBe(1013)
  await expect.poll(() => ends).toEqual(['end'])
  first.ws.send('end')
  await expect.poll(() => received).toEqual([`${'x'.repeat(600)}end`])
  // Complete ones take no more.
  for (let at = 0; at < 20; at++) first.ws.send('x'.repeat(700))
  await expect.poll(() => received).toHaveLength(21)
})

test('a message that takes too long ends its connection; pings and complete messages do not', async () => {
  const { port, received, advance } = await start({ pingMs: NEVER_MS })
  const [slow, idle] = [await open(port), await open(port)]
  idle.ws.send('complete')
  slow.ws.send('x', { fin: false })
  await Promise.all([settle(slow.ws), settle(idle.ws)])
  advance(SOCKET_LIMITS.messageMs)
  expect(await slow.closed).toBe(1008)
  await settle(idle.ws)
  expect([idle.ws.readyState, received]).toEqual([WebSocket.OPEN, ['complete']])
})

test('a handshake that is not well-formed gets 400; an upgrade that is not accepted is an ordinary request', async () => {
  const { port, ends } = await start({})
  const send = async (lines: readonly string[]) => {
    const socket = connect(port, '127.0.0.1')
    opened.push({ close: () => void socket.destroy() })
    socket.write([...lines, 'Host: x', 'Connection: Upgrade', '\r\n'].join('\r\n'))
    const [first] = await once(socket, 'data')
    return String(first)
  }
  expect(await send(['GET /socket HTTP/1.1', 'Upgrade: websocket'])).toMatch(
    /^HTTP\/1.1 400 [\s\S]*"invalid_request_error"/,
  )
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
  expect(
    await send(['GET /socket HTTP/1.1', 'Upgrade: websocket', key, 'Sec-WebSocket-Version: 12']),
  ).toMatch(/^HTTP\/1.1 400 [\s\S]*\r\nsec-websocket-version: 13/)
  expect(await send(['GET /other HTTP/1.1', 'Upgrade: h2c'])).toMatch(/^HTTP\/1.1 426 /)
  await expect.poll(() => ends).toEqual(['end', 'end'])
})
