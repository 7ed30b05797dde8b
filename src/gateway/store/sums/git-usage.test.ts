import { expect, test } from 'vitest'
import { nanoUsd } from '../../../shared/money/money.ts'
import type { Store } from '../store.ts'
import { NOON, recordRequest } from '../testing/samples.ts'
import { storeWithKeys } from '../testing/temp-store.ts'
import type { GitReport, PlaceFilter } from './git-usage.ts'

const MINUTE = 60_000
const REPOSITORY = 'github.com/ann/shop'
const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(40)) as [string, string, string]

const at = (minute: number) => NOON + minute * MINUTE

function createReport(minute: number, patch: Partial<GitReport>): GitReport {
  const none = { clientSessionId: null, keyId: null, head: null, commits: [], switches: [] }
  return { at: at(minute), repository: REPOSITORY, branch: 'main', ...none, ...patch }
}

const report = (store: Store, minute: number, patch: Partial<GitReport>) =>
  store.write('recordGit', createReport(minute, patch))

let requests = 0

/** Records a request of a session and returns its cost, a power of two: no two sets have the same sum. */
async function ask(store: Store, run: string, minute: number, more: { keyId?: string; worth?: number } = {}) {
  const { keyId = 'key_a', worth } = more
  const nano = worth === undefined ? 2 ** requests : 0
  requests += 1
  const id = `ses_${Buffer.from(run).toString('hex').padStart(32, '0')}`
  const session = { id, source: 'claude-code', clientSessionId: run, keyId, clientName: 'agent' } as const
  await recordRequest(
    store,
    `req_${requests}`,
    { createdAt: at(minute), keyId, sessionId: id, session },
    { costNano: nanoUsd(nano), ...(worth === undefined ? {} : { worthNano: nanoUsd(worth) }) },
  )
  return nano
}

async function openLedger(...keys: string[]): Promise<Store> {
  requests = 0
  const store = await storeWithKeys('key_a', ...keys)
  return store
}

async function readCosts(store: Store, groupBy: 'branch' | 'commit', place?: PlaceFilter) {
  const sums = await store.scan('usage', {
    groupBy,
    timeZone: 'UTC',
    ...(place ? { place } : {}),
  })
  return Object.fromEntries(sums.map(({ group, costNano }) => [group, costNano]))
}

test('a request belongs to the branch of its time and to the next commit there, and the rest stays visible', async () => {
  const store = await openLedger()
  const before = await ask(store, 'one', 0)
  await report(store, 1, { clientSessionId: 'one' })
  const first = (await ask(store, 'one', 2)) + (await ask(store, 'one', 3))
  const second = await ask(store, 'one', 5)
  const open = await ask(store, 'one', 9)
  const unknown = await ask(store, 'two', 4)
  const commits = [
    { at: at(4), branch: 'main', commit: A },
    { at: at(6), branch: 'main', commit: B },
  ]
  // Each turn reports the same commits again.
  for (const minute of [7, 10]) await report(store, minute, { clientSessionId: 'one', head: B, commits })
  const onMain = first + second + open
  expect(await readCosts(store, 'branch')).toEqual({ [`${REPOSITORY} main`]: onMain, '': before + unknown })
  expect(await readCosts(store, 'commit')).toEqual({ [A]: first, [B]: second, '': before + unknown + open })
  expect(await readCosts(store, 'commit', { branch: `${REPOSITORY} main` })).toEqual({
    [A]: first,
    [B]: second,
    '': open,
  })
  const [day] = await store.scan('usage', {
    groupBy: 'day',
    timeZone: 'UTC',
    place: { branch: `${REPOSITORY} main` },
  })
  expect(day).toMatchObject({ costNano: onMain, requests: 4 })
})

test('a branch that is switched in a session ends its part; changes taken along belong to the commit on the next branch', async () => {
  const store = await openLedger()
  await report(store, 0, { clientSessionId: 'one' })
  const taken = await ask(store, 'one', 1)
  const onFix = await ask(store, 'one', 3)
  const later = await ask(store, 'one', 6)
  await report(store, 8, {
    clientSessionId: 'one',
    commits: [
      { at: at(4), branch: 'fix', commit: A },
      { at: at(7), branch: 'main', commit: B },
    ],
    switches: [
      { at: at(2), from: 'main', to: 'fix', carries: true },
      { at: at(5), from: 'fix', to: 'main', carries: false },
    ],
  })
  expect(await readCosts(store, 'branch')).toEqual({
    [`${REPOSITORY} main`]: taken + later,
    [`${REPOSITORY} fix`]: onFix,
  })
  expect(await readCosts(store, 'commit')).toEqual({ [A]: taken + onFix, [B]: later })
})

test('changes taken along in a circle, or in the same moment, end without a commit', async () => {
  const store = await openLedger()
  const carries = true
  const switches = [
    { at: at(2), from: 'main', to: 'fix', carries },
    { at: at(2), from: 'fix', to: 'main', carries },
    { at: at(3), from: 'main', to: 'fix', carries },
  ]
  await report(store, 0, { clientSessionId: 'one' })
  const cost = await ask(store, 'one', 1)
  await report(store, 4, { clientSessionId: 'one', branch: 'fix', switches })
  expect(await readCosts(store, 'commit')).toEqual({ '': cost })
})

test('two sessions at the same time have their own branches, and that of a session counts before that of its key', async () => {
  const store = await openLedger('key_run')
  await report(store, 0, { clientSessionId: 'one', branch: 'fix' })
  await report(store, 0, { clientSessionId: 'two', branch: 'feature' })
  await report(store, 0, { keyId: 'key_run', branch: 'main' })
  const one = (await ask(store, 'one', 1)) + (await ask(store, 'one', 3))
  const two = await ask(store, 'two', 2)
  const run = await ask(store, 'of the run', 2, { keyId: 'key_run' })
  await report(store, 0, { clientSessionId: 'in the run', branch: 'fix' })
  const inRun = await ask(store, 'in the run', 2, { keyId: 'key_run' })
  await report(store, 5, {
    clientSessionId: 'two',
    branch: 'feature',
    commits: [{ at: at(4), branch: 'feature', commit: C }],
  })
  expect(await readCosts(store, 'branch')).toEqual({
    [`${REPOSITORY} fix`]: one + inRun,
    [`${REPOSITORY} feature`]: two,
    [`${REPOSITORY} main`]: run,
  })
  expect(await readCosts(store, 'commit')).toEqual({ [C]: two, '': one + run + inRun })
  const listed = async (branch: string) =>
    (
      await store.read('listSessions', {
        limit: 9,
        sort: 'time',
        order: 'asc',
        branch: `${REPOSITORY} ${branch}`,
      })
    ).rows
      .map(({ clientSessionId, branches }) => [clientSessionId, branches.map((each) => each.branch).join()])
      .toSorted()
  expect(await listed('fix')).toEqual([
    ['in the run', 'fix'],
    ['one', 'fix'],
  ])
  expect(await listed('main')).toEqual([
    // Its key was there, although the session itself was not.
    ['in the run', 'fix'],
    ['of the run', 'main'],
  ])
  expect(await listed('none')).toEqual([])
})

test('the commits of one repository are apart from those of others, on all of its branches', async () => {
  const store = await openLedger()
  const other = 'github.com/ann/other'
  const costs: number[] = []
  for (const [run, branch, commit, repository] of [
    ['one', 'main', A, REPOSITORY],
    ['two', 'fix', B, REPOSITORY],
    ['three', 'main', C, other],
  ] as const) {
    await report(store, 0, { clientSessionId: run, repository, branch })
    costs.push(await ask(store, run, 1))
    const commits = [{ at: at(2), branch, commit }]
    await report(store, 3, { clientSessionId: run, repository, branch, commits })
  }
  expect(await readCosts(store, 'commit', { repository: REPOSITORY })).toEqual({
    [A]: costs[0],
    [B]: costs[1],
  })
  expect(await readCosts(store, 'commit', { repository: other })).toEqual({ [C]: costs[2] })
  expect(await readCosts(store, 'commit', { repository: other, branch: `${REPOSITORY} main` })).toEqual({})
})

test('the worth of requests that a plan paid for is divided like costs', async () => {
  const store = await openLedger()
  await report(store, 0, { clientSessionId: 'one' })
  await ask(store, 'one', 1, { worth: 500 })
  await ask(store, 'other', 1, { worth: 70 })
  const sums = await store.scan('usage', { groupBy: 'branch', timeZone: 'UTC' })
  expect(sums.map(({ group, costNano, worthNano }) => [group, costNano, worthNano])).toEqual([
    ['', 0, 70],
    [`${REPOSITORY} main`, 0, 500],
  ])
})

test('without a log of HEAD, another commit at the end of a session is taken for made in it', async () => {
  const store = await openLedger()
  await report(store, 0, { clientSessionId: 'one', head: A })
  const cost = await ask(store, 'one', 1)
  await report(store, 2, { clientSessionId: 'one', head: B })
  const open = await ask(store, 'one', 3)
  expect(await readCosts(store, 'commit')).toEqual({ [B]: cost, '': open })
})
