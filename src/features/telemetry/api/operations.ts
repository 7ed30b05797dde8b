import { admin, type Operation, reading } from '../../../shared/api/operations/operation.ts'
import { MetricsText, Telemetry, TelemetryTest, TelemetryUpdate } from './telemetry.ts'
import { telemetryRoutes } from './terms.ts'

export const telemetryOperations = {
  getMetrics: {
    ...telemetryRoutes.getMetrics,
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
    ...telemetryRoutes.getTelemetry,
    tag: 'Integrations',
    summary: 'Get the OpenTelemetry export',
    scopes: admin,
    response: Telemetry,
  },
  updateTelemetry: {
    ...telemetryRoutes.updateTelemetry,
    tag: 'Integrations',
    summary: 'Change the OpenTelemetry export',
    description: 'An endpoint turns it on, null turns it off.',
    scopes: admin,
    body: TelemetryUpdate,
    response: Telemetry,
  },
  testTelemetry: {
    ...telemetryRoutes.testTelemetry,
    tag: 'Integrations',
    summary: 'Send a test to the OpenTelemetry receiver',
    description: 'Sends a span named `tollgate.test`, and the metrics as they are now.',
    scopes: admin,
    response: TelemetryTest,
  },
} as const satisfies Record<string, Operation>
