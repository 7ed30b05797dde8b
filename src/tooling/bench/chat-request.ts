// Sends one chat completion at undici's lowest level, which costs the load the least.
import { Client } from 'undici'

/** Something that answers chat completions. */
export interface Target {
  name: string
  /** Where chat completions are posted. */
  url: string
  headers: Record<string, string>
  model: string
  /** Its process. */
  pid: number
  /** It speaks TLS with the certificate for tests, which is signed by itself. */
  hasTestCertificate?: boolean
}

export interface ChatRequest {
  path: string
  headers: Record<string, string>
  body: string
}

export function createChatRequest(target: Target, stream: boolean, prompt: string): ChatRequest {
  return {
    path: new URL(target.url).pathname,
    headers: { 'content-type': 'application/json', ...target.headers },
    body: JSON.stringify({ model: target.model, stream, messages: [{ role: 'user', content: prompt }] }),
  }
}

/** Opens a separate connection, over HTTP/1.1. */
export function openClient({ url, hasTestCertificate = false }: Target): Client {
  return new Client(new URL(url).origin, {
    allowH2: false,
    connect: { rejectUnauthorized: !hasTestCertificate },
  })
}

/** Resolves at the end of a response with status 200; rejects with the start of any other. `onData` gets the body's parts. */
export function sendChatRequest(
  client: Client,
  request: ChatRequest,
  onData: (part: Buffer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let status = 0
    let problem = ''
    client.dispatch(
      { ...request, method: 'POST' },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, code) => {
          status = code
        },
        onResponseData: (_controller, part) => {
          if (status === 200) onData(part)
          else problem += part.toString()
        },
        onResponseEnd: () =>
          status === 200 ? resolve() : reject(new Error(`status ${status}: ${problem.slice(0, 200)}`)),
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })
}
