import { expect, test } from 'vitest'
import { isInsecure, readOtlpEnvironment } from './otlp-environment.ts'

test('the environment names an endpoint with headers, or nothing', () => {
  expect(
    readOtlpEnvironment({
      OTEL_EXPORTER_OTLP_ENDPOINT: ' http://collector:4318/ ',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=a%20b, bad name=1,x-empty=',
    }),
  ).toEqual({ endpoint: 'http://collector:4318/', headers: { 'x-team': 'a b' } })
  expect(readOtlpEnvironment({ OTEL_EXPORTER_OTLP_HEADERS: 'a=b' })).toBeNull()
  const endpoint = 'http://collector:4318'
  expect(readOtlpEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' })).toBeNull()
  expect(readOtlpEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toBeNull()
})

test('only an unencrypted address in the internet is insecure', () => {
  expect(
    ['http://collector.example.com:4318', 'http://10.0.0.7:4318', 'https://example.com'].map(isInsecure),
  ).toEqual([true, false, false])
})
