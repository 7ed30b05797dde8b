import { once } from 'node:events'
import { isIPv4, isIPv6, Socket } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { buildConnector, Client } from 'undici'
import type { Network, NetworkStatus } from '../../../shared/api/account.ts'
import { locateHost } from '../../../shared/values/hosts.ts'
import { errorMessage } from '../../../shared/values/text.ts'
import {
  connectRefusal,
  findCode,
  isUnknownAuthority,
  proxyFailure,
  toProxyFailure,
  unknownAuthority,
} from './proxy-failure.ts'
import type { ProxyAddress, SystemNetwork, TunnelOptions } from './system-network.ts'

const CHECK_TIMEOUT_MS = 5_000

/** A provider that is called. */
interface Destination {
  baseUrl: string | null
  network: Network | null
}

/** How connections leave this computer. */
export class Outbound {
  readonly #system: SystemNetwork | null
  readonly #chosen: () => Network
  #trusted: SecureContext | null = null

  /** `chosen`: the network of connections that have none of their own. */
  constructor(system: SystemNetwork | null = null, chosen: () => Network = () => 'direct') {
    this.#system = system
    this.#chosen = chosen
  }

  get chosen(): Network {
    return this.#chosen()
  }

  connector(origin: string, network: Network, timeoutMs: number): buildConnector.connector {
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch the check off.
    const options = { timeout: timeoutMs, rejectUnauthorized: true, allowH2: false }
    const system = this.#system
    if (network === 'direct' || system === null) return buildConnector(options)
    let shared: buildConnector.connector | null = null
    const connect = async (to: buildConnector.Options) => {
      const secureContext = this.#trust(system)
      // Shared by the connections, so that TLS sessions resume.
      shared ??= buildConnector({ ...options, secureContext })
      const proxy = publicOrigin(origin) === null ? null : await system.findProxy(origin)
      if (proxy === null) return await connectWith(shared, to)
      if (to.protocol !== 'https:')
        throw proxyFailure(
          'The address uses http without encryption, and a proxy could read the credential. Use an https address, or add its host to NO_PROXY.',
        )
      const target = { host: to.hostname, port: Number(to.port || 443) }
      const httpSocket = await openTunnel(proxy, target, { timeoutMs, secureContext })
      return await connectWith(shared, { ...to, httpSocket })
    }
    return (to, callback) => {
      connect(to).then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(withAdvice(error), null),
      )
    }
  }

  /** Examines this computer's settings for these providers. If any uses a proxy, connects to each. */
  async examine(providers: readonly Destination[]): Promise<NetworkStatus> {
    const system = this.#system
    const isUsed =
      this.chosen === 'system' || providers.some(({ network }) => (network ?? this.chosen) === 'system')
    if (system === null) return { isUsed, proxies: [], certificateProblem: null }
    const origins = providers.flatMap(({ baseUrl }) => publicOrigin(baseUrl) ?? [])
    const proxyList = await Promise.all([...new Set(origins)].map((origin) => system.findProxy(origin)))
    const byUrl = new Map(proxyList.filter((proxy) => proxy !== null).map((proxy) => [proxy.url, proxy]))
    const proxies = [...byUrl.values()].map(async (proxy) => ({
      address: withoutPassword(proxy.url),
      source: proxy.source,
      problem: isUsed ? await this.#findProblem(proxy, system) : null,
    }))
    const certificateProblem = isUsed ? system.readCertificates().problem : null
    return { isUsed, proxies: await Promise.all(proxies), certificateProblem }
  }

  async #findProblem(proxy: ProxyAddress, system: SystemNetwork): Promise<string | null> {
    const options = { timeoutMs: CHECK_TIMEOUT_MS, secureContext: this.#trust(system) }
    return await checkProxy(proxy, options).then(() => null, errorMessage)
  }

  /** Advises after a direct connection to the provider failed; null if nothing is known that may help. */
  async advise({ baseUrl, network }: Destination): Promise<string | null> {
    const origin = publicOrigin(baseUrl)
    if (origin === null || (network ?? this.chosen) === 'system') return null
    const proxy = await this.#system?.findProxy(origin)
    return proxy ? `${proxy.source} names a proxy, which is not used. To use it: Settings → Network.` : null
  }

  /** Reading them takes tenths of a second, so it is done once, and only where they are needed. */
  #trust(system: SystemNetwork): SecureContext {
    this.#trusted ??= createSecureContext({ ca: [...system.readCertificates().pem] })
    return this.#trusted
  }
}

/** Null for an address that is always called directly. */
function publicOrigin(baseUrl: string | null): string | null {
  if (baseUrl === null || !URL.canParse(baseUrl)) return null
  const { origin, hostname } = new URL(baseUrl)
  return locateHost(hostname) === 'public' ? origin : null
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return 'no URL'
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}

function withAdvice(error: unknown): Error {
  const code = findCode(error)
  if (isUnknownAuthority(code)) return unknownAuthority(code, 'provider')
  return error instanceof Error ? error : new Error(String(error))
}

const SOCKS: ReadonlySet<string> = new Set(['socks:', 'socks5:', 'socks5h:'])
const SOCKS_PORT = '1080'

interface ConnectOptions {
  timeoutMs: number
  secureContext: SecureContext
}

interface Proxy {
  url: URL
  isSocks: boolean
  username: string
  password: string
}

/** Throws UpstreamFailure. */
function parseProxy({ url: text, source }: ProxyAddress): Proxy {
  if (!URL.canParse(text)) throw proxyFailure(`${source} is not the URL of a proxy.`)
  const url = new URL(text)
  const isSocks = SOCKS.has(url.protocol)
  if (isSocks || url.protocol === 'http:' || url.protocol === 'https:') {
    const username = decodeSignIn(url.username, source)
    return { url, isSocks, username, password: decodeSignIn(url.password, source) }
  }
  throw proxyFailure(
    `${source} names a proxy of a kind that Tollgate does not support (${url.protocol.slice(0, -1)}). Supported are http, https and socks5.`,
  )
}

function decodeSignIn(part: string, source: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw proxyFailure(`Write each "%" of the user name and the password in ${source} as "%25".`)
  }
}

function connectorTo({ timeoutMs, secureContext }: ConnectOptions): buildConnector.connector {
  return buildConnector({ timeout: timeoutMs, rejectUnauthorized: true, allowH2: false, secureContext })
}

function connectToProxy({ url, isSocks }: Proxy, options: ConnectOptions) {
  return connectWith(connectorTo(options), {
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    host: url.host,
    protocol: isSocks ? 'tcp:' : url.protocol,
    port: url.port || (isSocks ? SOCKS_PORT : ''),
  })
}

/** A connection to the host through the proxy, over which TLS is to be spoken. Throws UpstreamFailure. */
async function openTunnel(
  proxy: ProxyAddress,
  { host, port }: Pick<TunnelOptions, 'host' | 'port'>,
  options: ConnectOptions,
): Promise<Socket> {
  const parsed = parseProxy(proxy)
  const { source } = proxy
  const tunnel = { host, port, source, signal: AbortSignal.timeout(options.timeoutMs) }
  try {
    if (!parsed.isSocks) return await openHttpTunnel(parsed, tunnel, connectorTo(options))
    const socket = await connectToProxy(parsed, options)
    try {
      await openSocksTunnel(socket, parsed, tunnel)
      return socket
    } catch (error) {
      socket.destroy()
      throw error
    }
  } catch (error) {
    throw toProxyFailure(error, source)
  }
}

/** Connects to the proxy, and closes the connection. Throws UpstreamFailure. */
async function checkProxy(proxy: ProxyAddress, options: ConnectOptions): Promise<void> {
  const parsed = parseProxy(proxy)
  const socket = await connectToProxy(parsed, options).catch((error: unknown) => {
    throw toProxyFailure(error, proxy.source)
  })
  socket.destroy()
}

export function connectWith(
  connect: buildConnector.connector,
  options: buildConnector.Options,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    connect(options, (error, socket) => (error === null ? resolve(socket) : reject(error)))
  })
}

/**
 * A tunnel through an HTTP proxy, made by CONNECT: https://www.rfc-editor.org/rfc/rfc9110#section-9.3.6. The proxy learns the
 * host and the port alone. Throws UpstreamFailure, or the error of the connection to the proxy.
 */
async function openHttpTunnel(
  { url, username, password }: Proxy,
  { host, port, source, signal }: TunnelOptions,
  connect: buildConnector.connector,
): Promise<Socket> {
  const client = new Client(url.origin, { connect })
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const hasPassword = username !== ''
  const signIn = Buffer.from(`${username}:${password}`).toString('base64')
  const headers = { host: authority, ...(hasPassword && { 'proxy-authorization': `Basic ${signIn}` }) }
  const reply = await client.connect({ path: authority, headers, signal })
  const { statusCode, socket } = reply
  if (statusCode === 200 && socket instanceof Socket) return socket
  socket.on('error', () => {}).destroy()
  if (statusCode === 200) throw proxyFailure('The proxy gave no connection.')
  throw connectRefusal(statusCode, reply.headers, { source, hasPassword })
}

// SOCKS version 5: https://www.rfc-editor.org/rfc/rfc1928, and its passwords: https://www.rfc-editor.org/rfc/rfc1929

const VERSION = 5
const PASSWORD_VERSION = 1
const NO_SIGN_IN = 0
const PASSWORD = 2
const CONNECT = 1
const IPV4 = 1
const NAME = 3
const IPV6 = 4

/** The meaning of the code in the reply; the proxy resolves the name of the provider. */
const REPLIES: ReadonlyMap<number, string> = new Map([
  [2, 'does not allow a connection to the provider. Ask those who run the proxy to allow its address'],
  [3, 'cannot reach the network of the provider'],
  [4, 'cannot reach the provider. Check the base URL'],
  [5, 'was refused by the provider'],
])

/** Asks the proxy on this socket for a tunnel, which the socket is from then on. Throws UpstreamFailure, or the socket's error. */
async function openSocksTunnel(
  socket: Socket,
  proxy: Proxy,
  { host, port, source, signal }: TunnelOptions,
): Promise<void> {
  const username = Buffer.from(proxy.username)
  const password = Buffer.from(proxy.password)
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
  const leading = groups(head)
  const trailing = groups(tail ?? '')
  const zeros = Array.from(
    { length: tail === undefined ? 0 : 8 - leading.length - trailing.length },
    () => '0',
  )
  return [...leading, ...zeros, ...trailing].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 255]
  })
}

/** Throws UpstreamFailure for more than one byte can count. */
function withLength(bytes: Buffer, prefix: readonly number[] = []): Buffer {
  if (bytes.length > 255) throw proxyFailure('SOCKS proxies accept names and passwords of at most 255 bytes.')
  return Buffer.concat([Buffer.from([...prefix, bytes.length]), bytes])
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
