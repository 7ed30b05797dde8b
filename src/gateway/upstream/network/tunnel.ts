import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { buildConnector } from 'undici'
import { openHttpTunnel } from './http-tunnel.ts'
import { proxyFailure, toProxyFailure } from './proxy-failure.ts'
import { openSocksTunnel } from './socks-tunnel.ts'
import type { ProxyAddress, TunnelOptions } from './system-network.ts'

const SOCKS: ReadonlySet<string> = new Set(['socks:', 'socks5:', 'socks5h:'])
const SOCKS_PORT = '1080'

/** A connection to the host through the proxy, over which TLS is to be spoken. Throws UpstreamFailure. */
export async function openTunnel(
  { url: text, source }: ProxyAddress,
  { host, port }: Pick<TunnelOptions, 'host' | 'port'>,
  { timeoutMs, secureContext }: { timeoutMs: number; secureContext: SecureContext },
): Promise<Socket> {
  if (!URL.canParse(text)) throw proxyFailure(`${source} is not the URL of a proxy.`)
  const url = new URL(text)
  const isSocks = SOCKS.has(url.protocol)
  if (!isSocks && url.protocol !== 'http:' && url.protocol !== 'https:')
    throw proxyFailure(
      `${source} names a proxy of a kind that Tollgate does not support (${url.protocol.slice(0, -1)}). Supported are http, https and socks5.`,
    )
  const options = { host, port, source, signal: AbortSignal.timeout(timeoutMs) }
  const connect = buildConnector({
    timeout: timeoutMs,
    rejectUnauthorized: true,
    allowH2: false,
    secureContext,
  })
  try {
    if (!isSocks) return await openHttpTunnel(url, options, connect)
    const hostname = url.hostname.replace(/^\[|\]$/g, '')
    const socket = await connectWith(connect, {
      hostname,
      protocol: 'tcp:',
      port: url.port === '' ? SOCKS_PORT : url.port,
    })
    try {
      await openSocksTunnel(socket, url, options)
      return socket
    } catch (error) {
      socket.destroy()
      throw error
    }
  } catch (error) {
    throw toProxyFailure(error, source)
  }
}

export function connectWith(
  connect: buildConnector.connector,
  options: buildConnector.Options,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    connect(options, (error, socket) => (error === null ? resolve(socket) : reject(error)))
  })
}
