import { expect, test } from 'vitest'
import { nanoUsd } from '../../../shared/money/money.ts'
import type { NewSession, Store, StoredSession } from '../store.ts'
import { SLOT_15M_MS } from '../sums/rollup-columns.ts'
import { NOON, sampleRequest, sampleSettlement } from '../testing/samples.ts'
import { storeWithKeys } from '../testing/temp-store.ts'

const SESSIONS = 7
const TAGS = ['Website', 'Docs', null] as const

/** Generates equal numbers in every run (Park and Miller's generator). */
let state = 4711
function below(limit: number): number {
  state = (state * 48_271) % 2_147_483_647
  return Math.floor((state / 2_147_483_647) * limit)
}
const chance = (probability: number) => below(1_000) < probability * 1_000

function any<T>(from: readonly T[]): T {
  const [chosen] = from.slice(below(from.length))
  if (chosen === undefined) throw new RangeError('nothing to pick from')
  return chosen
}

function createSession(nr: number): NewSession {
  const id = `ses_${String(nr).padStart(32, '0')}`
  return { id, source: 'header', clientSessionId: `run ${nr}`, keyId: `key_${nr % 2}`, clientName: 'agent' }
}

const all = { limit: 500, sort: 'time', order: 'desc' } as const
const readSessions = async (store: Store) => (await store.read('listSessions', all)).rows

/** The sums of each session as its rows have them. */
async function sumRows(store: Store) {
  const { rows } = await store.read('listRequests', { limit: 500 })
  const sums = new Map<string | null, Partial<StoredSession>>()
  for (const row of rows) {
    const { requests = 0, refused = 0, running = 0, errors = 0, ...sum } = sums.get(row.sessionId) ?? {}
    const isOver = row.status !== 'running' && row.status !== 'refused'
    sums.set(row.sessionId, {
      requests: requests + Number(isOver),
      refused: refused + (row.status === 'refused' ? row.count : 0),
      running: running + Number(row.status === 'running'),
      errors: errors + Number(row.status === 'failed'),
      tokensIn: (sum.tokensIn ?? 0) + (isOver ? row.tokensIn : 0),
      tokensOut: (sum.tokensOut ?? 0) + (isOver ? row.tokensOut : 0),
      unpriced: (sum.unpriced ?? 0) + Number(isOver && row.costNano === null),
      costNano: nanoUsd((sum.costNano ?? 0) + (row.costNano ?? 0)),
    })
  }
  return sums
}

async function expectSums(store: Store): Promise<void> {
  const sums = await sumRows(store)
  const sessions = await readSessions(store)
  expect(sessions).toHaveLength(sums.size)
  for (const session of sessions) {
    expect(session).toMatchObject(sums.get(session.id) ?? {})
    const models = session.models.reduce((nano, { costNano }) => nano + costNano, 0)
    expect([models, session.models.reduce((count, { requests }) => count + requests, 0)]).toEqual([
      session.costNano,
      session.requests,
    ])
  }
  expect(await store.read('checkTotals')).toEqual([])
  await expectUsage(store)
}

/** The sums of sessions equal the counts from rows, which are used where durations are requested. */
async function expectUsage(store: Store): Promise<void> {
  const starts = (await store.read('listRequests', { limit: 500 })).rows
    .map(({ createdAt }) => createdAt)
    .sort()
  const [third = 0, middle = 0] = [
    starts[Math.floor(starts.length / 3)],
    starts[Math.floor(starts.length / 2)],
  ]
  for (const range of [
    {},
    { from: third },
    { to: middle },
    { from: third, to: middle },
    { where: { key: 'key_1' } },
  ]) {
    const filter = { groupBy: 'session', timeZone: 'UTC', ...range } as const
    const counted = await store.scan('usage', { ...filter, timings: true })
    const byName = (a: { group: string }, b: { group: string }) => a.group.localeCompare(b.group)
    const expected = counted.map(({ timings: _timings, ...sum }) => sum).sort(byName)
    expect((await store.scan('usage', filter)).sort(byName)).toEqual(expected)
  }
}

/** Requests of every kind, many in one batch. Returns those that are not settled. */
async function work(store: Store): Promise<string[]> {
  const open: string[] = []
  const writes: Promise<unknown>[] = []
  for (let nr = 0; nr < 300; nr++) {
    const session = createSession(below(SESSIONS))
    const { id: sessionId, keyId } = session
    const tag = any(TAGS)
    const id = `req_${nr}`
    const request = { keyId, sessionId, session, tag, createdAt: NOON + nr * 60_000 }
    const error = { type: 'rate_limit_exceeded', message: 'no' } as const
    if (chance(0.05)) {
      const { reservedNano: _r, estimateNano: _e, ...row } = sampleRequest(id, request)
      writes.push(store.write('recordRefused', { ...row, httpStatus: 429, error, totalMs: 1 }))
      continue
    }
    writes.push(store.write('openRequest', sampleRequest(id, request)))
    if (chance(0.1)) {
      open.push(id)
      continue
    }
    const settled = {
      costNano: chance(0.1) ? null : nanoUsd(below(1_000_000)),
      status: any(['succeeded', 'succeeded', 'canceled', 'failed'] as const),
      model: any(['small', 'large']),
    }
    writes.push(store.write('settleRequest', sampleSettlement(id, settled)))
  }
  await Promise.all(writes)
  return open
}

test('sessions equal the sums of their rows, whatever happens to these', async () => {
  const store = await storeWithKeys('key_0', 'key_1')
  const open = await work(store)
  await expectSums(store)
  expect((await readSessions(store)).reduce((sum, { running }) => sum + running, 0)).toBe(open.length)

  await store.write('settleAbandoned', { now: NOON + 400 * 60_000 })
  await expectSums(store)
  for (const [nr, id] of open.entries())
    await store.write('confirmCost', { id, costNano: nanoUsd(nr * 20), at: NOON, by: 'user' })
  await expectSums(store)
  const refused = (await store.read('listRequests', { limit: 1, status: 'refused' })).rows[0]
  await store.write('countRefused', { id: refused?.id ?? '', count: 5, lastAt: NOON })
  await expectSums(store)

  const tagged = await store.read('usage', { groupBy: 'tag', splitBy: 'key', timeZone: 'UTC' })
  const { rows } = await store.read('listRequests', { limit: 500 })
  for (const { group, split, costNano, requests } of tagged) {
    const same = rows.filter(
      ({ tag, keyId, status }) => (tag ?? '') === group && keyId === split && status !== 'refused',
    )
    expect([costNano, requests]).toEqual([
      same.reduce((sum, row) => sum + (row.costNano ?? 0), 0),
      same.length,
    ])
  }
  expect(tagged).toHaveLength(6)
  for (const session of await readSessions(store)) {
    const where = { session: session.id }
    const found = await store.read('usage', { groupBy: 'session', where, timeZone: 'UTC' })
    expect(found).toMatchObject([
      { group: session.id, requests: session.requests, costNano: session.costNano },
    ])
  }
})

test('the sums stay when rows are pruned, until the session is old', async () => {
  const store = await storeWithKeys('key_0', 'key_1')
  await work(store)
  await store.write('settleAbandoned', { now: NOON })
  const before = await readSessions(store)
  const half = NOON + 10 * SLOT_15M_MS
  await store.write('pruneRequests', { before: half })
  expect(await store.read('checkTotals')).toEqual([])
  const pruned = await readSessions(store)
  expect(pruned.map((session) => ({ ...session, prunedRequests: 0 }))).toEqual(before)
  const left = (await store.read('listRequests', { limit: 500 })).rows
  for (const { id, prunedRequests, requests, refused } of pruned)
    expect(requests + refused - prunedRequests).toBe(left.filter(({ sessionId }) => sessionId === id).length)
  await store.write('pruneSessions', { before: NOON + 1e9 })
  expect(await readSessions(store)).toHaveLength(before.length)
  await store.write('pruneRequests', { before: NOON + 1e9 })
  await store.write('pruneSessions', { before: NOON })
  expect(await readSessions(store)).toHaveLength(before.length)
  expect(await store.read('checkTotals')).toEqual([])
  await store.write('pruneSessions', { before: NOON + 1e9 })
  expect(await readSessions(store)).toEqual([])
})

test('a title is deleted with the prompt it was taken from', async () => {
  const store = await storeWithKeys('key_0')
  const session = createSession(0)
  const bodies = { request: '{}', response: '{}' }
  for (const [nr, title] of ['First words', 'Later words'].entries()) {
    const id = `req_${nr}`
    await store.write('openRequest', sampleRequest(id, { keyId: 'key_0', sessionId: session.id, session }))
    await store.write('settleRequest', sampleSettlement(id, { bodies: { ...bodies, title } }))
  }
  const getTitle = async () => (await store.read('getSession', session.id))?.title
  expect(await getTitle()).toBe('First words')
  await store.write('deleteRequestBodies', 'req_1')
  expect(await getTitle()).toBe('First words')
  await store.write('deleteBodies')
  expect(await getTitle()).toBeNull()
})

test('totals are those of all sessions that match, apart from short ones, which are counted by themselves', async () => {
  const store = await storeWithKeys('key_0', 'key_1')
  const open = await work(store)
  for (const nr of [SESSIONS, SESSIONS + 1]) {
    const session = createSession(nr)
    const request = { keyId: session.keyId, sessionId: session.id, session, createdAt: NOON }
    await store.write('openRequest', sampleRequest(`single_${nr}`, request))
    const bodies = { request: '{}', response: '{}', title: `Say 100% of it ${nr}` }
    const settled = { costNano: nanoUsd(7), bodies, model: 'rare' }
    await store.write('settleRequest', sampleSettlement(`single_${nr}`, settled))
  }
  const sessions = await readSessions(store)
  expect(open.length).toBeGreaterThan(0)
  const long = sessions.filter(({ requests, refused, running }) => requests + refused + running >= 2)
  const sum = (rows: readonly StoredSession[]) => rows.reduce((nano, { costNano }) => nano + costNano, 0)
  const costs = long.map(({ costNano }) => costNano).sort((a, b) => a - b)
  expect(await store.read('sessionTotals', { minRequests: 2 })).toEqual({
    ...{ sessions: SESSIONS, costNano: sum(long), medianNano: costs[Math.ceil(SESSIONS / 2) - 1] },
    hidden: { sessions: 2, costNano: 14 },
  })
  expect(await store.read('sessionTotals', {})).toMatchObject({
    ...{ sessions: SESSIONS + 2, costNano: sum(sessions) },
    hidden: { sessions: 0, costNano: 0 },
  })
  const find = async (filter: object) =>
    (await store.read('listSessions', { ...all, ...filter })).rows.map(
      ({ clientSessionId }) => clientSessionId,
    )
  expect((await find({ model: 'rare' })).sort()).toEqual([`run ${SESSIONS}`, `run ${SESSIONS + 1}`])
  expect(await find({ q: `SAY 100% of it ${SESSIONS}` })).toEqual([`run ${SESSIONS}`])
  expect(await find({ q: '100_' })).toEqual([])
  expect(await find({ q: 'run 3', minRequests: 2 })).toEqual(['run 3'])
  expect(await store.read('sessionTotals', { q: 'none' })).toMatchObject({ sessions: 0, medianNano: null })
})
