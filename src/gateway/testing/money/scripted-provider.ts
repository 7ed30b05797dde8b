// The provider of the money model. Its behaviour for each call is scripted in advance, by the call's tag.
import { startTestUpstream, type TestUpstream } from '../../upstream/testing/test-upstream.ts'
import { begun, contentOf, type Part, play } from './behaviours.ts'

/** A call that the provider holds until it is left or let go. */
export interface Hold {
  part: Part
  /** It sends its text first, where the call is a stream. */
  afterText: boolean
  /** Called when it has the request. */
  asked(): void
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
          begun(exchange, contentOf(tag, hold.part.outputTokens))
        }
        hold.asked()
        await exchange.gone
      } else if (part) await play(exchange, part, tag, nth)
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

  /** Resolves when the provider has the request. */
  hold(tag: string, part: Part, afterText: boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#holds.set(tag, { part, afterText, asked: resolve })
    })
  }

  /** How many requests came for a call. */
  requests(tag: string): number {
    return this.#requests.get(tag) ?? 0
  }

  close(): Promise<void> {
    return this.#upstream.close()
  }
}
