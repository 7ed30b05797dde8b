// HTTP over plain sockets, for what fetch hides or cannot send: repeated headers, unusual paths, trailers, closed connections.
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { text } from 'node:stream/consumers'

/** The loopback addresses of this machine: not every one has IPv6. */
export const LOOPBACKS: readonly string[] = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .map(({ address }) => address)
  .filter((address) => address === '127.0.0.1' || address === '::1')

export interface RawAnswer {
  status: number
  /** The status line and headers in lower case. */
  head: string
  body: string
}

/** Sends the bytes unchanged, and reads until the connection ends. */
export async function sendRaw(
  baseUrl: string,
  lines: readonly string[],
  body = '',
  host = '127.0.0.1',
): Promise<RawAnswer> {
  const socket = connect(Number(new URL(baseUrl).port), host)
  socket.write([...lines, 'Connection: close', '', body].join('\r\n'))
  const answer = await text(socket)
  const [head = '', ...rest] = answer.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body: rest.join('\r\n\r\n') }
}

/** Posts JSON. Returns the response, whose body has not been read. */
export async function openPost(
  url: string,
  secret: string,
  body: object,
  headers: object = {},
): Promise<IncomingMessage> {
  const request = httpRequest(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
  })
  request.end(JSON.stringify(body))
  const [response]: IncomingMessage[] = await once(request, 'response')
  return response ?? Promise.reject(new Error('there is no response'))
}

/** Posts JSON and reads the response to its end, trailers included. */
export async function postJson(...call: Parameters<typeof openPost>) {
  const response = await openPost(...call)
  const all = await text(response)
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: all,
    trailers: response.trailers,
  }
}

/** Posts a chat and reads the response to its end, trailers included. */
export const postChat = (baseUrl: string, secret: string, body: object, headers: object = {}) =>
  postJson(`${baseUrl}/v1/chat/completions`, secret, body, headers)

export interface LateRequest {
  connected: Promise<void>
  /** Whether new connections are refused. */
  refused(): Promise<boolean>
  /** Sends the rest of the request and returns the response. */
  finish(): Promise<string>
}

/** Starts a request and leaves out the end of its headers, to test what happens when the gateway stops meanwhile. */
export function lateRequest(baseUrl: string, secret: string): LateRequest {
  const { port, host } = new URL(baseUrl)
  const socket = connect(Number(port), '127.0.0.1')
  const answer = text(socket)
  const connected = new Promise<void>((resolve) => {
    const lines = [
      'GET /v1/models HTTP/1.1',
      `Host: ${host}`,
      `Authorization: Bearer ${secret}`,
      'Connection: close',
      'X-L',
    ]
    socket.write(lines.join('\r\n'), () => resolve())
  })
  return {
    connected,
    refused: () =>
      new Promise((resolve) => {
        const probe = connect(Number(port), '127.0.0.1')
        probe.once('error', () => resolve(true))
        probe.once('connect', () => {
          probe.destroy()
          resolve(false)
        })
      }),
    finish: () => {
      socket.write(': 1\r\n\r\n')
      return answer
    },
  }
}
