import type { ChatRequest } from '../../../shared/formats/chat.ts'
import type { Target } from '../../formats/chat/codec-types.ts'
import { type Answer, type ChatEvent, TRANSLATED } from '../../formats/chat/events.ts'
import { UpstreamFailure } from '../../formats/chat/failure.ts'
import { UpstreamPool } from '../connection-pool.ts'
import { sendHttpCall } from '../http-adapter.ts'
import { startTestUpstream, type TestHandler, type TestUpstream, testTarget } from './test-upstream.ts'

export const CREDENTIAL = 'canary-credential-4711'
export const plainRequest: ChatRequest = { model: 'x', messages: [{ role: 'user', content: 'Hi' }] }
export const streamRequest: ChatRequest = { ...plainRequest, stream: true }

/** Upstreams and calls to them over one pool, all of which `close` ends. */
export class TestCalls {
  readonly pool: UpstreamPool
  readonly #closing: (() => Promise<unknown>)[] = []

  constructor(pool = new UpstreamPool()) {
    this.pool = pool
  }

  async upstream(handler: TestHandler): Promise<TestUpstream> {
    const upstream = await startTestUpstream(handler)
    this.onClose(() => upstream.close())
    return upstream
  }

  /** Calls `url` + `/v1` once, with the time limits of `testTarget`. */
  send(
    url: string,
    request: ChatRequest,
    over: Partial<Target> = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Answer> {
    const target = testTarget(`${url}/v1`, over)
    return sendHttpCall(
      { target, request, encoded: null, mode: TRANSLATED, credential: CREDENTIAL, signal },
      this.pool,
    )
  }

  onClose(close: () => Promise<unknown>): void {
    this.#closing.push(close)
  }

  async close(): Promise<void> {
    await this.pool.close()
    await Promise.all(this.#closing.map((close) => close()))
  }
}

export async function findFailure(promise: Promise<unknown>): Promise<UpstreamFailure> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof UpstreamFailure))
    throw new Error(`expected an UpstreamFailure, got ${String(error)}`)
  return error
}

/** The events of a streamed answer, to its end. */
export async function listEvents(answer: Answer): Promise<ChatEvent[]> {
  if (answer.kind !== 'stream') throw new Error('not a stream')
  const events: ChatEvent[] = []
  for await (const batch of answer.events) events.push(...batch)
  return events
}

export function listTypes(events: readonly ChatEvent[]): string[] {
  return events.map((event) => event.type)
}
