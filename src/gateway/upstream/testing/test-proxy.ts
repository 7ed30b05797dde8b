// Small proxies for tests, which lead every tunnel to one port of this computer, whatever its host.
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { listen } from '../../testing/listen.ts'

export interface TestProxy {
  port: number
  /** The address of each tunnel that was opened, such as `models.example:443`. */
  tunnels: string[]
  /** All bytes that clients sent to the proxy. */
  seen(): string
  close(): Promise<void>
}

interface ProxyOptions {
  /** Where all tunnels lead. */
  toPort: number
  /** `user:password`, if it is required. */
  signIn?: string
  /** The answer of an HTTP proxy that opens no tunnel. */
  refusal?: { status: number; headers?: Record<string, string> }
}

class Connections {
  readonly #bytes: Buffer[] = []
  readonly #sockets = new Set<Socket>()

  add(socket: Socket): void {
    this.#sockets.add(socket.on('error', () => {}))
  }

  record(chunk: Buffer): void {
    this.#bytes.push(chunk)
  }

  join(client: Socket, toPort: number): void {
    const upstream = connect(toPort, '127.0.0.1')
    this.add(upstream)
    client.on('data', (chunk: Buffer) => this.record(chunk))
    client.pipe(upstream).pipe(client)
  }

  seen(): string {
    return Buffer.concat(this.#bytes).toString('latin1')
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

export async function startHttpProxy({ toPort, signIn, refusal }: ProxyOptions): Promise<TestProxy> {
  const connections = new Connections()
  const tunnels: string[] = []
  const server = createHttpServer((_request, response) => response.writeHead(400).end())
  server.on('connection', (socket) => connections.add(socket))
  server.on('connect', (request, client: Socket) => {
    connections.record(Buffer.from(request.rawHeaders.join('\n')))
    const expected = signIn && `Basic ${Buffer.from(signIn).toString('base64')}`
    const isAllowed = expected === undefined || request.headers['proxy-authorization'] === expected
    const { status, headers = {} } = refusal ?? {
      status: isAllowed ? 200 : 407,
      headers: isAllowed ? {} : { 'proxy-authenticate': 'Basic realm="proxy"' },
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    client.write(`HTTP/1.1 ${status} x\r\n${lines.join('')}\r\n`)
    if (status !== 200) return client.end()
    tunnels.push(request.url ?? '')
    connections.join(client, toPort)
  })
  return await start(server, tunnels, connections)
}

/** SOCKS version 5. */
export async function startSocksProxy({ toPort, signIn }: ProxyOptions): Promise<TestProxy> {
  const connections = new Connections()
  const tunnels: string[] = []
  const server = createServer((client) => {
    connections.add(client)
    let state: 'methods' | 'sign-in' | 'request' | 'open' = 'methods'
    const onData = (chunk: Buffer) => {
      connections.record(chunk)
      if (state === 'methods') {
        const offered = [...chunk.subarray(2)]
        const method = signIn === undefined ? 0 : 2
        state = signIn === undefined ? 'request' : 'sign-in'
        client.write(Uint8Array.of(5, offered.includes(method) ? method : 255))
      } else if (state === 'sign-in') {
        const userLength = chunk[1] ?? 0
        const user = chunk.subarray(2, 2 + userLength)
        const password = chunk.subarray(3 + userLength)
        state = 'request'
        client.write(Uint8Array.of(1, `${user}:${password}` === signIn ? 0 : 1))
      } else {
        const host = chunk[3] === 3 ? String(chunk.subarray(5, -2)) : [...chunk.subarray(4, -2)].join('.')
        tunnels.push(`${host}:${chunk.readUInt16BE(chunk.length - 2)}`)
        client.off('data', onData)
        // The reply arrives in pieces, as a network may deliver it.
        client.write(Uint8Array.of(5, 0, 0))
        setImmediate(() => {
          client.write(Uint8Array.of(1, 127, 0, 0, 1, 0, 80))
          connections.join(client, toPort)
        })
      }
    }
    client.on('data', onData)
  })
  return await start(server, tunnels, connections)
}

async function start(
  server: ReturnType<typeof createServer>,
  tunnels: string[],
  connections: Connections,
): Promise<TestProxy> {
  const port = await listen(server)
  return {
    port,
    tunnels,
    seen: () => connections.seen(),
    async close() {
      const closed = once(server, 'close')
      server.close()
      connections.end()
      await closed
    },
  }
}
