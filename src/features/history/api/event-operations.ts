import { z } from 'zod'
import type { Operation } from '../../../shared/api/operations/operation.ts'

/** The answer of OTLP in JSON; in protobuf it has the same fields. */
const ExportAnswer = z
  .object({
    partialSuccess: z
      .object({ rejectedLogRecords: z.string(), errorMessage: z.string() })
      .optional()
      .describe('The calls that were not counted, and why.'),
  })
  .meta({ id: 'ExportAnswer' })

const ExportRequest = z.string().meta({
  id: 'ExportRequest',
  format: 'binary',
  description: 'An export request of OTLP/HTTP, in protobuf or JSON, also with gzip.',
})

/** OTLP/HTTP, OpenTelemetry's protocol. */
const common = {
  method: 'POST',
  tag: 'History',
  scopes: ['admin', 'telemetry-only'],
  response: ExportAnswer,
  writes: true,
  file: 'body',
  fileContent: { types: ['application/x-protobuf', 'application/json'], schema: ExportRequest },
  errors: [413, 415],
} as const

export const eventOperations = {
  receiveLogs: {
    ...common,
    path: '/v1/logs',
    summary: 'Receive the usage events of agents',
    description:
      'Each call of a model in the events of Claude Code and Codex is added to the imported history, once with its line in the log of the agent. Nothing else of the events is stored.',
  },
  receiveTraces: {
    ...common,
    path: '/v1/traces',
    summary: 'Receive traces, which are not used',
    description: 'So that agents that send them with their events have no errors.',
  },
  receiveMetrics: {
    ...common,
    path: '/v1/metrics',
    summary: 'Receive metrics, which are not used',
    description: 'They are sums of what the events have call by call.',
  },
} as const satisfies Record<string, Operation>
