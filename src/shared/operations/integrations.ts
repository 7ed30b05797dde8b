import { MetricsText, Telemetry, TelemetryTest, TelemetryUpdate } from '../telemetry.ts'
import { admin, type Operation, reading } from './operation.ts'

export const integrationsOperations = {
  getMetrics: {
    method: 'GET',
    path: '/metrics',
    tag: 'Integrations',
    summary: 'Read metrics for Prometheus',
    description:
      'Requests, tokens, costs and durations since this start, and what is left of each cap, in the text format of Prometheus.',
    scopes: reading,
    response: MetricsText,
    file: 'metrics',
  },
  getTelemetry: {
    method: 'GET',
    path: '/v1/telemetry',
    tag: 'Integrations',
    summary: 'Get the OpenTelemetry export',
    scopes: admin,
    response: Telemetry,
  },
  updateTelemetry: {
    method: 'PATCH',
    path: '/v1/telemetry',
    tag: 'Integrations',
    summary: 'Change the OpenTelemetry export',
    description: 'An endpoint turns it on, null turns it off.',
    scopes: admin,
    body: TelemetryUpdate,
    response: Telemetry,
  },
  testTelemetry: {
    method: 'POST',
    path: '/v1/telemetry/test',
    tag: 'Integrations',
    summary: 'Send a test to the OpenTelemetry receiver',
    description: 'Sends a span named `tollgate.test`, and the metrics as they are now.',
    scopes: admin,
    response: TelemetryTest,
  },
} as const satisfies Record<string, Operation>
