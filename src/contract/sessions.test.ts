// The rules of docs/sessions.md, and of the listing in docs/api.md.

import { expect } from 'vitest'
import { says, shareForFile } from './testing/upstream.ts'

const { test, tollgate, upstream } = await shareForFile('Requests and usage')
await upstream.model('billed', says('Hello'))

type Headers = Record<string, string>
const get = async (path: string) => (await tollgate.call('GET', path)).json

async function ask(headers: Headers, body: Record<string, unknown> = {}, as?: string) {
  const answer = await tollgate.chat(body, { headers, ...(as === undefined ? {} : { as }) })
  expect(answer.status).toBe(200)
  return await get(`/v1/requests/${answer.headers.get('x-service-request-id')}`)
}
test('A session belongs to one key, and has the sums of its requests and the tag of the first with one', async () => {
  const named = { 'x-tollgate-session': 'sums' }
  const { id, secret } = await tollgate.createKey({ name: 'other', scope: 'full', tag: 'Of key' })
  const first = await ask(named)
  const second = await ask({ ...named, 'x-tollgate-tag': 'Website' })
  const third = await ask({ ...named, 'x-tollgate-tag': 'Docs' })
  const other = await ask(named, {}, secret)
  expect(new Set([first.sessionId, second.sessionId, third.sessionId]).size).toBe(1)
  expect(other.sessionId).not.toBe(first.sessionId)
  const session = await get(`/v1/sessions/${first.sessionId}`)
  const requests = [first, second, third]
  const sum = (name: 'tokensIn' | 'tokensOut' | 'costUsd') =>
    requests.reduce((total, request) => total + request[name], 0)
  expect(session).toMatchObject({
    ...{ tag: 'Website', requests: 3, running: 0, errors: 0, refused: 0, prunedRequests: 0, title: null },
    ...{ tokensIn: sum('tokensIn'), tokensOut: sum('tokensOut'), startedAt: first.createdAt },
  })
  expect(session.costUsd).toBeCloseTo(sum('costUsd'), 9)
  expect(await get(`/v1/sessions/${other.sessionId}`)).toMatchObject({
    keyId: id,
    tag: 'Of key',
    requests: 1,
  })
  const steps = await get(`/v1/requests?session=${first.sessionId}`)
  expect(steps.data.map((step: { id: string }) => step.id).toSorted()).toEqual(
    requests.map((request) => request.id).toSorted(),
  )
  expect((await get('/v1/requests?tag=Website')).data).toMatchObject([{ id: second.id }])
  expect((await get('/v1/requests?session=ses_unknown')).data).toEqual([])
  expect(await get(`/v1/requests/totals?session=${first.sessionId}`)).toMatchObject({ requests: 3 })
  expect((await tollgate.call('GET', '/v1/sessions/ses_unknown')).status).toBe(404)
})

test('Refused calls are counted apart, and rejected ones belong to no session', async () => {
  const { secret } = await tollgate.createKey({ name: 'poor', scope: 'full', spendLimitUsd: 0 })
  const headers = { 'x-tollgate-session': 'refused', 'x-tollgate-tag': 'Refused' }
  expect((await tollgate.chat({}, { as: secret, headers })).status).toBe(402)
  expect((await tollgate.chat({ model: 'no-such' }, { as: secret, headers })).status).toBe(404)
  await expect
    .poll(async () => (await get('/v1/sessions?limit=1')).data[0])
    .toMatchObject({ clientSessionId: 'refused', requests: 0, refused: 1, costUsd: 0 })
  const refused = (await get('/v1/requests?tag=Refused')).data
  expect(refused).toMatchObject([
    { status: 'refused', sessionId: expect.stringMatching(/^ses_[0-9a-f]{32}$/) },
  ])
})

test('GET /v1/sessions lists by any order in pages, with filters, and no session is missing or twice', async () => {
  for (const name of ['a', 'b', 'c']) await ask({ 'x-tollgate-session': name, 'user-agent': 'Lister/1' })
  const tagged = await ask({
    'x-tollgate-session': 'd',
    'user-agent': 'Lister/1',
    'x-tollgate-tag': 'Listed',
  })
  const names = async (query: string) =>
    (await get(`/v1/sessions?${query}`)).data.map((each: { clientSessionId: string }) => each.clientSessionId)
  expect(await names('client=Lister')).toEqual(['d', 'c', 'b', 'a'])
  expect(await names('client=Lister&order=asc')).toEqual(['a', 'b', 'c', 'd'])
  expect(await names('client=Lister&tag=')).toEqual(['c', 'b', 'a'])
  expect(await names('tag=Listed')).toEqual(['d'])
  expect(await names(`client=Lister&to=${encodeURIComponent(tagged.createdAt)}`)).not.toContain('d')
  expect(await names('client=Lister&from=2999-01-01T00:00:00Z')).toEqual([])
  expect(await names('key=key_unknown')).toEqual([])
  const all = (await get('/v1/sessions?limit=500')).data.length
  for (const sort of ['time', 'cost', 'requests', 'duration']) {
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const page = await get(`/v1/sessions?sort=${sort}&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
      seen.push(...page.data.map(({ id }: { id: string }) => id))
      if (page.nextCursor === null) break
      cursor = page.nextCursor
    }
    expect([sort, seen.length, new Set(seen).size]).toEqual([sort, all, all])
  }
  const { nextCursor } = await get('/v1/sessions?sort=cost&limit=1')
  const wrong = await tollgate.call('GET', `/v1/sessions?sort=time&cursor=${nextCursor}`)
  expect([wrong.status, wrong.json.error.param]).toEqual([400, 'cursor'])
})

test('GET /v1/usage groups, splits and filters by session and by tag', async () => {
  const headers = { 'x-tollgate-session': 'usage', 'x-tollgate-tag': 'Usage' }
  const [first, second] = [await ask(headers, { model: 'billed' }), await ask(headers, { model: 'billed' })]
  const cost = first.costUsd + second.costUsd
  const listRows = async (query: string) => (await get(`/v1/usage?${query}`)).data
  for (const query of ['groupBy=session', 'groupBy=tag', 'groupBy=session&tag=Usage']) {
    const group = query === 'groupBy=tag' ? 'Usage' : first.sessionId
    const row = (await listRows(query)).find((each: { group: string }) => each.group === group)
    expect(row).toMatchObject({ requests: 2, tokensIn: first.tokensIn + second.tokensIn })
    expect(row.costUsd).toBeCloseTo(cost, 9)
  }
  const [day] = await listRows(`groupBy=day&session=${first.sessionId}`)
  expect(day.requests).toBe(2)
  expect(await listRows('groupBy=month&splitBy=session&tag=Usage')).toMatchObject([
    { split: first.sessionId, requests: 2 },
  ])
})

test('POST /v1/git attributes the requests of a session to a branch and to its next commit, and nothing is lost', async () => {
  const repository = 'git.example.org/ann/shop'
  const named = { 'x-tollgate-session': 'on a branch' }
  const record = (more: Record<string, unknown>) =>
    tollgate.call('POST', '/v1/git', {
      body: { clientSessionId: 'on a branch', repository, branch: 'fix', head: null, ...more },
    })
  const before = await ask(named, { model: 'billed' })
  expect(await record({})).toMatchObject({ status: 200, json: { recorded: true } })
  const asked = [await ask(named, { model: 'billed' }), await ask(named, { model: 'billed' })]
  const commit = 'c'.repeat(40)
  await record({ head: commit, commits: [{ at: new Date().toISOString(), branch: 'fix', commit }] })
  const costUsd = asked.reduce((sum, request) => sum + request.costUsd, 0)
  const branch = `${repository} fix`
  for (const [groupBy, group] of [
    ['branch', branch],
    ['commit', commit],
  ]) {
    const { data, total } = await get(`/v1/usage?groupBy=${groupBy}`)
    const row = data.find((each: { group: string }) => each.group === group)
    expect(row).toMatchObject({ requests: 2, tokensIn: 2 * before.tokensIn })
    expect(row.costUsd).toBeCloseTo(costUsd, 9)
    const all = await get('/v1/usage?groupBy=month')
    expect(total).toEqual(all.total)
  }
  const ofBranch = await get(`/v1/usage?groupBy=day&branch=${encodeURIComponent(branch)}`)
  expect(ofBranch.total.requests).toBe(2)
  for (const [name, requests] of [
    [repository, 2],
    ['git.example.org/ann/other', 0],
  ] as const) {
    const { total } = await get(`/v1/usage?groupBy=commit&repository=${encodeURIComponent(name)}`)
    expect([name, total.requests]).toEqual([name, requests])
  }
  const listed = await get(`/v1/sessions?branch=${encodeURIComponent(branch)}`)
  expect(listed.data).toMatchObject([{ id: before.sessionId, branches: [{ repository, branch: 'fix' }] }])
  const split = await tollgate.call('GET', '/v1/usage?groupBy=branch&splitBy=model')
  expect([split.status, split.json.error.param]).toEqual([400, 'splitBy'])
  for (const wrong of [
    { repository: 'https://ann:secret@git.example.org/ann/shop' },
    { repository: 'ann@git.example.org/ann/shop' },
    { keyId: 'key_unknown' },
    { head: 'main' },
  ])
    expect([wrong, (await record(wrong)).status]).toEqual([wrong, 'keyId' in wrong ? 404 : 400])
  const { secret } = await tollgate.createKey({ name: 'git', scope: 'full' })
  const body = { repository, branch: 'fix', head: null }
  expect((await tollgate.call('POST', '/v1/git', { body, as: secret })).status).toBe(403)
})
