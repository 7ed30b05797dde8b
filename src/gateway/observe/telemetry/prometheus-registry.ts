import { Gauge, Registry } from 'prom-client'
import { createGauges, type GaugeSource, type SettledListener } from './gauges.ts'
import { createRequestCounters } from './request-counters.ts'

export class PrometheusRegistry {
  readonly #registry = new Registry()
  readonly count: SettledListener
  readonly #setGauges: (source: GaugeSource) => void

  constructor(version: string) {
    const registers = [this.#registry]
    this.count = createRequestCounters(this.#registry)
    this.#setGauges = createGauges(this.#registry)
    const info = { name: 'tollgate_build_info', help: 'Always 1.', labelNames: ['version'], registers }
    new Gauge(info).set({ version }, 1)
    const start = { name: 'process_start_time_seconds', help: 'Epoch seconds of this start.', registers }
    new Gauge(start).set(Math.round(performance.timeOrigin / 1000))
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  read(source: GaugeSource): Promise<string> {
    this.#setGauges(source)
    return this.#registry.metrics()
  }
}
