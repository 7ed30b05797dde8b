// Under normal caps, what a provider says that it bills is what counts, and what it may bill later is held.
import { describe, expect, test } from 'vitest'
import { answers, Bill, PRICING, streams } from './testing/billing-vendor.ts'
import { startForFile } from './testing/upstream.ts'

const { tollgate, upstream } = await startForFile({ rateLimits: false })
await tollgate.addProvider('claude', upstream.url, [], { apiFormat: 'anthropic-messages' })
await tollgate.addProvider('vllm', upstream.url, [])

const createKey = (spendLimitUsd: number) =>
  tollgate.createKey({ name: 'capped', scope: 'full', guard: 'off', spendLimitUsd })

const CHEAP = { inputPerMillion: 1, outputPerMillion: 1 }
const WINDOW_USD = 0.2
const MODEL = { pricing: CHEAP, contextWindow: 200_000, maxOutputTokens: 1_000 }
const hi = [{ role: 'user', content: 'Hi' }]

describe('A provider that reads more than was sent', () => {
  test.each([
    { name: 'a relay with a prompt of its own', body: {} },
    { name: 'files on a server', body: { files: [{ type: 'collection', id: 'c1' }] } },
  ])('is charged in full: $name', async ({ name, body }) => {
    const bill = new Bill(CHEAP)
    await upstream.model(name, answers(bill, { input: 150_000 }), MODEL)
    const key = await createKey(1)
    const statuses: number[] = []
    for (let round = 0; round < 10; round++)
      statuses.push(
        (await tollgate.chat({ model: name, max_tokens: 100, ...body }, { as: key.secret })).status,
      )
    expect(statuses.slice(-2)).toEqual([402, 402])
    expect(bill.usd).toBeLessThan(1 + WINDOW_USD)
    expect((await tollgate.getKey(key.id)).spendUsd).toBeCloseTo(bill.usd, 6)
  })

  test('is charged at the bound if its report is impossible, and a whole window is held', async () => {
    await upstream.model('impossible', answers(new Bill(), { input: 50_000_000 }), MODEL)
    const key = await createKey(WINDOW_USD)
    const send = () => tollgate.chat({ model: 'impossible', max_tokens: 100 }, { as: key.secret })
    const first = await send()
    expect(first.status).toBe(200)
    const { costStatus, heldUsd, costUsd } = await tollgate.getRecord(first.json.id)
    expect(costStatus).toBe('estimated')
    expect(costUsd).toBeLessThan(0.01)
    expect(costUsd + heldUsd).toBeGreaterThanOrEqual(WINDOW_USD)
    const second = await send()
    expect([second.status, second.json.error.code]).toEqual([429, 'spend_held'])
    expect(upstream.calls('impossible')).toHaveLength(1)
  })
})

test('A list of prompts is served under a cap, and charged exactly', async () => {
  const bill = new Bill(CHEAP)
  const choices = Array.from({ length: 6 }, (_, index) => ({ text: 'Hi', index, finish_reason: 'stop' }))
  await upstream.model(
    'lists',
    (exchange) => {
      const usage = bill.add(3, 6)
      exchange.reply(200, { id: 'cmpl-1', object: 'text_completion', created: 1, model: 'm', choices, usage })
    },
    { ...MODEL, provider: 'vllm' },
  )
  const key = await createKey(1)
  const body = { model: 'lists', max_tokens: 1_000, prompt: ['a', 'b', 'c'], n: 2 }
  const answer = await tollgate.call('POST', '/v1/completions', { as: key.secret, body })
  expect([answer.status, answer.json.choices?.length]).toEqual([200, 6])
  expect(await tollgate.getRecord(answer.headers.get('x-request-id'))).toMatchObject({
    costStatus: 'exact',
    costUsd: bill.usd,
  })
})

test.each([
  // Claude 4 thinks only when it is asked to.
  {
    path: '/v1/messages',
    provider: 'claude',
    format: 'messages',
    model: 'claude-haiku-4-5',
    body: { messages: hi },
  },
  {
    path: '/v1/completions',
    provider: 'vllm',
    format: 'completions',
    model: 'completes',
    body: { prompt: 'Hi' },
  },
] as const)('Nothing is held for a stream of $path without reasoning that its client left', async (form) => {
  const { path, provider, format, model, body } = form
  const bill = new Bill()
  await upstream.model(model, streams(bill, { tokensPerEvent: 10, everyMs: 50, forMs: 30_000 }, format), {
    ...{ provider, pricing: PRICING, maxOutputTokens: 100_000, capabilities: ['streaming', 'reasoning'] },
  })
  const key = await createKey(1)
  const client = new AbortController()
  const response = await fetch(tollgate.baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, max_tokens: 50_000, stream: true, ...body }),
    signal: client.signal,
  })
  expect(response.status).toBe(200)
  await expect.poll(() => bill.outputTokens).toBeGreaterThan(50)
  client.abort()
  await expect.poll(async () => (await tollgate.getKey(key.id)).spendUsd).toBeGreaterThan(0)
  expect((await tollgate.getKey(key.id)).reservedUsd).toBe(0)
})
