// A WebSocket at `/v1/responses`.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'

// biome-ignore lint/suspicious/noExplicitAny: the tests check the events
export type TurnEvent = any

export interface Turns {
  ws: WebSocket
  send(message: object | string): void
  /** The next event. */
  next(): Promise<TurnEvent>
  /** Sends `response.create` and returns the events up to the last of the turn. */
  create(body: object): Promise<TurnEvent[]>
  /** The code with which the connection is closed. */
  closed: Promise<number>
}

const ENDS = ['response.completed', 'response.failed', 'response.incomplete', 'error']

export async function openTurns(baseUrl: string, headers: Record<string, string>): Promise<Turns> {
  const ws = connect(baseUrl, headers)
  const events: TurnEvent[] = []
  const waiting: ((event: TurnEvent) => void)[] = []
  ws.on('message', (data) => {
    const event = JSON.parse(String(data))
    const resolve = waiting.shift()
    if (resolve) resolve(event)
    else events.push(event)
  })
  const closed = new Promise<number>((resolve) => ws.once('close', resolve))
  await once(ws, 'open')
  const turns: Turns = {
    ws,
    closed,
    send: (message) => ws.send(typeof message === 'string' ? message : JSON.stringify(message)),
    next: () =>
      events.length > 0 ? Promise.resolve(events.shift()) : new Promise((resolve) => waiting.push(resolve)),
    async create(body) {
      turns.send({ type: 'response.create', ...body })
      const all = [await turns.next()]
      while (!ENDS.includes(all.at(-1).type)) all.push(await turns.next())
      return all
    },
  }
  return turns
}

/** The answer to a handshake that is refused. */
export async function refusedHandshake(
  baseUrl: string,
  headers: Record<string, string>,
): Promise<{ status: number; json: TurnEvent }> {
  const response = await new Promise<IncomingMessage>((resolve) =>
    connect(baseUrl, headers).once('unexpected-response', (_request, answer) => resolve(answer)),
  )
  const chunks = await response.toArray()
  return { status: response.statusCode ?? 0, json: JSON.parse(Buffer.concat(chunks).toString()) }
}

function connect(baseUrl: string, headers: Record<string, string>): WebSocket {
  return new WebSocket(`${baseUrl.replace('http', 'ws')}/v1/responses`, { headers })
}
