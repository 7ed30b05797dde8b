import { expect } from 'vitest'
import type { Answer } from '../gateway/testing/gateway.ts'
import { testCompletion } from '../gateway/upstream/testing/test-upstream.ts'
import { rule, testSlowSection } from './testing/rule.ts'
import { fails, type ModelHandler, says, shareForFile, startScriptedUpstream } from './testing/upstream.ts'

const test = testSlowSection('Upstream calls')

const { tollgate, upstream } = await shareForFile()

const statusAndType = ({ status, json }: Answer) => [status, json?.error?.type]

test('A provider whose first byte does not come is 408 upstream_error after retries', async () => {
  const model = await upstream.modelAtNewProvider(() => undefined, {}, { firstByteTimeoutMs: 20 })
  const answer = await tollgate.chat({ model })
  expect(statusAndType(answer)).toEqual([408, 'upstream_error'])
  const { attempts } = await tollgate.getRecord(answer.headers.get('x-service-request-id'))
  expect(attempts).toHaveLength(3)
})

test('A provider that stops within an answer is 408 upstream_error after retries', async () => {
  const model = await upstream.modelAtNewProvider(
    (exchange) => void exchange.begin({ 'content-type': 'application/json' }).raw('{"choices":'),
    {},
    { stallTimeoutMs: 20 },
  )
  expect(statusAndType(await tollgate.chat({ model }))).toEqual([408, 'upstream_error'])
})

for (const status of [400, 404, 413, 422]) {
  test(`Upstream ${status} is 400 with the upstream’s message, code and param`, async () => {
    const upstreamError = {
      message: 'That cannot be.',
      code: 'odd_request',
      param: 'messages[0]',
      type: 'whatever',
    }
    const answer = await tollgate.chat({
      model: await upstream.modelAtNewProvider(fails(status, upstreamError)),
    })
    expect(answer.status).toBe(400)
    expect(answer.json.error).toEqual({ ...upstreamError, type: 'invalid_request_error' })
  })
}

for (const status of [401, 402, 403]) {
  test(`Upstream ${status} is 502 upstream_error with code upstream_credential`, async () => {
    const answer = await tollgate.chat({ model: await upstream.modelAtNewProvider(fails(status)) })
    expect(statusAndType(answer)).toEqual([502, 'upstream_error'])
    expect(answer.json.error.code).toBe('upstream_credential')
  })
}

test('Upstream 429 after retries is 503 with Retry-After when known', async () => {
  const answer = await tollgate.chat({ model: await upstream.modelAtNewProvider(fails(429)) })
  expect(statusAndType(answer)).toEqual([503, 'upstream_error'])
  expect(answer.headers.get('retry-after')).toBe('1')
})

for (const [status, clientStatus] of [
  [500, 502],
  [502, 502],
  [503, 503],
  [529, 503],
  [504, 504],
] as const) {
  test(`Upstream ${status} is ${clientStatus} upstream_error`, async () => {
    expect(
      statusAndType(await tollgate.chat({ model: await upstream.modelAtNewProvider(fails(status)) })),
    ).toEqual([clientStatus, 'upstream_error'])
  })
}

test('A connection that is refused or reset is 502', async () => {
  await tollgate.call('PUT', '/v1/providers/unreachable-provider', {
    body: { apiFormat: 'openai-chat', baseUrl: 'http://127.0.0.1:1' },
  })
  await upstream.model('unreachable', says('never'), { provider: 'unreachable-provider' })
  const resets = await upstream.modelAtNewProvider((exchange) => exchange.reset())
  for (const answer of await Promise.all(['unreachable', resets].map((model) => tollgate.chat({ model })))) {
    expect(statusAndType(answer)).toEqual([502, 'upstream_error'])
  }
})

test('A malformed answer is 502: HTML, invalid JSON, no choices, a redirect', async () => {
  const parts: ModelHandler[] = [
    (exchange) => exchange.reply(200, '<html>Sign in</html>', { 'content-type': 'text/html' }),
    (exchange) => exchange.reply(200, '{"choices":['),
    (exchange) => exchange.reply(200, { id: 'x', choices: [] }),
    (exchange) => exchange.reply(302, '', { location: 'http://127.0.0.1:1/' }),
  ]
  const answers = await Promise.all(
    parts.map(async (part) => tollgate.chat({ model: await upstream.modelAtNewProvider(part) })),
  )
  expect(answers.map(statusAndType)).toEqual(answers.map(() => [502, 'upstream_error']))
})

test('An upstream’s failure is never a 500 server_error', async () => {
  const parts: ModelHandler[] = [
    (exchange) => exchange.reply(200, { choices: 'none' }),
    (exchange) => exchange.reply(200, { choices: [{ message: { content: { a: 1 } } }], usage: 'much' }),
    (exchange) =>
      exchange.reply(200, { ...testCompletion('x'), usage: { prompt_tokens: -5, completion_tokens: 1e300 } }),
    (exchange) => exchange.reply(599, { error: 'not even an object' }),
    (exchange) => exchange.reply(200, { error: { message: 7, code: {} } }),
  ]
  const answers = await Promise.all(
    parts.map(async (part) => tollgate.chat({ model: await upstream.modelAtNewProvider(part) })),
  )
  for (const answer of answers) expect([200, 502]).toContain(answer.status)
})

test('Attempts are recorded: provider, status and milliseconds', async () => {
  const model = await upstream.modelAtNewProvider((exchange, nth) =>
    nth < 3 ? fails(503)(exchange, nth) : says('ok')(exchange, nth),
  )
  const { json } = await tollgate.chat({ model })
  const record = await tollgate.getRecord(json.id)
  expect(record.attempts).toEqual(
    [503, 503, 200].map((status) => ({
      provider: model,
      model,
      status,
      startMs: expect.any(Number),
      ms: expect.any(Number),
      error: status === 200 ? null : 'out of order',
    })),
  )
})

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

test('Failed upstream calls are retried twice before an error is returned', async () => {
  const model = await upstream.modelAtNewProvider(fails(500))
  expect(statusAndType(await tollgate.chat({ model }))).toEqual([502, 'upstream_error'])
  expect(upstream.calls(model)).toHaveLength(3)
})

test('408, 409, 429 and 5xx are retried, and a successful retry is the answer', async () => {
  for (const status of [408, 409, 429, 500, 502, 503, 504, 529]) {
    const model = await upstream.modelAtNewProvider((exchange, nth) =>
      nth < 3 ? fails(status)(exchange, nth) : says('at last')(exchange, nth),
    )
    const { json } = await tollgate.chat({ model })
    expect([status, json.choices?.[0].message.content]).toEqual([status, 'at last'])
    expect(upstream.calls(model)).toHaveLength(3)
  }
})

test('A network error is retried', async () => {
  const model = await upstream.modelAtNewProvider((exchange, nth) =>
    nth === 1 ? exchange.reset() : says('again')(exchange, nth),
  )
  expect((await tollgate.chat({ model })).status).toBe(200)
  expect(upstream.calls(model)).toHaveLength(2)
})

test('Backoff is exponential from 0.5 s with jitter', async () => {
  const times: number[] = []
  const model = await upstream.modelAtNewProvider((exchange) => {
    times.push(performance.now())
    exchange.reply(500, { error: { message: 'no' } })
  })
  await tollgate.chat({ model })
  const [first = 0, second = 0, third = 0] = times
  expect(second - first).toBeGreaterThanOrEqual(495)
  expect(third - second).toBeGreaterThanOrEqual(995)
})

test('An upstream’s Retry-After is honored', async () => {
  const times: number[] = []
  const model = await upstream.modelAtNewProvider((exchange, nth) => {
    times.push(performance.now())
    if (nth === 1) exchange.reply(429, { error: { message: 'slow down' } }, { 'retry-after': '1' })
    else says('thanks')(exchange, nth)
  })
  expect((await tollgate.chat({ model })).status).toBe(200)
  const [first = 0, second = 0] = times
  expect(second - first).toBeGreaterThanOrEqual(995)
})

test('A Retry-After above 10 s is forwarded to the client with 503', async () => {
  const model = await upstream.modelAtNewProvider((exchange) =>
    exchange.reply(429, { error: { message: 'full' } }, { 'retry-after': '42' }),
  )
  const answer = await tollgate.chat({ model })
  expect(statusAndType(answer)).toEqual([503, 'upstream_error'])
  expect(answer.headers.get('retry-after')).toBe('42')
  expect(upstream.calls(model)).toHaveLength(1)
})

test('400, 401, 402, 403, 404, 413 and 422 are not retried', async () => {
  for (const status of [400, 401, 402, 403, 404, 413, 422]) {
    const model = await upstream.modelAtNewProvider(fails(status))
    await tollgate.chat({ model })
    expect([status, upstream.calls(model).length]).toEqual([status, 1])
  }
})

test('After failed retries the model’s fallbacks serve the request', async () => {
  const model = await upstream.modelAtNewProvider(fails(503), { fallbacks: ['sandbox-small'] })
  const answer = await tollgate.chat({ model })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-service-model')).toBe('sandbox-small')
  expect(upstream.calls(model)).toHaveLength(3)
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

test('An invalid request does not fail over', async () => {
  const model = await upstream.modelAtNewProvider(fails(400), { fallbacks: ['sandbox-small'] })
  expect((await tollgate.chat({ model })).status).toBe(400)
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
rule('Upstream calls', 'Nothing is retried after the first byte has reached the client', async () => {
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
