import { expect, test } from 'vitest'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { startOtlpReceiver } from './testing/otlp-receiver.ts'

const receiver = await forFile(startOtlpReceiver())
const gateway = await forFile(startTestGateway())

const change = (body: Record<string, unknown>) => gateway.call('PATCH', '/v1/telemetry', { body })

test('off until an endpoint is set; then metrics follow the conventions, and cost is exact', async () => {
  expect((await gateway.call('GET', '/v1/telemetry')).json).toMatchObject({ activeEndpoint: null })
  await gateway.chat({})
  await change({ endpoint: receiver.url })
  await gateway.chat({ stream: true })
  await gateway.chat({ model: 'no-such-model' })
  const spent = (await gateway.records()).find(({ stream }) => stream)
  await change({ endpoint: null })
  const points = receiver.points()
  const findPoint = (metric: string, attributes: Record<string, unknown> = {}) =>
    points.find((point) => {
      const entries = Object.entries(attributes)
      return point.metric === metric && entries.every(([name, value]) => point.attributes[name] === value)
    })
  expect(findPoint('tollgate.cost')).toMatchObject({ value: spent?.costUsd })
  expect(findPoint('tollgate.requests', { 'tollgate.status': 'rejected' })?.value).toBe(1)
  expect(findPoint('gen_ai.client.token.usage', { 'gen_ai.token.type': 'output' })).toMatchObject({
    count: 1,
    sum: spent?.tokensOut,
    attributes: { 'gen_ai.provider.name': 'sandbox', 'gen_ai.request.model': 'sandbox-small' },
  })
  for (const metric of [
    'gen_ai.client.operation.duration',
    'gen_ai.server.request.duration',
    'gen_ai.server.time_to_first_token',
    'gen_ai.server.time_per_output_token',
  ])
    expect([metric, findPoint(metric)?.count]).toEqual([metric, 1])
})

test('headers are stored as a secret, sent with every export, and never returned', async () => {
  const { json, text } = await change({
    endpoint: receiver.url,
    headers: { authorization: 'Bearer collector-secret' },
  })
  expect(json.headerNames).toEqual(['authorization'])
  await gateway.chat({})
  await change({ endpoint: null })
  expect(receiver.requests.at(-1)?.headers.authorization).toBe('Bearer collector-secret')
  expect(text + (await gateway.call('GET', '/v1/telemetry')).text).not.toContain('collector-secret')
  await change({ headers: {} })
})

test.each([
  [401, 'Check the headers'],
  [302, 'redirects'],
])('an answer of %i is reported with advice', async (status, advice) => {
  receiver.answerWith(status, { location: 'http://127.0.0.1:1/' })
  await change({ endpoint: receiver.url })
  await gateway.chat({})
  await change({ endpoint: null })
  receiver.answerWith(200)
  expect((await gateway.call('GET', '/v1/telemetry')).json.lastProblem.message).toContain(advice)
})

test('a receiver that is gone affects no request, and is reported', async () => {
  const countLost = async () => (await gateway.call('GET', '/v1/telemetry')).json.spansLost
  const lostBefore = await countLost()
  const gone = await startOtlpReceiver()
  await gone.close()
  await change({ endpoint: gone.url, metrics: false })
  expect((await gateway.chat({})).status).toBe(200)
  // Waiting data is sent for the last time.
  await change({ endpoint: null, metrics: true })
  const { lastProblem } = (await gateway.call('GET', '/v1/telemetry')).json
  expect(lastProblem.message).toContain('cannot be reached')
  expect((await countLost()) - lostBefore).toBe(2)
})

test.each([
  ['http://collector.example.com:4318', 'insecure_http'],
  ['https://user:pass@collector.example.com', undefined],
  ['https://collector.example.com/?key=1', undefined],
  ['ftp://collector.example.com', undefined],
])('an endpoint such as %s is rejected', async (endpoint, code) => {
  const { status, json } = await change({ endpoint })
  expect([status, json.error.param, json.error.code]).toEqual([400, 'endpoint', code])
})
