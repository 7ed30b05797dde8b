import { afterEach, beforeEach, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../gateway/testing/gateway.ts'
import { nano } from '../../../gateway/testing/money.ts'
import {
  startTestUpstream,
  type TestUpstream,
  testCompletion,
} from '../../../gateway/upstream/testing/test-upstream.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import type { Reconciliation } from '../api/reconciliations.ts'

let tollgate: TestGateway
let upstream: TestUpstream
let isMute = false
/** Within one request. */
let calls = 0
let key: { id: string; secret: string }
beforeEach(async () => {
  isMute = false
  tollgate = await startTestGateway()
  // A request that is not answered, and whose retry is rejected, has an unknown outcome.
  upstream = await startTestUpstream((exchange) => {
    if (!isMute) return exchange.reply(200, testCompletion('Hello'))
    calls += 1
    if (calls % 2 === 0) exchange.reply(400, { error: { message: 'not again' } })
    else exchange.reset()
  })
  await tollgate.addProvider('vendor', upstream.url, ['big', 'small'])
  key = await tollgate.createKey({ name: 'agents', scope: 'full', spendLimitUsd: 5 })
})
afterEach(async () => {
  await tollgate.close()
  await upstream.close()
})

async function send(model: string): Promise<RequestRecord> {
  await tollgate.chat({ model, max_tokens: 50 }, { as: key.secret })
  const [record] = await tollgate.records()
  if (!record) throw new Error('there is no record')
  return record
}

async function sendUnsettled(model: string): Promise<RequestRecord> {
  isMute = true
  calls = 0
  const record = await send(model)
  isMute = false
  expect(record.costStatus).toBe('unsettled')
  return record
}

const upload = (path: string, body: string, type = 'text/csv') =>
  tollgate.call('POST', path, { body, headers: { 'content-type': type } })

const reconcile = async (file: string, settle = false): Promise<Reconciliation> => {
  const { status, json } = await upload(`/v1/reconciliations?provider=vendor&settle=${settle}`, file)
  if (status !== 200) throw new Error(JSON.stringify(json))
  return json
}

const HEADER = 'generation_id,created_at,cost_total,tokens_prompt,tokens_completion,model_permaslug'
const findRow = ({ createdAt, tokensIn, tokensOut, model, costUsd }: RequestRecord, cost = costUsd ?? 0) =>
  `gen,${createdAt},${cost.toFixed(12)},${tokensIn},${tokensOut},vendor/${model}-20260910`

const daySum = (day: string, requests: number, usd: string) =>
  `Date,Slug,Usage,Requests,Prompt Tokens,Completion Tokens\n${day},big,${usd},${requests},,`

async function spend() {
  const [keys, account, usage] = await Promise.all([
    tollgate.call('GET', `/v1/keys/${key.id}`),
    tollgate.call('GET', '/v1/account'),
    tollgate.call('GET', '/v1/usage?groupBy=model'),
  ])
  return [keys.json.spendUsd, account.json.spendUsd, usage.json.total.costUsd].map(nano)
}

it('pairs single requests, tells what differs and is missing, and settles what is uncertain exactly', async () => {
  const same = await send('big')
  const dearer = await send('small')
  const open = await sendUnsettled('big')
  const ours = await send('small')
  const stranger = findRow({ ...same, model: 'unknown', tokensIn: 7 }, 0.01)
  const bill = 0.000_012_345
  const file = [HEADER, findRow(same), findRow(dearer, 0.5), findRow(open, bill), stranger].join('\n')
  const created = await reconcile(file)
  expect(created).toMatchObject({
    provider: 'vendor',
    formatName: 'OpenRouter activity, by generation',
    counted: 'request',
    rows: 4,
    counts: { matched: 1, differing: 2, 'missing-here': 1, 'missing-there': 1 },
    open: { requests: 1, changeUsd: (nano(bill) - nano(open.costUsd)) / 1e9 },
    settled: { requests: 0, changeUsd: 0 },
  })
  const found = created.requests.map(({ status, requestId, model }) => [status, requestId, model])
  expect(found).toHaveLength(4)
  for (const item of [
    ['differing', dearer.id, 'small'],
    ['differing', open.id, 'big'],
    ['missing-here', null, 'vendor/unknown-20260910'],
    ['missing-there', ours.id, 'small'],
  ]) {
    expect(found).toContainEqual(item)
  }
  const costs = [same, dearer, ours].reduce((sum, { costUsd }) => sum + nano(costUsd), 0)
  expect(await spend()).toEqual(Array(3).fill(costs + nano(open.costUsd)))

  expect(await reconcile(file, true)).toMatchObject({
    counts: { matched: 2, differing: 1 },
    open: { requests: 0, changeUsd: 0 },
    settled: created.open,
  })
  expect(await spend()).toEqual(Array(3).fill(costs + nano(bill)))
  const receipt = (await tollgate.call('GET', `/v1/requests/${open.id}/receipt`)).json
  expect(receipt.cost).toMatchObject({
    status: 'confirmed',
    nano: nano(bill),
    confirmation: { by: 'reconciliation', from: 'unsettled', beforeNano: nano(open.costUsd) },
  })
  // Nothing is settled twice.
  expect((await reconcile(file, true)).settled).toEqual({ requests: 0, changeUsd: 0 })
})

it('of a day’s sum, what remains after the certain charges is shared among the uncertain ones exactly', async () => {
  const certain = await send('big')
  const open = [await sendUnsettled('big'), await sendUnsettled('big'), await sendUnsettled('big')]
  const rest = 20_001
  const sum = (nano(certain.costUsd) + rest) / 1e9
  const day = certain.createdAt.slice(0, 10)
  const file = daySum(day, 4, sum.toFixed(9))
  const created = await reconcile(file)
  expect(created).toMatchObject({ counted: 'day', open: { requests: 3 } })
  expect(created.days).toMatchObject([
    { day, model: 'big', status: 'differing', there: { costUsd: sum, requests: 4 }, here: { requests: 4 } },
  ])
  expect((await reconcile(file, true)).settled.requests).toBe(3)
  expect(await spend()).toEqual(Array(3).fill(nano(sum)))
  const settled = (await tollgate.records()).filter(({ id }) => open.some((each) => each.id === id))
  expect(settled.map(({ costStatus }) => costStatus)).toEqual(Array(3).fill('confirmed'))
  expect((await reconcile(file)).counts).toMatchObject({ matched: 1, differing: 0 })
})

it('settles nothing from a sum that counts other requests, is too coarse, or is beyond the bounds', async () => {
  await send('big')
  const open = await sendUnsettled('big')
  const day = open.createdAt.slice(0, 10)
  for (const file of [daySum(day, 3, '0.001'), daySum(day, 2, '0.01')]) {
    expect((await reconcile(file)).open.requests).toBe(0)
  }
  const beyond = await reconcile(daySum(day, 2, '900.000000'), true)
  expect(beyond).toMatchObject({ open: { requests: 1 }, settled: { requests: 0 } })
  expect((await tollgate.getRecord(open.id)).costStatus).toBe('unsettled')
})

it('compares all models of a day with an export that names none', async () => {
  const records = [await send('big'), await send('small')]
  const cost = records.reduce((sum, { costUsd }) => sum + nano(costUsd), 0) / 1e9
  const start = Date.parse(`${records[0]?.createdAt.slice(0, 10)}T00:00:00Z`) / 1000
  const results = [{ amount: { value: cost, currency: 'usd' }, line_item: null }]
  const file = JSON.stringify({ data: [{ start_time: start, end_time: start + 86_400, results }] })
  const { status, json } = await upload('/v1/reconciliations?provider=vendor', file, 'application/json')
  expect([status, json.counts, json.differenceUsd]).toMatchObject([200, { matched: 1, differing: 0 }, 0])
  expect(json.days).toMatchObject([{ model: null, here: { requests: 2 } }])
})

it('compares with the vendor’s provider unless another is named, and refuses what it cannot read', async () => {
  const file = `${HEADER}\ngen,2026-11-20T10:00:00Z,0.01,10,5,big`
  const path = '/v1/reconciliations'
  const noProvider = await upload(path, file)
  expect([noProvider.status, noProvider.json.error]).toMatchObject([
    400,
    {
      code: 'export_unreadable',
      message: expect.stringContaining('the provider “openrouter” is not set up'),
    },
  ])
  await tollgate.addProvider('openrouter', upstream.url, ['big'])
  expect(await upload(path, file)).toMatchObject({ status: 200, json: { provider: 'openrouter', rows: 1 } })
  const unknown = await upload(`${path}?provider=vendor`, 'When,Cost\n2026-11-20,1')
  expect([unknown.status, unknown.json.error.code]).toEqual([400, 'export_unreadable'])
  expect((await upload(`${path}?provider=unknown`, file)).status).toBe(404)
  expect((await upload(path, file, 'image/png')).status).toBe(415)
})
