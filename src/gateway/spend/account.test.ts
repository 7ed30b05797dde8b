import { expect, onTestFinished, test } from 'vitest'
import { nanoUsd, ZERO_USD } from '../../shared/money/money.ts'
import { EventHub } from '../platform/events.ts'
import { Settings } from '../settings/settings.ts'
import type { Store } from '../store/store.ts'
import { recordRequest, sampleKey } from '../store/testing/samples.ts'
import { storeWithKeys, tempStore } from '../store/testing/temp-store.ts'
import { createFailingStore } from '../testing/failing-store.ts'
import { AccountService } from './account.ts'
import { LimitsByOwner } from './limit.ts'

const DAY = 86_400_000

function testClock(start: string) {
  let wall = Date.parse(start)
  return {
    now: () => wall,
    monotonic: () => performance.now(),
    set(moment: string | number) {
      wall = typeof moment === 'number' ? moment : Date.parse(moment)
    },
  }
}

let requests = 0

async function open(start: string, { store = null as Store | null, zone = 'UTC', spent = ZERO_USD } = {}) {
  const clock = testClock(start)
  const db = store ?? (await tempStore())
  if (store === null) await db.write('insertKey', sampleKey('key_a'))
  const settings = new Settings(db, { settings: { timeZone: zone } })
  const account = new AccountService(
    { store: db, clock, events: new EventHub(), settings, limits: new LimitsByOwner() },
    spent,
  )
  onTestFinished(() => account.close())
  await account.recount()
  /** Writes the charge of a request made at `at` to the ledger; `addToAccount` then adds it in memory. */
  const spend = async (nano: number, at = clock.now()) => {
    requests += 1
    const costNano = nanoUsd(nano)
    const of = { keyId: 'key_a', model: 'small', provider: 'vendor', tag: null }
    await recordRequest(db, `req_${requests}`, { createdAt: at }, { costNano })
    return { addToAccount: () => account.counters.charge(costNano, at, of) }
  }
  return { clock, store: db, settings, account, spend }
}

test('one reading of a wall clock that was ahead does not change the month', async () => {
  const { clock, account, spend } = await open('2027-03-10T12:00:00Z')
  ;(await spend(700)).addToAccount()
  const before = account.view()
  clock.set('2027-05-11T12:00:00Z')
  expect(account.view()).toMatchObject({ monthSpendUsd: 0, monthStartsAt: '2027-05-01T00:00:00.000Z' })
  clock.set('2027-03-10T12:00:01Z')
  expect(account.view()).toEqual(before)
  expect(account.counters.month.spentNano).toBe(700)
})

test('a charge while the clock is ahead counts in the month of its request', async () => {
  const { clock, account, spend } = await open('2027-03-10T12:00:00Z')
  const early = await spend(700)
  clock.set('2027-05-11T12:00:00Z')
  account.view()
  early.addToAccount()
  ;(await spend(40)).addToAccount()
  expect(account.counters.month.spentNano).toBe(40)
  clock.set('2027-03-10T12:00:02Z')
  expect(account.counters.month.spentNano).toBe(700)
})

test('after a start with the clock ahead, the month is never underestimated, and exact soon after the clock is corrected', async () => {
  const first = await open('2027-03-10T12:00:00Z')
  ;(await first.spend(700)).addToAccount()
  const second = await open('2027-05-11T12:00:00Z', { store: first.store, spent: nanoUsd(700) })
  expect(second.account.counters.month.spentNano).toBe(0)
  second.clock.set('2027-03-12T12:00:00Z')
  expect(second.account.counters.month.spentNano).toBeGreaterThanOrEqual(700)
  await expect.poll(() => second.account.view()).toMatchObject({ monthSpendUsd: 0.0000007, todaySpendUsd: 0 })
})

test('a month that a wrong clock reached early starts with what was charged to it', async () => {
  const first = await open('2027-05-11T12:00:00Z')
  ;(await first.spend(900)).addToAccount()
  const second = await open('2027-03-10T12:00:00Z', { store: first.store, spent: nanoUsd(900) })
  expect(second.account.counters.month.spentNano).toBe(0)
  second.clock.set('2027-05-02T12:00:00Z')
  expect(second.account.counters.month.spentNano).toBe(900)
})

test('a month that cannot be read from the ledger counts as its upper bound until it can', async () => {
  const first = await open('2027-03-10T12:00:00Z')
  ;(await first.spend(700)).addToAccount()
  const { store, fail, recover } = createFailingStore(first.store)
  const reads = { failing: false }
  const broken: Store = {
    ...store,
    read: (operation, ...args) =>
      reads.failing ? Promise.reject(new Error('read failed')) : store.read(operation, ...args),
  }
  const second = await open('2027-05-11T12:00:00Z', { store: broken, spent: nanoUsd(700) })
  fail()
  reads.failing = true
  second.clock.set('2027-04-12T12:00:00Z')
  expect(second.account.counters.month.spentNano).toBe(700)
  recover()
  reads.failing = false
  await expect.poll(() => second.account.counters.month.spentNano).toBe(0)
})

test('days roll as months do, in both directions', async () => {
  const { clock, account, spend } = await open('2027-03-10T12:00:00Z')
  ;(await spend(5)).addToAccount()
  clock.set(clock.now() + DAY)
  expect(account.view().todaySpendUsd).toBe(0)
  ;(await spend(8)).addToAccount()
  clock.set(clock.now() - DAY)
  expect(account.view()).toMatchObject({ todaySpendUsd: 5e-9, monthSpendUsd: 13e-9 })
})

test('a change of the time zone while requests settle counts each of them once', async () => {
  const real = await storeWithKeys('key_a')
  let counted = () => {}
  const store: Store = {
    ...real,
    read: async (operation, ...args) => {
      const answer = await real.read(operation, ...args)
      if (operation === 'spendIn') setImmediate(() => counted())
      return answer
    },
  }
  const { clock, account, spend, settings } = await open('2027-04-01T00:30:00Z', { store })
  const march = Date.parse('2027-03-31T20:00:00Z')
  // The recount includes them; the account adds them only after the recount's read.
  const written = [await spend(300, march), await spend(11, clock.now())]
  counted = () => {
    for (const { addToAccount } of written.splice(0)) addToAccount()
  }
  await settings.update({ timeZone: 'Europe/Berlin' })
  await account.recount()
  await expect.poll(() => written.length).toBe(0)
  expect(account.counters.month.spentNano).toBe(11)
  // March's last evening in Berlin is April's first day in Tokyo.
  await settings.update({ timeZone: 'Asia/Tokyo' })
  await account.recount()
  expect(account.view()).toMatchObject({ monthSpendUsd: 311e-9, timeZone: 'Asia/Tokyo' })
})

test('a change of plan and limit that cannot be written leaves both unchanged', async () => {
  const failing = createFailingStore(await tempStore())
  const { account } = await open('2027-03-10T12:00:00Z', { store: failing.store })
  failing.fail()
  const change = account.update({ plan: 'bundle', monthlyLimitUsd: 5 })
  await expect(change).rejects.toMatchObject({ code: 'full' })
  expect(account.view()).toMatchObject({ plan: 'pay-as-you-go', monthlyLimitUsd: null })
  failing.recover()
  await Promise.all([account.update({ plan: 'bundle' }), account.update({ monthlyLimitUsd: 5 })])
  expect(account.view()).toMatchObject({ plan: 'bundle', monthlyLimitUsd: 5 })
  expect((await failing.store.read('loadState')).settings).toMatchObject({
    plan: 'bundle',
    spendLimits: [{ usd: 5, per: 'month' }],
  })
})
