import { afterAll, expect } from 'vitest'
import { testChunk, testCompletion } from '../gateway/upstream/testing/test-upstream.ts'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { type ModelHandler, neverResponds, startScriptedUpstream } from './testing/upstream.ts'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

const PROMPT_TOKENS = 20
const nano = (usd: number) => Math.round(usd * 1e9)
const getKey = async (id: string) => (await tollgate.call('GET', `/v1/keys/${id}`)).json
const strictKey = (spendLimitUsd: number) =>
  tollgate.createKey({ name: 'strict', scope: 'full', spendLimitUsd, strict: true })

/** The vendor's bill in nano-dollars, at 1 and 2 USD per million tokens. */
let billedNano = 0

/** Uses up the output limit of every request. */
const talksToTheLimit: ModelHandler = (exchange) => {
  const { max_tokens: limit, stream } = exchange.request.json()
  const completion_tokens = Number(limit)
  const usage = {
    prompt_tokens: PROMPT_TOKENS,
    completion_tokens,
    total_tokens: PROMPT_TOKENS + completion_tokens,
  }
  billedNano += (PROMPT_TOKENS + 2 * completion_tokens) * 1_000
  if (stream !== true) return exchange.reply(200, { ...testCompletion('word '.repeat(9)), usage })
  exchange
    .begin()
    .data(testChunk({ role: 'assistant', content: 'word '.repeat(9) }), testChunk({}, 'length'))
    .data({ ...testChunk({}), choices: [], usage }, '[DONE]')
    .end()
}
await upstream.model('talker', talksToTheLimit)

rule(
  'Caps',
  'The spend of a strict key never exceeds its cap, however many requests run at once',
  async () => {
    billedNano = 0
    const cap = 0.02
    const key = await strictKey(cap)
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        tollgate.chat({ model: 'talker', max_tokens: 900, stream: index % 2 === 1 }, { as: key.secret }),
      ),
    )
    const statuses = new Set(answers.map(({ status }) => status))
    expect(statuses).toEqual(new Set([200, 402]))
    await expect.poll(async () => (await getKey(key.id)).reservedUsd).toBe(0)
    expect(billedNano).toBeLessThanOrEqual(nano(cap))
    expect(nano((await getKey(key.id)).spendUsd)).toBe(billedNano)
    // The rest does not pay for a useful answer.
    expect(billedNano).toBeGreaterThan(nano(cap) / 2)
  },
)

rule(
  'Caps',
  'A strict key shortens an answer to what fits, and X-Tollgate-Output-Limit says so',
  async () => {
    const key = await strictKey(0.0015)
    const { status, headers } = await tollgate.chat({ model: 'talker', max_tokens: 1000 }, { as: key.secret })
    expect(status).toBe(200)
    const sent = upstream.calls('talker').at(-1)?.json().max_tokens
    expect(sent).toBeGreaterThanOrEqual(256)
    expect(sent).toBeLessThan(1000)
    expect(headers.get('x-tollgate-output-limit')).toBe(String(sent))

    const ample = await strictKey(1)
    const whole = await tollgate.chat({ model: 'talker', max_tokens: 1000 }, { as: ample.secret })
    expect(whole.headers.get('x-tollgate-output-limit')).toBeNull()
    expect(upstream.calls('talker').at(-1)?.json().max_tokens).toBe(1000)
  },
)

rule('Caps', 'What does not fit under a strict key is 402 with what it needs and what is left', async () => {
  const key = await strictKey(0.0004)
  const before = upstream.calls('talker').length
  const { status, json, headers } = await tollgate.chat(
    { model: 'talker', max_tokens: 1000 },
    { as: key.secret },
  )
  expect([status, json.error.code]).toEqual([402, 'spend_limit_reached'])
  expect(headers.get('x-should-retry')).toBe('false')
  expect(json.error.message).toMatch(/^This request could cost up to \$0\.00\d+, and .* leaves \$0\.0004\./)
  expect(upstream.calls('talker')).toHaveLength(before)
})

rule(
  'Caps',
  'While held amounts are all that is left of a cap, requests are 429 spend_held; under a strict key they are 402',
  async () => {
    const quiet = neverResponds()
    await upstream.model('leaves', quiet.handler)
    const key = await tollgate.createKey({ name: 'normal', scope: 'full', spendLimitUsd: 1 })
    const client = new AbortController()
    const call = tollgate
      .chat({ model: 'leaves', max_tokens: 1000 }, { as: key.secret, signal: client.signal })
      .catch(() => null)
    await quiet.received
    client.abort()
    await call
    const left = async () =>
      (await tollgate.call('GET', `/v1/requests?key=${key.id}&costStatus=unsettled`)).json.data[0]
    await expect.poll(async () => (await left())?.heldUsd ?? 0).toBeGreaterThan(0)
    const { heldUsd, costUsd } = await left()
    const change = (body: object) => tollgate.call('PATCH', `/v1/keys/${key.id}`, { body })
    await change({ spendLimitUsd: heldUsd + costUsd })
    const held = await tollgate.chat({ model: 'talker' }, { as: key.secret })
    expect([held.status, held.json.error.code]).toEqual([429, 'spend_held'])
    expect(held.headers.get('x-should-retry')).toBe('false')
    await change({ strict: true })
    const refused = await tollgate.chat({ model: 'talker' }, { as: key.secret })
    expect([refused.status, refused.json.error.code]).toEqual([402, 'spend_limit_reached'])
    expect(refused.json.error.message).toContain('held for requests without an answer')
  },
)

rule('Account', 'With strictLimits, the account’s limits are never exceeded by any key', async () => {
  billedNano = 0
  await tollgate.call('PATCH', '/v1/settings', { body: { strictLimits: true } })
  const { monthSpendUsd } = (await tollgate.call('GET', '/v1/account')).json
  const monthlyLimitUsd = monthSpendUsd + 0.01
  await tollgate.call('PATCH', '/v1/account', { body: { monthlyLimitUsd } })
  const key = await tollgate.createKey({ name: 'normal', scope: 'full' })
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => tollgate.chat({ model: 'talker', max_tokens: 900 }, { as: key.secret })),
  )
  expect(answers.some(({ status }) => status === 402)).toBe(true)
  expect(billedNano).toBeLessThanOrEqual(nano(0.01))
  expect(billedNano).toBeGreaterThan(0)
  await tollgate.call('PATCH', '/v1/account', { body: { monthlyLimitUsd: null } })
  await tollgate.call('PATCH', '/v1/settings', { body: { strictLimits: false } })
})
