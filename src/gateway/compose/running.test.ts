// The view of running requests, and how one is stopped.

import { beforeEach, expect, test, vi } from 'vitest'
import type { RunningRequest, RunningRequests } from '../../shared/api/requests.ts'
import { readData, startTestGateway } from '../testing/gateway.ts'
import { forEachTest, forTest } from '../testing/lifetime.ts'
import {
  startTestUpstream,
  type TestExchange,
  testChunk,
  testCompletion,
} from '../upstream/testing/test-upstream.ts'

const tollgate = forEachTest(() => startTestGateway())
const upstream = forEachTest(() => startTestUpstream())
beforeEach(() => tollgate.addProvider('mine', upstream.url, ['m']))

async function running(): Promise<RunningRequest[]> {
  return (await tollgate.call('GET', '/v1/requests/running')).json.data
}

const stop = (id: string) => tollgate.call('POST', `/v1/requests/${id}/stop`)

/** Starts a call that its provider does not answer yet. */
async function startPlain() {
  const held = new Promise<TestExchange>((resolve) => {
    upstream.handler = resolve
  })
  const answer = tollgate.chat({ model: 'm' })
  return { answer, exchange: await held }
}

test('a running request has its provider, time, tokens and cost so far, and what is reserved for it', async () => {
  expect(await running()).toEqual([])
  upstream.handler = (exchange) =>
    void exchange.begin().data(...Array(50).fill(testChunk({ content: 'word ' })))
  const response = await tollgate.openStream({ model: 'm' })
  await response.body?.getReader().read()
  const [first] = await vi.waitFor(async () => {
    const found = await running()
    expect(found[0]?.tokensOut).toBeGreaterThanOrEqual(50)
    return found
  })
  expect(first).toMatchObject({ provider: 'mine', model: 'm', requestedModel: 'm', keyName: 'Admin' })
  expect(first?.elapsedMs).toBeGreaterThanOrEqual(0)
  expect(first?.tokensIn).toBeGreaterThan(0)
  expect(first?.costUsd).toBeCloseTo((first?.tokensIn ?? 0) * 1e-6 + (first?.tokensOut ?? 0) * 2e-6, 8)
  expect(first?.reservedUsd).toBeGreaterThanOrEqual(first?.costUsd ?? 0)
  const [row] = await tollgate.records()
  expect([row?.id, row?.status, row?.costUsd]).toEqual([first?.id, 'running', null])
})

test('each cost is either in the spend of today or in that of a running request, at every moment', async () => {
  const held: TestExchange[] = []
  upstream.handler = (exchange) => void held.push(exchange)
  let answered = 0
  const answers = Array.from({ length: 12 }, () =>
    tollgate.chat({ model: 'm' }).then(() => {
      answered += 1
    }),
  )
  await vi.waitFor(() => expect(held).toHaveLength(answers.length))
  const samples: RunningRequests[] = []
  const sample = async () => samples.push((await tollgate.call('GET', '/v1/requests/running')).json)
  for (const [index, exchange] of held.entries()) {
    await sample()
    const during = [sample(), sample(), sample()]
    exchange.reply(200, testCompletion('Hi'))
    // They need not have reached the provider in the order in which they were sent.
    await vi.waitFor(() => expect(answered).toBe(index + 1))
    await Promise.all(during)
  }
  await sample()
  const { json: account } = await tollgate.call('GET', '/v1/account')
  const each = account.todaySpendUsd / answers.length
  const counts = samples.map(({ data, todaySpendUsd }) => data.length + Math.round(todaySpendUsd / each))
  expect(new Set(counts)).toEqual(new Set([answers.length]))
})

test('after a failover it has the provider that is asked now', async () => {
  const second = await forTest(startTestUpstream())
  await tollgate.addProvider('other', second.url, ['m'])
  const asked = new Promise<TestExchange>((resolve) => {
    second.handler = resolve
  })
  upstream.handler = (exchange) => exchange.reply(404, { error: { message: 'no such model' } })
  const answer = tollgate.chat({ model: 'm' })
  const exchange = await asked
  expect((await running())[0]?.provider).toBe('other')
  exchange.reply(200, testCompletion('Hi'))
  expect((await answer).status).toBe(200)
  expect(await running()).toEqual([])
})

test('a stopped stream ends with the reason and is charged for what has come', async () => {
  upstream.handler = (exchange) =>
    void exchange.begin().data(...Array(50).fill(testChunk({ content: 'word ' })))
  const response = await tollgate.openStream({ model: 'm' })
  const [request] = await running()
  const { status, json } = await stop(request?.id ?? '')
  expect([status, json.id, json.status, json.costStatus]).toEqual([200, request?.id, 'canceled', 'estimated'])
  expect(json.costUsd).toBeGreaterThanOrEqual(50 * 2e-6)
  const last = readData(await response.text()).at(-1)
  expect(last.error).toMatchObject({ type: 'permission_error', code: 'request_stopped' })
  expect(await running()).toEqual([])
  const { json: account } = await tollgate.call('GET', '/v1/account')
  expect([account.spendUsd, account.reservedUsd]).toEqual([json.costUsd, json.heldUsd ?? 0])
})

test('a stopped call in one piece is refused with the reason, and SDKs do not send it again', async () => {
  const { answer } = await startPlain()
  const [request] = await running()
  const { json } = await stop(request?.id ?? '')
  expect([json.status, json.costStatus]).toEqual(['canceled', 'unsettled'])
  const { status, headers, json: body } = await answer
  expect([status, headers.get('x-should-retry'), body.error.code]).toEqual([403, 'false', 'request_stopped'])
  expect(upstream.requests).toHaveLength(1)
})

test('what is not running cannot be stopped', async () => {
  expect((await stop('req_none')).status).toBe(404)
  const { answer, exchange } = await startPlain()
  const [request] = await running()
  exchange.reply(200, testCompletion('Hi'))
  expect((await answer).status).toBe(200)
  expect((await stop(request?.id ?? '')).json.error.message).toContain('It may have ended.')
})
