import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'vitest'
import type { TestClient } from '../../gateway/testing/gateway.ts'

type Client = Pick<TestClient, 'baseUrl' | 'admin'>

/** The header lines and the body of a chat request. */
export function chatLines(
  { baseUrl, admin }: Client,
  body: object,
  version = '1.1',
  ...more: string[]
): [string[], string] {
  const text = JSON.stringify({ model: 'plain', messages: [{ role: 'user', content: 'Hi' }], ...body })
  return [
    [
      `POST /v1/chat/completions HTTP/${version}`,
      `Host: ${new URL(baseUrl).host}`,
      `Authorization: Bearer ${admin}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(text)}`,
      ...more,
    ],
    text,
  ]
}

/** The headers of a chat request with a chunked body. */
export function chunkedHead({ baseUrl }: Pick<TestClient, 'baseUrl'>, secret: string): string {
  return [
    'POST /v1/chat/completions HTTP/1.1',
    `Host: ${new URL(baseUrl).host}`,
    `Authorization: Bearer ${secret}`,
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
    '\r\n',
  ].join('\r\n')
}

interface Connection {
  write(sent: string | Uint8Array): void
  /** Resolves with everything received so far once it matches the pattern. */
  read(pattern: RegExp): Promise<string>
  end(): void
}

export function openConnection({ baseUrl }: Pick<TestClient, 'baseUrl'>): Connection {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8')
  socket.on('data', (piece: string) => {
    text += piece
  })
  socket.on('error', () => undefined)
  return {
    write: (sent) => void socket.write(sent),
    end: () => void socket.destroy(),
    async read(pattern) {
      while (!pattern.test(text)) {
        if (socket.readableEnded || socket.destroyed) throw new Error(`closed after: ${text}`)
        await Promise.race(['data', 'end', 'close'].map((event) => once(socket, event)))
      }
      return text
    },
  }
}

/** Expects that the gateway still responds, that no request runs any more, and that the key has nothing reserved. */
export async function expectAlive(tollgate: TestClient): Promise<void> {
  expect((await tollgate.call('GET', '/healthz')).json.status).toBe('ok')
  const left = async () => {
    const running = await tollgate.call('GET', '/v1/requests?status=running')
    const key = await tollgate.call('GET', '/v1/key')
    return [running.json.data, key.json.reservedUsd]
  }
  await expect.poll(left, { timeout: 10_000 }).toEqual([[], 0])
}
