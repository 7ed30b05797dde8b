import type { UpstreamFailure } from '../../chat/failure.ts'
import { refuseRequest } from '../../chat/refuse-request.ts'

const ADVICE = 'Leave it out, or use a model of such a provider.'

/** Collects what only a provider of the Responses API can do; the first is reported. */
export class Untranslatable {
  #first: UpstreamFailure | null = null

  /** `what`: such as `the tool "web_search"`. */
  add(what: string, param: string, advice = ADVICE): void {
    this.refuse(`Only a provider with the Responses API supports ${what}. ${advice}`, param)
  }

  refuse(message: string, param: string): void {
    this.#first ??= refuseRequest(message, param)
  }

  get failure(): UpstreamFailure | null {
    return this.#first
  }
}
