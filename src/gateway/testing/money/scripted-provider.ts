// The provider of the money model. Its behavior for each call is scripted in advance, by the call's tag.
import { startTestUpstream, type TestUpstream } from '../../upstream/testing/test-upstream.ts'
import { beginStream, contentOf, type Part, respond } from './behaviors.ts'

/** A call that the provider leaves unfinished until the gateway aborts it. */
export interface Hold {
  part: Part
  /** Whether a stream's text is sent first. */
  afterText: boolean
  /** Called when the provider has received the request. */
  onRequest(): void
}

const TAG = /call-\d+/

export class ScriptedProvider {
  readonly #upstream: TestUpstream
  readonly #parts: Map<string, Part>
  readonly #holds: Map<string, Hold>
  readonly #requests: Map<string, number>

  private constructor(
    upstream: TestUpstream,
    scripts: { parts: Map<string, Part>; holds: Map<string, Hold>; requests: Map<string, number> },
  ) {
    this.#upstream = upstream
    this.#parts = scripts.parts
    this.#holds = scripts.holds
    this.#requests = scripts.requests
  }

  static async start(): Promise<ScriptedProvider> {
    const parts = new Map<string, Part>()
    const holds = new Map<string, Hold>()
    const requests = new Map<string, number>()
    const upstream = await startTestUpstream(async (exchange) => {
      const tag = TAG.exec(exchange.request.body)?.[0] ?? ''
      const nth = (requests.get(tag) ?? 0) + 1
      requests.set(tag, nth)
      const hold = holds.get(tag)
      const part = parts.get(tag)
      if (hold) {
        if (hold.afterText && exchange.request.json().stream === true) {
          beginStream(exchange, contentOf(tag, hold.part.outputTokens))
        }
        hold.onRequest()
        await exchange.disconnected
      } else if (part) await respond(exchange, part, tag, nth)
      else exchange.reply(200, { object: 'list', data: [] })
    })
    return new ScriptedProvider(upstream, { parts, holds, requests })
  }

  get url(): string {
    return this.#upstream.url
  }

  set(tag: string, part: Part): void {
    this.#parts.set(tag, part)
  }

  /** Resolves when the provider has received the request. */
  hold(tag: string, part: Part, afterText: boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#holds.set(tag, { part, afterText, onRequest: resolve })
    })
  }

  /** The number of requests received for a call. */
  requests(tag: string): number {
    return this.#requests.get(tag) ?? 0
  }

  close(): Promise<void> {
    return this.#upstream.close()
  }
}
