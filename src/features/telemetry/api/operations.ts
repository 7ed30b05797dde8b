import { admin, describeOperations, reading } from '../../../shared/api/operations/operation.ts'
import { MetricsText, Telemetry, TelemetryUpdate } from './telemetry.ts'
import { telemetryRoutes } from './terms.ts'

export const telemetryOperations = describeOperations(telemetryRoutes, {
  tag: 'Integrations',
  scopes: admin,
})({
  getMetrics: {
    writes: true,
    summary: 'Read metrics for Prometheus',
    description:
      'Requests, tokens, costs and durations since this start, and what is left of each cap, in the text format of Prometheus.',
    scopes: reading,
    response: MetricsText,
    file: 'metrics',
  },
  getTelemetry: {
    summary: 'Get the OpenTelemetry export',
    response: Telemetry,
  },
  updateTelemetry: {
    summary: 'Change the OpenTelemetry export',
    description: 'An endpoint turns it on, null turns it off.',
    body: TelemetryUpdate,
    response: Telemetry,
  },
})
