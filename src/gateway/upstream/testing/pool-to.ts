import type { Dispatcher } from 'undici'
import { type HttpRequest, UpstreamPool } from '../connection-pool.ts'

/** Sends everything to one server, whatever the address; `hosts` has the hosts that were meant. */
export class PoolTo extends UpstreamPool {
  readonly hosts: string[] = []
  readonly #origin: string

  constructor(origin: string) {
    super()
    this.#origin = origin
  }

  override dispatch(request: HttpRequest, handler: Dispatcher.DispatchHandler) {
    const { host, pathname, search } = new URL(request.url)
    this.hosts.push(host)
    super.dispatch({ ...request, url: this.#origin + pathname + search }, handler)
  }
}
