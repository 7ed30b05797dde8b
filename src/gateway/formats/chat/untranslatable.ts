import { refuseRequest, type UpstreamFailure } from './failure.ts'

interface Details {
  /** Advice: what the client can do instead. */
  advice?: string
  /** The provider adds to the prompt what the body does not hold. */
  external?: boolean
}

/** Collects what a request asks for and only providers of the client's own format can do; the first is reported. */
export class Untranslatable {
  readonly #describe: (what: string, advice?: string) => string
  /** The failure at every other provider; null if there is none. */
  failure: UpstreamFailure | null = null
  /** Whether the provider adds to the prompt. */
  external = false

  /** `describe`: the sentences for what cannot be translated, such as `the tool "web_search"`. */
  constructor(describe: (what: string, advice?: string) => string) {
    this.#describe = describe
  }

  add(what: string, param: string, { advice, external = false }: Details = {}): void {
    this.external ||= external
    this.refuse(this.#describe(what, advice), param)
  }

  refuse(message: string, param: string): void {
    this.failure ??= refuseRequest(message, param)
  }
}
