import { Socket } from 'node:net'
import { type buildConnector, Client } from 'undici'
import { connectRefusal, proxyFailure } from './proxy-failure.ts'
import type { TunnelOptions } from './system-network.ts'

/**
 * A tunnel through an HTTP proxy, made by CONNECT: https://www.rfc-editor.org/rfc/rfc9110#section-9.3.6. The proxy learns the
 * host and the port alone. Throws UpstreamFailure, or the error of the connection to the proxy.
 */
export async function openHttpTunnel(
  url: URL,
  { host, port, source, signal }: TunnelOptions,
  connect: buildConnector.connector,
): Promise<Socket> {
  const client = new Client(url.origin, { connect })
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const userInfo = readUserInfo(url)
  const headers = {
    host: authority,
    ...(userInfo && { 'proxy-authorization': `Basic ${Buffer.from(userInfo).toString('base64')}` }),
  }
  const reply = await client.connect({ path: authority, headers, signal })
  const { statusCode, socket } = reply
  if (statusCode === 200 && socket instanceof Socket) return socket
  socket.on('error', () => {}).destroy()
  if (statusCode === 200) throw proxyFailure('The proxy gave no connection.')
  throw connectRefusal(statusCode, reply.headers, { source, hasPassword: userInfo !== null })
}

/** As in `user:password`; null without a user name. */
function readUserInfo({ username, password }: URL): string | null {
  return username === '' ? null : `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
}
