import { expect } from 'vitest'
import type { RequestRecord } from '../shared/api/requests.ts'
import { fails, shareForFile } from './testing/upstream.ts'

const { test, tollgate, upstream } = await shareForFile('Requests and usage')

const ids = (page: { data: RequestRecord[] }) => page.data.map(({ id }) => id)

const started = new Date().toISOString()
const key = await tollgate.createKey({ name: 'recorded', scope: 'full' })
const query = async (text = '', { id } = key) =>
  (await tollgate.call('GET', `/v1/requests?key=${id}${text === '' ? '' : `&${text}`}`)).json
await upstream.model('recorded-failure', fails(503))
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

test('Filters: key, model, provider, status, from, to, q; the order and the totals of what they select', async () => {
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
  expect(ids(await query('sort=cost&order=desc'))[0]).toBe(made[1])
  const totals = await tollgate.call('GET', `/v1/requests/totals?key=${key.id}&status=succeeded`)
  expect(totals.json.requests).toBe(4)
})

test('The client filter and q find the name of the calling program', async () => {
  const page = await query('client=contract')
  expect(page.data.map(({ clientName }: RequestRecord) => clientName)).toEqual(Array(6).fill('contract'))
  expect((await query('client=contract/1.0')).data).toEqual([])
  expect((await query('client=')).data).toEqual([])
  expect((await query('q=contract')).data).toHaveLength(6)
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
