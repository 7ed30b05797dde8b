// Traces and metrics for other programs: OpenTelemetry and Prometheus.
import type { Feature } from '../../../gateway/http/calls.ts'
import { writeResponse } from '../../../gateway/http/send-response.ts'
import type { GaugeSource, PrometheusRegistry } from './prometheus-registry.ts'
import { listenToSettled } from './settled-requests.ts'
import { Telemetry, type TelemetryDeps } from './telemetry.ts'

/** Set by the first read of `/metrics`. */
const WAS_READ = 'prometheus'

export function createTelemetry(deps: TelemetryDeps & { readGauges: () => GaugeSource }): Feature {
  const { version, events, settings, store, readGauges } = deps
  const telemetry = new Telemetry(deps)
  let registry: Promise<PrometheusRegistry> | null = null
  // Before the first read nothing is counted, and the package is not loaded.
  const load = async () => {
    const { PrometheusRegistry: Loaded } = await import('./prometheus-registry.ts')
    const loaded = new Loaded(version)
    listenToSettled(events, loaded.count)
    return loaded
  }
  if (settings.stored(WAS_READ) === true) registry = load()
  // Not awaited: a keychain may prompt the user.
  void telemetry.start()
  return {
    tracer: telemetry,
    handlers: {
      getTelemetry: () => telemetry.view(),
      updateTelemetry: ({ body }) => telemetry.update(body),
      async getMetrics({ context }) {
        if (registry === null) await store.write('putSettings', [{ name: WAS_READ, value: true }])
        registry ??= load()
        const { contentType, text } = await (await registry).read(readGauges())
        writeResponse(context, { status: 200, headers: { 'content-type': contentType }, body: text })
      },
    },
    close: () => telemetry.close(),
  }
}
