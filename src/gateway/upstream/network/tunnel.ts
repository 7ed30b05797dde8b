import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { buildConnector } from 'undici'
import { openHttpTunnel } from './http-tunnel.ts'
import { proxyFailure, toProxyFailure } from './proxy-failure.ts'
import { openSocksTunnel } from './socks-tunnel.ts'
import type { ProxyAddress, TunnelOptions } from './system-network.ts'

const SOCKS: ReadonlySet<string> = new Set(['socks:', 'socks5:', 'socks5h:'])
const SOCKS_PORT = '1080'

interface ConnectOptions {
  timeoutMs: number
  secureContext: SecureContext
}

/** Throws UpstreamFailure. */
function parseProxy({ url: text, source }: ProxyAddress): { url: URL; isSocks: boolean } {
  if (!URL.canParse(text)) throw proxyFailure(`${source} is not the URL of a proxy.`)
  const url = new URL(text)
  const isSocks = SOCKS.has(url.protocol)
  if (isSocks || url.protocol === 'http:' || url.protocol === 'https:') return { url, isSocks }
  throw proxyFailure(
    `${source} names a proxy of a kind that Tollgate does not support (${url.protocol.slice(0, -1)}). Supported are http, https and socks5.`,
  )
}

function connectorTo({ timeoutMs, secureContext }: ConnectOptions): buildConnector.connector {
  return buildConnector({ timeout: timeoutMs, rejectUnauthorized: true, allowH2: false, secureContext })
}

function connectToProxy({ url, isSocks }: ReturnType<typeof parseProxy>, options: ConnectOptions) {
  return connectWith(connectorTo(options), {
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    host: url.host,
    protocol: isSocks ? 'tcp:' : url.protocol,
    port: url.port || (isSocks ? SOCKS_PORT : ''),
  })
}

/** A connection to the host through the proxy, over which TLS is to be spoken. Throws UpstreamFailure. */
export async function openTunnel(
  proxy: ProxyAddress,
  { host, port }: Pick<TunnelOptions, 'host' | 'port'>,
  options: ConnectOptions,
): Promise<Socket> {
  const parsed = parseProxy(proxy)
  const { source } = proxy
  const tunnel = { host, port, source, signal: AbortSignal.timeout(options.timeoutMs) }
  try {
    if (!parsed.isSocks) return await openHttpTunnel(parsed.url, tunnel, connectorTo(options))
    const socket = await connectToProxy(parsed, options)
    try {
      await openSocksTunnel(socket, parsed.url, tunnel)
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
export async function checkProxy(proxy: ProxyAddress, options: ConnectOptions): Promise<void> {
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
