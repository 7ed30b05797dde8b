import { routes } from '../routes.ts'
import { MetricsText, Telemetry, TelemetryTest, TelemetryUpdate } from '../telemetry.ts'
import { admin, type Operation, reading } from './operation.ts'

export const integrationsOperations = {
  getMetrics: {
    ...routes.getMetrics,
    tag: 'Integrations',
    writes: true,
    summary: 'Read metrics for Prometheus',
    description:
      'Requests, tokens, costs and durations since this start, and what is left of each cap, in the text format of Prometheus.',
    scopes: reading,
    response: MetricsText,
    file: 'metrics',
  },
  getTelemetry: {
    ...routes.getTelemetry,
    tag: 'Integrations',
    summary: 'Get the OpenTelemetry export',
    scopes: admin,
    response: Telemetry,
  },
  updateTelemetry: {
    ...routes.updateTelemetry,
    tag: 'Integrations',
    summary: 'Change the OpenTelemetry export',
    description: 'An endpoint turns it on, null turns it off.',
    scopes: admin,
    body: TelemetryUpdate,
    response: Telemetry,
  },
  testTelemetry: {
    ...routes.testTelemetry,
    tag: 'Integrations',
    summary: 'Send a test to the OpenTelemetry receiver',
    description: 'Sends a span named `tollgate.test`, and the metrics as they are now.',
    scopes: admin,
    response: TelemetryTest,
  },
} as const satisfies Record<string, Operation>
