// Owns one HTTP request of the load: sent, read to its end or left in the middle. Never rejects: a gateway that is
// killed under its callers is what the load is for.
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'

export interface Heard {
  /** 0 when no head came. */
  status: number
  headers: IncomingHttpHeaders
  trailers: NodeJS.Dict<string>
  text: string
  /** The answer came to its proper end as HTTP. */
  whole: boolean
}

export interface Asked {
  method?: string
  path: string
  secret: string
  body?: string
  headers?: Record<string, string>
  /** Closes the connection so long after it was asked, whatever has come. */
  leaveAfterMs?: number
  /** Closes the connection once so many bytes of the answer have come. */
  leaveAfterBytes?: number
  /** Takes a connection of its own: one that is kept may be closed by the gateway at the moment it is used again. */
  alone?: boolean
}

const LONGEST_MS = 60_000

export class Client {
  readonly baseUrl: string
  readonly #agent = new Agent({ keepAlive: true })

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl
  }

  send(asked: Asked): Promise<Heard> {
    const { method = 'POST', path, secret, body, headers, leaveAfterMs, leaveAfterBytes, alone } = asked
    return new Promise((resolve) => {
      const heard: Heard = { status: 0, headers: {}, trailers: {}, text: '', whole: false }
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
        resolve(heard)
      }
      request.on('error', end)
      request.on('close', end)
      request.on('response', (response) => {
        heard.status = response.statusCode ?? 0
        heard.headers = response.headers
        response.setEncoding('utf8')
        response.on('data', (part: string) => {
          heard.text += part
          if (leaveAfterBytes !== undefined && heard.text.length >= leaveAfterBytes) request.destroy()
        })
        response.on('end', () => {
          heard.whole = response.complete
          heard.trailers = response.trailers
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
