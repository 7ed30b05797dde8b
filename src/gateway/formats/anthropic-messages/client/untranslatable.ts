import type { UpstreamFailure } from '../../chat/failure.ts'
import { refuseRequest } from '../../chat/refuse-request.ts'

interface Details {
  /** What the client can do instead. */
  advice?: string
  /** It adds to the prompt what the body does not hold. */
  external?: boolean
}

/** Collects what only a provider of Anthropic's format can do; the first one is reported. */
export class Untranslatable {
  #first: UpstreamFailure | null = null
  #external = false

  /** `what`: such as `the tool "web_search_20250305"`. */
  add(what: string, param: string, { advice, external = false }: Details = {}): void {
    this.#external ||= external
    const sentence = advice ?? 'Use a model of Anthropic, or leave it out.'
    this.refuse(`Only providers with Anthropic's Messages API support ${what}. ${sentence}`, param)
  }

  refuse(message: string, param: string): void {
    this.#first ??= refuseRequest(message, param)
  }

  get failure(): UpstreamFailure | null {
    return this.#first
  }

  get external(): boolean {
    return this.#external
  }
}
