import { expect, test, vi } from 'vitest'
import { readOtlpEnvironment } from './otlp-environment.ts'

const refuse = vi.fn<(url: URL) => void>()

test('the general endpoint gets the paths of the signals; one of a signal is used as it is', () => {
  expect(
    readOtlpEnvironment(
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
        OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'https://metrics.example/ingest',
        OTEL_EXPORTER_OTLP_HEADERS: 'x-team=a%20b, bad name=1,x-empty=',
        OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'api-key=s3',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      },
      refuse,
    ),
  ).toEqual({
    traces: { url: 'http://collector:4318/v1/traces', headers: { 'x-team': 'a b' }, protocol: 'http/json' },
    metrics: { url: 'https://metrics.example/ingest', headers: { 'api-key': 's3' }, protocol: 'http/json' },
  })
})

test('nothing is sent without an address, when the SDK is disabled, or for a signal whose exporter is none', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
  expect(readOtlpEnvironment({ OTEL_EXPORTER_OTLP_HEADERS: 'a=b' }, refuse)).toBeNull()
  expect(readOtlpEnvironment({ ...endpoint, OTEL_SDK_DISABLED: 'true' }, refuse)).toBeNull()
  expect(readOtlpEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, refuse)).toBeNull()
  expect(readOtlpEnvironment({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, refuse)).toMatchObject({
    traces: null,
    metrics: { protocol: 'http/protobuf' },
  })
})

test('an unencrypted address in the internet is refused, for each signal by itself', () => {
  refuse.mockClear()
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example.com:4318',
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://10.0.0.7:4318/v1/metrics',
  }
  expect(readOtlpEnvironment(env, refuse)).toMatchObject({
    traces: null,
    metrics: { url: 'http://10.0.0.7:4318/v1/metrics' },
  })
  expect(refuse.mock.calls.map(([url]) => url.host)).toEqual(['collector.example.com:4318'])
})
