// Sends one HTTP request of the load, and reads the answer to its end or disconnects. Never rejects: the load includes
// killing the gateway.
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'

export interface Received {
  /** 0 when no response head arrived. */
  status: number
  headers: IncomingHttpHeaders
  trailers: NodeJS.Dict<string>
  text: string
  /** The answer is complete as HTTP. */
  whole: boolean
}

export interface Asked {
  method?: string
  path: string
  secret: string
  body?: string
  headers?: Record<string, string>
  /** Disconnects this long after the request was sent. */
  leaveAfterMs?: number
  /** Disconnects once this many bytes of the answer have arrived. */
  leaveAfterBytes?: number
  /** Uses a new connection: the gateway may close an idle one at the moment it is used again. */
  alone?: boolean
}

const LONGEST_MS = 60_000

export class Client {
  readonly baseUrl: string
  readonly #agent = new Agent({ keepAlive: true })

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl
  }

  send(asked: Asked): Promise<Received> {
    const { method = 'POST', path, secret, body, headers, leaveAfterMs, leaveAfterBytes, alone } = asked
    return new Promise((resolve) => {
      const received: Received = { status: 0, headers: {}, trailers: {}, text: '', whole: false }
      const request = httpRequest(this.baseUrl + path, {
        method,
        agent: alone ? false : this.#agent,
        headers: {
          authorization: `Bearer ${secret}`,
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
          ...headers,
        },
      })
      const timer = setTimeout(() => request.destroy(), leaveAfterMs ?? LONGEST_MS)
      const end = () => {
        clearTimeout(timer)
        resolve(received)
      }
      request.on('error', end)
      request.on('close', end)
      request.on('response', (response) => {
        received.status = response.statusCode ?? 0
        received.headers = response.headers
        response.setEncoding('utf8')
        response.on('data', (part: string) => {
          received.text += part
          if (leaveAfterBytes !== undefined && received.text.length >= leaveAfterBytes) request.destroy()
        })
        response.on('end', () => {
          received.whole = response.complete
          received.trailers = response.trailers
          end()
        })
        response.on('error', end)
      })
      request.end(body)
    })
  }

  /** A GET whose answer must be a 200; parsed. */
  async read(path: string, secret: string): Promise<unknown> {
    const { status, text } = await this.send({ method: 'GET', path, secret, alone: true })
    if (status !== 200) throw new Error(`GET ${path} was answered with ${status}: ${text}`)
    return JSON.parse(text)
  }

  close(): void {
    this.#agent.destroy()
  }
}
