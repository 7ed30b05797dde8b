import { afterAll, expect } from 'vitest'
import { startProgram } from './testing/program.ts'
import { slowRule } from './testing/rule.ts'
import { fails, says, startScriptedUpstream } from './testing/upstream.ts'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

slowRule('Upstream calls', 'After failed retries the model’s fallbacks serve the request', async () => {
  const model = await upstream.modelAtNewProvider(fails(503), { fallbacks: ['sandbox-small'] })
  const answer = await tollgate.chat({ model })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-service-model')).toBe('sandbox-small')
  expect(upstream.calls(model)).toHaveLength(3)
})

slowRule(
  'Upstream calls',
  'X-Service-Model is the model that served the request, which may differ from the requested one',
  async () => {
    await upstream.model('second-choice', says('from the second'))
    const primary = await upstream.modelAtNewProvider(fails(503), {
      fallbacks: ['second-choice', 'sandbox-small'],
    })
    for (const stream of [false, true]) {
      const answer = await tollgate.chat({ model: primary, stream })
      expect(answer.headers.get('x-service-model')).toBe('second-choice')
      expect(answer.text).toContain('"model":"second-choice"')
    }
  },
)

slowRule('Upstream calls', 'Another provider of the same model is called before any fallback', async () => {
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
  const record = (await tollgate.call('GET', `/v1/requests/${json.id}`)).json
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

slowRule('Upstream calls', 'An invalid request does not fail over', async () => {
  const model = await upstream.modelAtNewProvider(fails(400), { fallbacks: ['sandbox-small'] })
  expect((await tollgate.chat({ model })).status).toBe(400)
})

slowRule('Upstream calls', 'Nothing is retried after the first byte has reached the client', async () => {
  const model = await upstream.modelAtNewProvider(
    (exchange) =>
      exchange
        .begin()
        .data({ choices: [{ index: 0, delta: { content: 'Half' }, finish_reason: null }] })
        .end(),
    { fallbacks: ['sandbox-small'] },
  )
  const { status, text } = await tollgate.chat({ model, stream: true })
  expect(status).toBe(200)
  expect(text).toContain('"error"')
  expect(upstream.calls(model)).toHaveLength(1)
})

slowRule(
  'Upstream calls',
  'A provider that keeps failing has an open circuit breaker: shown in /v1/providers, and called last',
  async () => {
    const model = await upstream.modelAtNewProvider(fails(503), { fallbacks: ['sandbox-small'] })
    await tollgate.chat({ model })
    await tollgate.chat({ model })
    const { json } = await tollgate.call('GET', '/v1/providers')
    const { health } = json.data.find(({ id }: { id: string }) => id === model)
    expect(health).toMatchObject({ state: 'resting', until: expect.any(String), lastError: 'out of order' })
    const before = upstream.calls(model).length
    expect((await tollgate.chat({ model })).status).toBe(200)
    expect(upstream.calls(model)).toHaveLength(before)
  },
)
