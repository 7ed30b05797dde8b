import { expect } from 'vitest'
import { testSlowSection } from './testing/rule.ts'
import { fails, type ModelHandler, says, shareForFile, startScriptedUpstream } from './testing/upstream.ts'

const test = testSlowSection('Upstream calls')

const { tollgate, upstream } = await shareForFile('Upstream calls')

test('No credential, header or internal URL of an upstream reaches a client or a log', async () => {
  const leaky: ModelHandler = (exchange) => {
    const { authorization = '' } = exchange.request.headers
    const message = `Bad key ${authorization} for ${upstream.url}/chat at 10.0.0.7:8080 (x-api-key: sk-abcdefghijkl)`
    exchange.reply(
      exchange.request.json().stream === true ? 400 : 500,
      { error: { message, code: authorization } },
      { 'retry-after-ms': '1' },
    )
  }
  const model = await upstream.modelAtNewProvider(leaky)
  const { port } = new URL(upstream.url)
  const answers = [await tollgate.chat({ model }), await tollgate.chat({ model, stream: true })]
  const seen = [
    ...answers.map(({ text }) => text),
    (await tollgate.call('GET', '/v1/requests')).text,
    (await tollgate.call('GET', '/v1/providers')).text,
  ]
  for (const text of seen) {
    for (const secret of ['canary-credential', 'sk-abcdefghijkl', '10.0.0.7'])
      expect(text).not.toContain(secret)
  }
  for (const { text } of answers) expect(text).not.toContain(port)
})

test('X-Service-Model is the model that served the request, which may differ from the requested one', async () => {
  await upstream.model('second-choice', says('from the second'))
  const primary = await upstream.modelAtNewProvider(fails(503), {
    fallbacks: ['second-choice', 'sandbox-small'],
  })
  for (const stream of [false, true]) {
    const answer = await tollgate.chat({ model: primary, stream })
    expect(answer.headers.get('x-service-model')).toBe('second-choice')
    expect(answer.text).toContain('"model":"second-choice"')
  }
})

test('Another provider of the same model is called before any fallback', async () => {
  const listed = async (id: string, priority: number) => {
    await tollgate.call('PUT', `/v1/providers/${id}`, {
      body: { apiFormat: 'openai-chat', baseUrl: twins.url, headers: { 'x-twin': id }, priority },
    })
    await tollgate.call('POST', `/v1/providers/${id}/models`)
  }
  const twins = await startScriptedUpstream(tollgate, 'twin-setup')
  await twins.model('twin-model', (exchange, nth) =>
    exchange.request.headers['x-twin'] === 'twin-a'
      ? fails(503)(exchange, nth)
      : says('the other twin')(exchange, nth),
  )
  await tollgate.call('DELETE', '/v1/models/twin-model')
  await listed('twin-a', 1)
  await listed('twin-b', 2)
  await tollgate.call('PUT', '/v1/models/twin-model', { body: { fallbacks: ['sandbox-small'] } })
  const { json, headers } = await tollgate.chat({ model: 'twin-model' })
  expect(json.choices[0].message.content).toBe('the other twin')
  expect(headers.get('x-service-model')).toBe('twin-model')
  const record = await tollgate.getRecord(json.id)
  expect(record.attempts.map(({ provider }: { provider: string }) => provider)).toEqual([
    'twin-a',
    'twin-a',
    'twin-a',
    'twin-b',
  ])
  const pinned = await tollgate.chat({ model: 'twin-b/twin-model' })
  expect(pinned.status).toBe(200)
  await twins.close()
})

test('A provider that keeps failing has an open circuit breaker: shown in /v1/providers, and called last', async () => {
  const model = await upstream.modelAtNewProvider(fails(503), { fallbacks: ['sandbox-small'] })
  await tollgate.chat({ model })
  await tollgate.chat({ model })
  const { json } = await tollgate.call('GET', '/v1/providers')
  const { health } = json.data.find(({ id }: { id: string }) => id === model)
  expect(health).toMatchObject({ state: 'resting', until: expect.any(String), lastError: 'out of order' })
  const before = upstream.calls(model).length
  expect((await tollgate.chat({ model })).status).toBe(200)
  expect(upstream.calls(model)).toHaveLength(before)
})

// Not with the others: the gateway closes the connection, which one of them could just have taken from fetch's pool.
