import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

export interface ReceivedResponse {
  /** 0 when no response head arrived. */
  status: number
  headers: IncomingHttpHeaders
  trailers: NodeJS.Dict<string>
  text: string
  /** The HTTP response is complete. */
  complete: boolean
}

export interface RequestOptions {
  method?: string
  path: string
  secret: string
  body?: string
  headers?: Record<string, string>
  /** Disconnects this long after the request was sent. */
  disconnectAfterMs?: number
  /** Disconnects once this many bytes of the response have arrived. */
  disconnectAfterBytes?: number
  /** Uses a new connection: the gateway may close an idle one at the moment it is used again. */
  ownConnection?: boolean
}

const LONGEST_MS = 60_000

export class Client {
  readonly baseUrl: string
  readonly #agent = new Agent({ keepAlive: true })

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl
  }

  /** Reads the response to its end, or disconnects. Never rejects, because the load includes killing the gateway. */
  send(options: RequestOptions): Promise<ReceivedResponse> {
    const {
      method = 'POST',
      path,
      secret,
      body,
      headers,
      disconnectAfterMs,
      disconnectAfterBytes,
      ownConnection,
    } = options
    return new Promise((resolve) => {
      const received: ReceivedResponse = { status: 0, headers: {}, trailers: {}, text: '', complete: false }
      const request = httpRequest(this.baseUrl + path, {
        method,
        agent: ownConnection ? false : this.#agent,
        headers: {
          authorization: `Bearer ${secret}`,
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
          ...headers,
        },
      })
      const timer = setTimeout(() => request.destroy(), disconnectAfterMs ?? LONGEST_MS)
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
          if (disconnectAfterBytes !== undefined && received.text.length >= disconnectAfterBytes)
            request.destroy()
        })
        response.on('end', () => {
          received.complete = response.complete
          received.trailers = response.trailers
          end()
        })
        response.on('error', end)
      })
      request.end(body)
    })
  }

  /** Parses the response to a GET, which may have to wait for the limit of requests a minute. Throws unless it has status 200. */
  async read(path: string, secret: string): Promise<unknown> {
    const { status, headers, text } = await this.send({ method: 'GET', path, secret, ownConnection: true })
    if (status === 429) {
      await delay(Number(headers['retry-after']) * 1_000)
      return await this.read(path, secret)
    }
    if (status !== 200) throw new Error(`GET ${path} returned ${status}: ${text}`)
    return JSON.parse(text)
  }

  close(): void {
    this.#agent.destroy()
  }
}
