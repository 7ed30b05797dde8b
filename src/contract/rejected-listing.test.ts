import { afterAll, expect } from 'vitest'
import type { Answer } from '../gateway/testing/gateway.ts'
import type { RequestRecord } from '../shared/api/requests.ts'
import { openLiveEvents } from './testing/live-events.ts'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { startScriptedUpstream } from './testing/upstream.ts'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

const getId = ({ headers }: Answer) => headers.get('x-service-request-id') ?? ''
const query = async (text: string) => (await tollgate.call('GET', `/v1/requests?${text}`)).json
const listRows = async (keyId: string): Promise<RequestRecord[]> => (await query(`key=${keyId}`)).data
const newKey = (more: object = {}) => tollgate.createKey({ name: 'tool', scope: 'full', ...more })

rule(
  'Requests and usage',
  'Rejected requests of one key, model or path and reason within a minute are one row with a count',
  async () => {
    const key = await newKey()
    const other = await newKey()
    const answers: Answer[] = []
    for (let turn = 0; turn < 6; turn++) {
      answers.push(await tollgate.call('POST', '/v1/batches', { as: key.secret }))
    }
    await tollgate.call('POST', '/v1/embeddings', { as: key.secret })
    await tollgate.call('POST', '/v1/batches', { as: other.secret })
    const rows = await listRows(key.id)
    expect(rows.map(({ endpoint, count }) => [endpoint, count])).toEqual([
      ['POST /v1/embeddings', 1],
      ['POST /v1/batches', 6],
    ])
    expect(Date.parse(rows[1]?.lastAt ?? '')).toBeGreaterThanOrEqual(Date.parse(rows[1]?.createdAt ?? ''))
    for (const answer of answers) {
      expect((await tollgate.call('GET', `/v1/requests/${getId(answer)}`)).json.id).toBe(rows[1]?.id)
      expect((await query(`q=${getId(answer)}`)).data.map(({ id }: RequestRecord) => id)).toEqual([
        rows[1]?.id,
      ])
    }
    expect((await listRows(other.id)).map(({ count }) => count)).toEqual([1])
  },
)

rule('Requests and usage', 'Filters apply to rejected rows', async () => {
  const from = new Date().toISOString()
  const key = await newKey()
  const wrong = await tollgate.chat(
    { model: 'Unknown-Model' },
    { as: key.secret, headers: { 'user-agent': 'odd-tool/2' } },
  )
  await tollgate.chat({}, { as: key.secret })
  const found = async (text: string) =>
    (await query(`key=${key.id}&${text}`)).data.map(({ id }: RequestRecord) => id)
  const it = [getId(wrong)]
  expect(await found('status=rejected')).toEqual(it)
  expect(await found('status=404')).toEqual(it)
  expect(await found('status=400')).toEqual([])
  expect(await found('model=Unknown-Model')).toEqual(it)
  expect(await found('provider=sandbox')).not.toContain(it[0])
  expect(await found('q=unknown-model')).toEqual(it)
  expect(await found('q=ODD-tool')).toEqual(it)
  expect(await found('q=/v1/chat')).toEqual(it)
  expect(await found(`from=${from}`)).toHaveLength(2)
  expect(await found(`to=${from}`)).toEqual([])
  expect(await found('minCostUsd=0.000000001')).not.toContain(it[0])
  expect(await found('costStatus=free')).toEqual(it)
  expect(await found('costStatus=exact')).toHaveLength(1)
})

rule(
  'Requests and usage',
  'Pages contain ledger rows and rejected ones in one order, each once',
  async () => {
    const key = await newKey()
    const made: string[] = []
    for (let turn = 0; turn < 12; turn++) {
      const body = turn % 3 === 0 ? {} : { model: `wrong-${turn}` }
      made.push(getId(await tollgate.chat(body, { as: key.secret })))
    }
    const all = (await listRows(key.id)).map(({ id }) => id)
    expect(all.toSorted()).toEqual(made.toSorted())
    for (const limit of [1, 2, 5, 12]) {
      const seen: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: { data: RequestRecord[]; nextCursor: string | null } = await query(
          `key=${key.id}&limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`,
        )
        expect(page.data.length).toBeLessThanOrEqual(limit)
        seen.push(...page.data.map(({ id }) => id))
        cursor = page.nextCursor
        await tollgate.chat({ model: 'arrives-meanwhile' }, { as: tollgate.admin })
      }
      expect(seen).toEqual(all)
    }
  },
)

rule('Requests and usage', 'A rejected request is a live event, and in no sum', async () => {
  const before = (await tollgate.call('GET', '/v1/usage')).json.total.requests
  const events = await openLiveEvents(tollgate)
  const key = await newKey()
  const calls = () => tollgate.call('POST', '/v1/messages', { as: key.secret })
  const first = getId(await calls())
  await calls()
  const parseRows = (text: string) =>
    [...text.matchAll(/event: request\ndata: (.*)\n\n/g)].map(([, data]) => JSON.parse(data ?? '').request)
  const text = await events.readUntil((read) =>
    parseRows(read).some(({ id, count }) => id === first && count === 2),
  )
  events.close()
  expect(parseRows(text)).toContainEqual(expect.objectContaining({ id: first, status: 'rejected' }))
  expect((await tollgate.call('GET', '/v1/usage')).json.total.requests).toBe(before)
})

rule(
  'Requests and usage',
  'The last 500 are listed, and one line a minute is logged for each key and reason',
  async () => {
    const fresh = await startProgram()
    const key = await fresh.createKey({ name: 'lost', scope: 'full' })
    for (let turn = 0; turn < 510; turn++) await fresh.call('GET', `/nothing/${turn}`, { as: key.secret })
    const { data } = (await fresh.call('GET', '/v1/requests?limit=500&status=rejected')).json
    expect(data).toHaveLength(500)
    expect([data[0].endpoint, data.at(-1).endpoint]).toEqual(['GET /nothing/509', 'GET /nothing/10'])
    const { stderr } = await fresh.terminate()
    const lines = stderr.split('\n').filter((line) => line.includes('Rejected'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(
      `warn Rejected GET /nothing/0 from ${key.id} (node) with 404: There is no endpoint`,
    )
  },
)
