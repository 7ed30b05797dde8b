// SOCKS version 5: https://www.rfc-editor.org/rfc/rfc1928, and its passwords: https://www.rfc-editor.org/rfc/rfc1929
import { once } from 'node:events'
import { isIPv4, isIPv6, type Socket } from 'node:net'
import { proxyFailure } from './proxy-failure.ts'
import type { TunnelOptions } from './system-network.ts'

const VERSION = 5
const PASSWORD_VERSION = 1
const NO_SIGN_IN = 0
const PASSWORD = 2
const CONNECT = 1
const IPV4 = 1
const NAME = 3
const IPV6 = 4

/** By the code in the reply; the proxy resolves the name of the provider. */
const REPLIES: ReadonlyMap<number, string> = new Map([
  [2, 'does not allow a connection to the provider. Ask those who run the proxy to allow its address'],
  [3, 'cannot reach the network of the provider'],
  [4, 'cannot reach the provider. Check the base URL'],
  [5, 'was refused by the provider'],
])

/** Asks the proxy on this socket for a tunnel, which the socket is from then on. Throws UpstreamFailure, or the socket's error. */
export async function openSocksTunnel(
  socket: Socket,
  url: URL,
  { host, port, source, signal }: TunnelOptions,
): Promise<void> {
  const username = Buffer.from(decodeURIComponent(url.username))
  const password = Buffer.from(decodeURIComponent(url.password))
  const methods = username.length > 0 ? [NO_SIGN_IN, PASSWORD] : [NO_SIGN_IN]
  socket.write(Uint8Array.of(VERSION, methods.length, ...methods))
  const [version, method] = await read(socket, 2, signal)
  if (version !== VERSION)
    throw proxyFailure(`The proxy does not speak SOCKS version 5. Check the kind of the proxy: ${source}.`)
  if (method === PASSWORD && username.length > 0) {
    socket.write(Buffer.concat([withLength(username, [PASSWORD_VERSION]), withLength(password)]))
    const [, status] = await read(socket, 2, signal)
    if (status !== 0)
      throw proxyFailure(
        `The proxy rejected the user name and password in ${source}. Correct them, and restart Tollgate.`,
      )
  } else if (method !== NO_SIGN_IN) {
    throw proxyFailure(
      'The proxy requires a user name and a password. Set ALL_PROXY to the URL of the proxy with both in it, and restart Tollgate.',
    )
  }
  const portBytes = [port >> 8, port & 255]
  socket.write(
    Buffer.concat([Uint8Array.of(VERSION, CONNECT, 0), addressBytes(host), Buffer.from(portBytes)]),
  )
  const [, reply = 0, , kind] = await read(socket, 4, signal)
  if (reply !== 0)
    throw proxyFailure(`The proxy ${REPLIES.get(reply) ?? `could not connect to the provider (${reply})`}.`)
  const [length = 0] = kind === NAME ? await read(socket, 1, signal) : [kind === IPV6 ? 16 : 4]
  await read(socket, length + 2, signal)
}

function addressBytes(host: string): Buffer {
  if (isIPv4(host)) return Buffer.from([IPV4, ...host.split('.').map(Number)])
  if (isIPv6(host)) return Buffer.from([IPV6, ...bytesOfV6(host)])
  return withLength(Buffer.from(host), [NAME])
}

function bytesOfV6(host: string): number[] {
  // URLs have the last 32 bits in hexadecimal too.
  const [head = '', tail] = host.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const before = groups(head)
  const after = groups(tail ?? '')
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 255]
  })
}

/** Throws UpstreamFailure for more than one byte can count. */
function withLength(bytes: Buffer, before: readonly number[] = []): Buffer {
  if (bytes.length > 255) throw proxyFailure('SOCKS proxies accept names and passwords of at most 255 bytes.')
  return Buffer.concat([Buffer.from([...before, bytes.length]), bytes])
}

/** Exactly so many bytes; what follows them stays in the socket. */
async function read(socket: Socket, length: number, signal: AbortSignal): Promise<Buffer> {
  const bytes: Buffer[] = []
  while (bytes.length < length) {
    const byte: unknown = socket.read(1)
    if (Buffer.isBuffer(byte)) bytes.push(byte)
    else if (socket.readableEnded || socket.destroyed) throw proxyFailure('The proxy closed the connection.')
    // Only while nothing is there, or the event would come again and again.
    else await Promise.race([once(socket, 'readable', { signal }), once(socket, 'end', { signal })])
  }
  return Buffer.concat(bytes)
}
