// Traces and metrics for other programs: OpenTelemetry and Prometheus.
import type { Feature } from '../../../gateway/http/calls.ts'
import { writeResponse } from '../../../gateway/http/send-response.ts'
import type { CommonServices } from '../../../gateway/settings/settings.ts'
import type { GaugeSource, PrometheusRegistry } from './prometheus-registry.ts'
import { listenToSettled } from './settled-requests.ts'
import { Telemetry, type TelemetryDeps } from './telemetry.ts'

const SETTING = 'prometheus'

interface PrometheusDeps extends CommonServices {
  version: string
  readGauges: () => GaugeSource
}

/**
 * What `GET /metrics` sends. Requests are counted from the first read on, and after that from every start: before the
 * first read nothing is counted, and the package is not loaded.
 */
class PrometheusMetrics {
  readonly #deps: PrometheusDeps
  #registry: Promise<PrometheusRegistry> | null = null

  constructor(deps: PrometheusDeps) {
    this.#deps = deps
    // They were read before.
    if (deps.settings.stored(SETTING) === true) void this.#start()
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

export function createTelemetry(deps: TelemetryDeps & PrometheusDeps): Feature {
  const telemetry = new Telemetry(deps)
  const prometheus = new PrometheusMetrics(deps)
  // Not awaited: a keychain may prompt the user.
  void telemetry.start()
  return {
    tracer: telemetry,
    handlers: {
      getTelemetry: () => telemetry.view(),
      updateTelemetry: ({ body }) => telemetry.update(body),
      testTelemetry: () => telemetry.test(),
      async getMetrics({ context }) {
        const { contentType, text } = await prometheus.read()
        writeResponse(context, { status: 200, headers: { 'content-type': contentType }, body: text })
      },
    },
    close: () => telemetry.close(),
  }
}
