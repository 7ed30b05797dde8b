import type { UpstreamFailure } from '../../chat/failure.ts'
import { refuseRequest } from '../../chat/refuse-request.ts'

/** Collects what a request asks for and only providers of Google's format can do. */
export class GeminiOnly {
  #failure: UpstreamFailure | null = null
  #hasExternalContent = false

  /** The first of it, as the failure at every other provider. */
  get failure(): UpstreamFailure | null {
    return this.#failure
  }

  get hasExternalContent(): boolean {
    return this.#hasExternalContent
  }

  add(what: string, param: string): void {
    this.#failure ??= refuseRequest(
      `${what} Choose a model of a provider that has Google's API format, or remove it.`,
      param,
    )
  }

  /** Google adds content to the prompt that is not in the request. */
  addExternalContent(): void {
    this.#hasExternalContent = true
  }
}
