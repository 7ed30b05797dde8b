import type { EventHub } from '../../../gateway/platform/events.ts'
import type { Store } from '../../../gateway/store/store.ts'
import type { GaugeSource, PrometheusRegistry } from './prometheus-registry.ts'
import { listenToSettled } from './settled-requests.ts'

const SETTING = 'prometheus'

interface PrometheusDeps {
  store: Store
  events: EventHub
  version: string
  readGauges: () => GaugeSource
}

/**
 * What `GET /metrics` sends. Requests are counted from the first read on, and after that from every start: before the
 * first read nothing is counted, and the package is not loaded.
 */
export class PrometheusMetrics {
  readonly #deps: PrometheusDeps
  #registry: Promise<PrometheusRegistry> | null = null

  /** `stored`: whether the metrics were read before. */
  constructor(deps: PrometheusDeps, stored: unknown) {
    this.#deps = deps
    if (stored === true) void this.#start()
  }

  async read(): Promise<{ contentType: string; text: string }> {
    const isFirst = this.#registry === null
    const registry = await this.#start()
    if (isFirst) await this.#deps.store.write('putSettings', [{ name: SETTING, value: true }])
    return { contentType: registry.contentType, text: await registry.read(this.#deps.readGauges()) }
  }

  #start(): Promise<PrometheusRegistry> {
    this.#registry ??= this.#load()
    return this.#registry
  }

  async #load(): Promise<PrometheusRegistry> {
    const { PrometheusRegistry: Loaded } = await import('./prometheus-registry.ts')
    const registry = new Loaded(this.#deps.version)
    listenToSettled(this.#deps.events, registry.count)
    return registry
  }
}
