import { expect } from 'vitest'
import type { RequestRecord } from '../shared/api/requests.ts'
import { testSection } from './testing/rule.ts'
import { fails, says, shareForFile } from './testing/upstream.ts'

const test = testSection('Requests and usage')

const { tollgate, upstream } = await shareForFile()

const ids = (page: { data: RequestRecord[] }) => page.data.map(({ id }) => id)

const started = new Date().toISOString()
const key = await tollgate.createKey({ name: 'recorded', scope: 'full' })
const query = async (text = '', { id } = key) =>
  (await tollgate.call('GET', `/v1/requests?key=${id}${text === '' ? '' : `&${text}`}`)).json
await upstream.model('recorded-failure', fails(503))
await upstream.model('recorded-answer', says('Hello'))
const made: string[] = []
for (const body of [
  {},
  { model: 'sandbox-large' },
  { stream: true },
  { model: 'recorded-failure' },
  { model: 'unknown-model' },
  {},
]) {
  const answer = await tollgate.chat(body, { as: key.secret, headers: { 'user-agent': 'contract/1.0' } })
  made.push(answer.headers.get('x-service-request-id') ?? '')
}

test('GET /v1/requests lists requests newest first', async () => {
  await expect.poll(async () => ids(await query('limit=6')).length).toBeGreaterThanOrEqual(5)
  const page = await query()
  const times = page.data.map(({ createdAt }: RequestRecord) => Date.parse(createdAt))
  expect(times).toEqual(times.toSorted((a: number, b: number) => b - a))
  expect(ids(page)).toContain(made[0])
})

test('A request has the endpoint that it was sent to', async () => {
  const page = await query()
  const endpoints = page.data.map(({ endpoint }: RequestRecord) => endpoint)
  expect(endpoints).toEqual(endpoints.map(() => 'POST /v1/chat/completions'))
})

test('Filters: key, model, provider, status, from, to, q', async () => {
  expect((await query('', { ...key, id: 'key_none' })).data).toEqual([])
  expect(ids(await query('model=sandbox-large'))).toEqual([made[1]])
  expect(ids(await query('provider=acme'))).toEqual([made[3]])
  expect(ids(await query('status=failed'))).toEqual([made[3]])
  expect(ids(await query('status=503'))).toEqual([made[3]])
  expect(ids(await query('status=succeeded'))).toHaveLength(4)
  expect(ids(await query(`to=${started}`))).toEqual([])
  expect(ids(await query(`from=${started}&status=succeeded`))).toHaveLength(4)
  expect(ids(await query('q=recorded-fail'))).toEqual([made[3]])
  expect(ids(await query(`q=${made[2]}`))).toEqual([made[2]])
})

test('Filters: minCostUsd and maxCostUsd, both inclusive, and costStatus', async () => {
  const mine: RequestRecord[] = (await query()).data
  const computeCost = (id: string | undefined) =>
    mine.find((record) => record.id === id)?.costUsd ?? Number.NaN
  const dear = computeCost(made[1])
  const within = async (text: string) => ids(await query(text))
  expect(dear).toBeGreaterThan(computeCost(made[0]))
  expect(await within(`minCostUsd=${dear}`)).toEqual([made[1]])
  expect(await within(`minCostUsd=${dear + 1e-9}`)).toEqual([])
  expect(
    await within(`minCostUsd=${computeCost(made[0])}&maxCostUsd=${dear - 1e-9}&status=succeeded`),
  ).toHaveLength(3)
  expect(await within('maxCostUsd=0&status=failed')).toEqual([made[3]])
  expect(await within('costStatus=free&status=failed')).toEqual([made[3]])
  expect(await within('costStatus=exact')).toHaveLength(4)
  expect(await within('costStatus=unsettled')).toEqual([])
  expect(await within(`minCostUsd=${dear}&q=sandbox-large&model=sandbox-large&costStatus=exact`)).toEqual([
    made[1],
  ])
})

test('Cursors are stable while rows are added: no record is repeated or skipped', async () => {
  const own = await tollgate.createKey({ name: 'pages', scope: 'full' })
  const ask = () => tollgate.chat({}, { as: own.secret })
  for (let turn = 0; turn < 7; turn++) await ask()
  const before = ids(await query('', own))
  const seen: string[] = []
  let cursor = ''
  do {
    const page = await query(`limit=2${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`, own)
    seen.push(...ids(page))
    await ask()
    cursor = page.nextCursor ?? ''
  } while (cursor !== '')
  expect(seen).toEqual(before)
})

test('sort and order: by time, cost, duration and tokens, each in pages', async () => {
  const values: Record<string, (record: RequestRecord) => number | null> = {
    time: ({ createdAt }) => Date.parse(createdAt),
    cost: ({ costUsd }) => costUsd,
    duration: ({ timings }) => timings.totalMs,
    tokens: ({ tokensIn, tokensOut }) => tokensIn + tokensOut,
  }
  const all = ids(await query())
  for (const [sort, valueIn] of Object.entries(values))
    for (const order of ['desc', 'asc']) {
      const seen: RequestRecord[] = []
      let cursor: string | null = ''
      for (; cursor !== null; ) {
        const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
        const page = await query(`sort=${sort}&order=${order}&limit=2${after}`)
        seen.push(...page.data)
        cursor = page.nextCursor
      }
      expect(seen.map(({ id }) => id).toSorted()).toEqual(all.toSorted())
      const known = seen.map(valueIn).filter((value) => value !== null)
      const sign = order === 'asc' ? 1 : -1
      expect(known).toEqual(known.toSorted((a, b) => sign * (a - b)))
    }
})

test('The client filter and q find the name of the calling program', async () => {
  const page = await query('client=contract')
  expect(page.data.map(({ clientName }: RequestRecord) => clientName)).toEqual(Array(6).fill('contract'))
  expect((await query('client=contract/1.0')).data).toEqual([])
  expect((await query('client=')).data).toEqual([])
  expect((await query('q=contract')).data).toHaveLength(6)
})

test('GET /v1/requests/totals adds up the list with the same filters', async () => {
  const other = await tollgate.createKey({ name: 'billed', scope: 'full' })
  await tollgate.chat({ model: 'recorded-answer' }, { as: other.secret })
  const filters = ['', '&model=sandbox-large', '&status=failed', '&q=contract', '&costStatus=exact']
  for (const [filter, { id }] of [...filters.map((each) => [each, key] as const), ['', other] as const]) {
    const { data }: { data: RequestRecord[] } = await query(filter.slice(1), { ...key, id })
    const totals = (await tollgate.call('GET', `/v1/requests/totals?key=${id}${filter}`)).json
    const sum = (valueIn: (record: RequestRecord) => number | null) =>
      data.reduce((total, record) => total + (valueIn(record) ?? 0), 0)
    expect(totals).toEqual({
      requests: sum(({ count }) => count),
      tokensIn: sum(({ tokensIn }) => tokensIn),
      tokensOut: sum(({ tokensOut }) => tokensOut),
      tokensCached: sum(({ usage }) => usage?.cacheRead ?? 0),
      costUsd: expect.closeTo(
        sum(({ costUsd, sample }) => (sample ? 0 : costUsd)),
        12,
      ),
      unpriced: 0,
      unsettled: 0,
      worthUsd: 0,
      savedUsd: sum(({ savedUsd }) => savedUsd),
    })
  }
  const refused = await tollgate.call('GET', '/v1/requests/totals?limit=5')
  expect([refused.status, refused.json.error.param]).toEqual([400, 'limit'])
})

test('A query is validated: limit 1 to 500, known status, ISO times, valid cursors, no unknown field', async () => {
  for (const [text, param] of [
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=x', 'limit'],
    ['status=sideways', 'status'],
    ['from=yesterday', 'from'],
    ['cursor=nonsense', 'cursor'],
    ['color=red', 'color'],
    ['minCostUsd=-1', 'minCostUsd'],
    ['maxCostUsd=much', 'maxCostUsd'],
    ['minCostUsd=2&maxCostUsd=1', 'minCostUsd'],
    ['costStatus=cheap', 'costStatus'],
    ['sort=color', 'sort'],
    ['order=up', 'order'],
    ['sort=cost&cursor=MS4x', 'cursor'],
  ]) {
    const { status, json } = await tollgate.call('GET', `/v1/requests?${text}`)
    expect([text, status, json.error?.param]).toEqual([text, 400, param])
  }
})
