import { afterAll, expect } from 'vitest'
import type { Answer } from '../gateway/testing/gateway.ts'
import { startProgram } from './testing/program.ts'
import { slowRule } from './testing/rule.ts'
import { fails, says, startScriptedUpstream } from './testing/upstream.ts'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

const shown = ({ status, json }: Answer) => [status, json?.error?.type]

slowRule(
  'Upstream calls',
  'Failed upstream calls are retried twice before an error is returned',
  async () => {
    const model = await upstream.modelAtNewProvider(fails(500))
    expect(shown(await tollgate.chat({ model }))).toEqual([502, 'upstream_error'])
    expect(upstream.calls(model)).toHaveLength(3)
  },
)

slowRule(
  'Upstream calls',
  '408, 409, 429 and 5xx are retried, and a successful retry is the answer',
  async () => {
    for (const status of [408, 409, 429, 500, 502, 503, 504, 529]) {
      const model = await upstream.modelAtNewProvider((exchange, nth) =>
        nth < 3 ? fails(status)(exchange, nth) : says('at last')(exchange, nth),
      )
      const { json } = await tollgate.chat({ model })
      expect([status, json.choices?.[0].message.content]).toEqual([status, 'at last'])
      expect(upstream.calls(model)).toHaveLength(3)
    }
  },
)

slowRule('Upstream calls', 'A network error is retried', async () => {
  const model = await upstream.modelAtNewProvider((exchange, nth) =>
    nth === 1 ? exchange.reset() : says('again')(exchange, nth),
  )
  expect((await tollgate.chat({ model })).status).toBe(200)
  expect(upstream.calls(model)).toHaveLength(2)
})

slowRule('Upstream calls', 'Backoff is exponential from 0.5 s with jitter', async () => {
  const times: number[] = []
  const model = await upstream.modelAtNewProvider((exchange) => {
    times.push(performance.now())
    exchange.reply(500, { error: { message: 'no' } })
  })
  await tollgate.chat({ model })
  const [first = 0, second = 0, third = 0] = times
  expect(second - first).toBeGreaterThanOrEqual(495)
  expect(second - first).toBeLessThan(2_000)
  expect(third - second).toBeGreaterThanOrEqual(995)
  expect(third - second).toBeLessThan(2_500)
})

slowRule('Upstream calls', 'An upstream’s Retry-After is honored', async () => {
  const times: number[] = []
  const model = await upstream.modelAtNewProvider((exchange, nth) => {
    times.push(performance.now())
    if (nth === 1) exchange.reply(429, { error: { message: 'slow down' } }, { 'retry-after': '1' })
    else says('thanks')(exchange, nth)
  })
  expect((await tollgate.chat({ model })).status).toBe(200)
  const [first = 0, second = 0] = times
  expect(second - first).toBeGreaterThanOrEqual(995)
  expect(second - first).toBeLessThan(2_000)
})

slowRule('Upstream calls', 'A Retry-After above 10 s is forwarded to the client with 503', async () => {
  const model = await upstream.modelAtNewProvider((exchange) =>
    exchange.reply(429, { error: { message: 'full' } }, { 'retry-after': '42' }),
  )
  const began = performance.now()
  const answer = await tollgate.chat({ model })
  expect(performance.now() - began).toBeLessThan(5_000)
  expect(shown(answer)).toEqual([503, 'upstream_error'])
  expect(answer.headers.get('retry-after')).toBe('42')
  expect(upstream.calls(model)).toHaveLength(1)
})

slowRule('Upstream calls', '400, 401, 402, 403, 404, 413 and 422 are not retried', async () => {
  for (const status of [400, 401, 402, 403, 404, 413, 422]) {
    const model = await upstream.modelAtNewProvider(fails(status))
    await tollgate.chat({ model })
    expect([status, upstream.calls(model).length]).toEqual([status, 1])
  }
})
