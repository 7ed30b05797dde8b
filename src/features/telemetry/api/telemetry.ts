// The data that Tollgate sends to an OpenTelemetry collector.
import { z } from 'zod'
import { HEADER_NAME, HEADER_VALUE, MAX_HEADERS } from './telemetry-headers.ts'

const Endpoint = z
  .url({ protocol: /^https?$/, error: 'must be an address such as http://localhost:4318' })
  .max(2_000)
  .regex(/^https?:\/\/[^@?#\s]+$/i, {
    error: 'must have no user name, password, query or fragment: put a credential into a header',
  })
  .describe('The base URL of an OTLP/HTTP receiver; `/v1/traces` and `/v1/metrics` are appended to it.')

/** The options. The headers are separate, because their values are never returned. */
const choices = {
  endpoint: Endpoint.nullable().describe('Null: nothing is sent.'),
  traces: z.boolean().describe('Send a trace of each request to a model.'),
  metrics: z.boolean().describe('Send counts, token usage, durations and costs once a minute.'),
  includePrompts: z.boolean().describe('Put prompts and answers into the traces.'),
}

/** The stored form of the settings. */
export const StoredTelemetry = z.object({
  ...choices,
  headerNames: z
    .array(z.string())
    .describe('The names of the headers that are sent; values are never returned.'),
})
export type StoredTelemetry = z.infer<typeof StoredTelemetry>

const ExportProblem = z
  .object({ at: z.iso.datetime(), message: z.string() })
  .meta({ id: 'ExportProblem', description: 'Why an export failed.' })

export const Telemetry = StoredTelemetry.extend({
  activeEndpoint: z
    .string()
    .nullable()
    .describe('The address in use, from the settings or the environment; null while nothing is sent.'),
  lastExportAt: z.iso.datetime().nullable().describe('When the last export succeeded.'),
  lastProblem: ExportProblem.nullable().describe('The last export that failed, if none has succeeded since.'),
  spansSent: z.number().describe('Since Tollgate started.'),
  spansLost: z.number().describe('Spans of failed exports.'),
}).meta({ id: 'Telemetry', description: 'The export to OpenTelemetry.' })
export type Telemetry = z.infer<typeof Telemetry>

export const TelemetryUpdate = z
  .strictObject({
    ...choices,
    headers: z
      .record(z.string().regex(HEADER_NAME), z.string().regex(HEADER_VALUE))
      .refine((headers) => Object.keys(headers).length <= MAX_HEADERS, { error: `at most ${MAX_HEADERS}` })
      .describe('Replaces all headers; `{}` removes them. They are stored in the keychain.'),
  })
  .partial()
  .meta({ id: 'TelemetryUpdate' })
export type TelemetryUpdate = z.infer<typeof TelemetryUpdate>

export const MetricsText = z
  .string()
  .meta({ id: 'MetricsText', description: "Prometheus' text format, version 0.0.4." })
