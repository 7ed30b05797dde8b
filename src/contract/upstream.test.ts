import { afterAll, expect } from 'vitest'
import type { Answer } from '../gateway/testing/gateway.ts'
import { testCompletion } from '../gateway/upstream/testing/test-upstream.ts'
import { startProgram } from './testing/program.ts'
import { slowRule } from './testing/rule.ts'
import { fails, type ModelHandler, says, startScriptedUpstream } from './testing/upstream.ts'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

const statusAndType = ({ status, json }: Answer) => [status, json?.error?.type]

slowRule(
  'Upstream calls',
  'Upstream neverResponds becomes 408 upstream_error after retries: first byte',
  async () => {
    const model = await upstream.modelAtNewProvider(() => undefined, {}, { firstByteTimeoutMs: 300 })
    expect(statusAndType(await tollgate.chat({ model }))).toEqual([408, 'upstream_error'])
    expect(upstream.calls(model)).toHaveLength(3)
  },
)

slowRule(
  'Upstream calls',
  'Upstream neverResponds becomes 408 upstream_error after retries: stall',
  async () => {
    const model = await upstream.modelAtNewProvider(
      (exchange) => void exchange.begin({ 'content-type': 'application/json' }).raw('{"choices":'),
      {},
      {
        stallTimeoutMs: 20,
      },
    )
    expect(statusAndType(await tollgate.chat({ model }))).toEqual([408, 'upstream_error'])
  },
)

for (const status of [400, 404, 413, 422]) {
  slowRule(
    'Upstream calls',
    `Upstream ${status} is 400 with the upstream’s message, code and param`,
    async () => {
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
    },
  )
}

for (const status of [401, 402, 403]) {
  slowRule(
    'Upstream calls',
    `Upstream ${status} is 502 upstream_error with code upstream_credential`,
    async () => {
      const answer = await tollgate.chat({ model: await upstream.modelAtNewProvider(fails(status)) })
      expect(statusAndType(answer)).toEqual([502, 'upstream_error'])
      expect(answer.json.error.code).toBe('upstream_credential')
    },
  )
}

slowRule('Upstream calls', 'Upstream 429 after retries is 503 with Retry-After when known', async () => {
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
  slowRule('Upstream calls', `Upstream ${status} is ${clientStatus} upstream_error`, async () => {
    expect(
      statusAndType(await tollgate.chat({ model: await upstream.modelAtNewProvider(fails(status)) })),
    ).toEqual([clientStatus, 'upstream_error'])
  })
}

slowRule('Upstream calls', 'A connection that is refused or reset is 502', async () => {
  await tollgate.call('PUT', '/v1/providers/unreachable-provider', {
    body: { apiFormat: 'openai-chat', baseUrl: 'http://127.0.0.1:1' },
  })
  await upstream.model('unreachable', says('never'), { provider: 'unreachable-provider' })
  const resets = await upstream.modelAtNewProvider((exchange) => exchange.reset())
  for (const answer of await Promise.all(['unreachable', resets].map((model) => tollgate.chat({ model })))) {
    expect(statusAndType(answer)).toEqual([502, 'upstream_error'])
  }
})

slowRule(
  'Upstream calls',
  'A malformed answer is 502: HTML, invalid JSON, no choices, a redirect',
  async () => {
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
  },
)

slowRule('Upstream calls', 'An upstream’s failure is never a 500 server_error', async () => {
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

slowRule('Upstream calls', 'Attempts are recorded: provider, status and milliseconds', async () => {
  const model = await upstream.modelAtNewProvider((exchange, nth) =>
    nth < 3 ? fails(503)(exchange, nth) : says('ok')(exchange, nth),
  )
  const { json } = await tollgate.chat({ model })
  const record = (await tollgate.call('GET', `/v1/requests/${json.id}`)).json
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

slowRule(
  'Upstream calls',
  'No credential, header or internal URL of an upstream reaches a client or a log',
  async () => {
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
  },
)
