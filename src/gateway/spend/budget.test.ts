import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from '../../shared/money/money.ts'
import { ApiKeys } from '../keys/api-keys.ts'
import type { KeyState } from '../keys/key-state.ts'
import { systemClock } from '../platform/clock.ts'
import { EventHub } from '../platform/events.ts'
import { silentLog } from '../platform/log.ts'
import { Settings } from '../settings/settings.ts'
import { openStore, type Store } from '../store/store.ts'
import { AccountService } from './account.ts'
import { Budget } from './budget.ts'
import { LimitsByOwner } from './limit.ts'
import type { Need, Reservation } from './reservation.ts'
import { SpendLimits, type Subject } from './spend-limits.ts'

const never = new AbortController().signal
const usd = (amount: number): NanoUsd => nanoUsd(Math.round(amount * 1e9))
const exactly = (amount: number) => ({ min: usd(amount), max: usd(amount) })
const need = (target: number, consumed: number, next = target): Need => ({
  target: usd(target),
  consumed: usd(consumed),
  next: usd(next),
})

/** The time, where a test sets it. */
let now: number | null = null
const clock = { ...systemClock, now: () => now ?? Date.now() }
let dataDir: string
let store: Store
let keys: ApiKeys
let account: AccountService
let budget: Budget
let limits: LimitsByOwner

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'tollgate-budget-'))
  store = await openStore({ dataDir, log: silentLog })
  const events = new EventHub()
  limits = new LimitsByOwner()
  keys = new ApiKeys({ store, clock, events, limits }, [])
  const settings = new Settings(store, {})
  account = new AccountService({ store, clock, events, settings, limits }, ZERO_USD)
  await account.recount()
  budget = new Budget(new SpendLimits({ account, keys, store, limits }))
})

afterEach(async () => {
  vi.useRealTimers()
  now = null
  await store.close()
  rmSync(dataDir, { recursive: true })
})

async function keyWithCap(spendLimitUsd: number): Promise<KeyState> {
  const { id } = await keys.create({ name: 'capped', scope: 'full', spendLimitUsd })
  return keys.require(id)
}

const by = (key: KeyState): Subject => ({ key, models: [], sessionId: null, agentId: null, tag: null })

/** Ends a request at its cost, as the ledger does. */
function settle(reservation: Reservation, cost: number): void {
  const { key } = reservation.subject
  key.spendNano = addUsd(key.spendNano, usd(cost))
  account.charge(usd(cost), Date.now(), { keyId: key.id, model: '', provider: '', tag: null })
  budget.release(reservation)
}

/** The promise's value or error, or 'waiting' while it is pending. */
async function getState(promise: Promise<unknown>): Promise<unknown> {
  return await Promise.race([
    promise.catch((error: unknown) => error),
    new Promise((resolve) => setImmediate(resolve, 'waiting')),
  ])
}

describe('admission', () => {
  it('admits one request above the cap, but not a second one', async () => {
    const key = await keyWithCap(1)
    const first = await budget.reserve(by(key), exactly(0.9), never)
    expect(first.waitedMs).toBe(0)
    const second = await budget.reserve(by(key), exactly(0.9), never)
    const third = budget.reserve(by(key), exactly(0.9), never)
    expect(await getState(third)).toBe('waiting')
    settle(first, 0.2)
    expect(await getState(third)).toBe('waiting')
    settle(second, 0.2)
    expect(await third).toMatchObject({ amount: usd(0.9) })
  })

  it('rejects with 429 and Retry-After after 30 s, and with 402 only when the cap is spent', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const key = await keyWithCap(1)
    const running = await budget.reserve(by(key), exactly(2), never)
    const rejected = expect(budget.reserve(by(key), exactly(0.1), never)).rejects.toMatchObject({
      status: 429,
      body: { type: 'rate_limit_exceeded', code: 'spend_reserved' },
      headers: { 'retry-after': '5', 'x-should-retry': 'true' },
    })
    await vi.advanceTimersByTimeAsync(30_000)
    await rejected
    settle(running, 1)
    await expect(budget.reserve(by(key), exactly(0.1), never)).rejects.toMatchObject({
      status: 402,
      body: { type: 'insufficient_quota', code: 'spend_limit_reached' },
      headers: { 'x-should-retry': 'false' },
    })
  })

  it('reserves what is left for a stream that does not fit, but at least its prompt', async () => {
    const key = await keyWithCap(1)
    const stream = { min: usd(0.3), max: usd(0.7) }
    expect((await budget.reserve(by(key), stream, never)).amount).toBe(usd(0.7))
    expect((await budget.reserve(by(key), stream, never)).amount).toBe(usd(0.3))
    expect(key.reservedNano).toBe(usd(1))
  })

  it('reserves nothing after a release, even a repeated one', async () => {
    const key = await keyWithCap(1)
    const reservation = await budget.reserve(by(key), exactly(0.5), never)
    budget.release(reservation)
    budget.release(reservation)
    expect([key.reservedNano, account.reservedNano]).toEqual([0, 0])
  })
})

describe('a stream', () => {
  it('is topped up while budget is left', async () => {
    const key = await keyWithCap(1)
    const stream = await budget.reserve(by(key), exactly(0.1), never)
    expect(await budget.extend(stream, need(0.4, 0.1, 0.4), never)).toBe(usd(0.4))
    expect(key.reservedNano).toBe(usd(0.4))
  })

  it('runs up to the cap, and is cut there', async () => {
    const key = await keyWithCap(1)
    const stream = await budget.reserve(by(key), exactly(0.1), never)
    expect(await budget.extend(stream, need(1.4, 0.9, 1.4), never)).toBe(usd(1))
    await expect(budget.extend(stream, need(1.5, 1, 1.5), never)).rejects.toMatchObject({
      reason: { code: 'spend_limit_reached' },
    })
  })

  it('waits while another request may release budget, and resumes when it does', async () => {
    const key = await keyWithCap(1)
    const plain = await budget.reserve(by(key), exactly(0.8), never)
    const stream = await budget.reserve(by(key), exactly(0.1), never)
    const more = budget.extend(stream, need(0.5, 0.2, 0.5), never)
    expect(await getState(more)).toBe('waiting')
    settle(plain, 0.1)
    expect(await more).toBe(usd(0.5))
  })

  it('has priority over requests that have not started', async () => {
    const key = await keyWithCap(1)
    const plain = await budget.reserve(by(key), exactly(0.9), never)
    const stream = await budget.reserve(by(key), exactly(0.05), never)
    const more = budget.extend(stream, need(0.5, 0.2, 0.5), never)
    const next = budget.reserve(by(key), exactly(0.1), never)
    settle(plain, 0.2)
    expect(await more).toBe(usd(0.5))
    expect(await getState(next)).toMatchObject({ amount: usd(0.1) })
  })

  it('releases what it does not use while it waits, so that two cannot block each other', async () => {
    const key = await keyWithCap(1)
    const streams = [
      await budget.reserve(by(key), exactly(0.6), never),
      await budget.reserve(by(key), exactly(0.6), never),
    ]
    const [older, younger] = streams as [Reservation, Reservation]
    expect(await budget.extend(older, need(0.9, 0.45, 0.9), never)).toBe(usd(0.6))
    const first = budget.extend(older, need(0.9, 0.6, 0.9), never)
    expect(await getState(first)).toBe('waiting')
    budget.shrink(younger, usd(0.2))
    expect(await first).toBe(usd(0.8))
    const second = budget.extend(younger, need(0.9, 0.2, 0.9), never)
    expect(await getState(second)).toBe('waiting')
    settle(older, 0.3)
    expect(await second).toBe(usd(0.7))
  })

  it('uses its own reservation, though another request exceeds the cap', async () => {
    const key = await keyWithCap(1)
    const stream = await budget.reserve(by(key), exactly(0.5), never)
    await budget.reserve(by(key), exactly(0.9), never)
    expect(await budget.extend(stream, need(0.6, 0.1, 0.6), never)).toBe(usd(0.5))
    expect(await getState(budget.extend(stream, need(0.9, 0.5), never))).toBe('waiting')
  })

  it('gets what becomes free before others do, while it has less than it asks for', async () => {
    const key = await keyWithCap(1)
    const other = await budget.reserve(by(key), exactly(0.7), never)
    const stream = await budget.reserve(by(key), { min: usd(0.1), max: usd(0.8) }, never)
    expect(stream.amount).toBe(usd(0.3))
    const waiting = budget.reserve(by(key), exactly(0.5), never)
    budget.shrink(other, usd(0.4))
    expect(stream.amount).toBe(usd(0.6))
    expect(await getState(waiting)).toBe('waiting')
    settle(other, 0.1)
    expect(stream.amount).toBe(usd(0.8))
    expect(await waiting).toMatchObject({ amount: usd(0.5) })
  })

  it('keeps what it holds for its prompt while it waits, and goes beyond the cap only alone', async () => {
    const key = await keyWithCap(1)
    const other = await budget.reserve(by(key), exactly(0.6), never)
    const stream = await budget.reserve(by(key), exactly(0.6), never)
    const holding = (held: number): Need => ({ ...need(held + 0.1, 0.1, 0.2), held: usd(held) })
    expect(await budget.extend(stream, holding(0.6), never)).toBe(usd(0.2))
    const more = budget.extend(stream, holding(0.7), never)
    expect(await getState(more)).toBe('waiting')
    expect(stream.amount).toBe(usd(0.6))
    settle(other, 0.5)
    expect(await more).toBe(usd(0.2))
  })

  it('is cut, the youngest first, when all that have reservations wait', async () => {
    const key = await keyWithCap(1)
    const older = await budget.reserve(by(key), exactly(0.5), never)
    const younger = await budget.reserve(by(key), exactly(0.4), never)
    const first = budget.extend(older, need(0.9, 0.6), never)
    expect(await getState(first)).toBe('waiting')
    await expect(budget.extend(younger, need(0.9, 0.4), never)).rejects.toMatchObject({
      name: 'StreamCutError',
    })
    expect(await getState(first)).toBe('waiting')
    settle(younger, 0.3)
    expect(await first).toBe(usd(0.7))
  })

  it('is cut after 30 s, the youngest first', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const key = await keyWithCap(1)
    await budget.reserve(by(key), exactly(0.5), never)
    const older = await budget.reserve(by(key), exactly(0.3), never)
    const younger = await budget.reserve(by(key), exactly(0.1), never)
    const first = budget.extend(older, need(0.9, 0.35), never)
    const second = budget.extend(younger, need(0.5, 0.15), never)
    const cut = expect(second).rejects.toMatchObject({ name: 'StreamCutError' })
    await vi.advanceTimersByTimeAsync(30_000)
    await cut
    settle(younger, 0.1)
    expect(await first).toBe(usd(0.4))
  })

  it('resumes when the cap is raised, and is cut when it is lowered below what it has consumed', async () => {
    const key = await keyWithCap(1)
    await budget.reserve(by(key), exactly(0.5), never)
    const stream = await budget.reserve(by(key), exactly(0.3), never)
    const more = budget.extend(stream, need(0.9, 0.6), never)
    key.limitNano = usd(2)
    budget.wakeWaiters()
    expect(await more).toBe(usd(0.9))
    const again = budget.extend(stream, need(2.5, 1.6), never)
    const cut = expect(again).rejects.toMatchObject({ reason: { code: 'spend_limit_reached' } })
    key.limitNano = usd(1.5)
    budget.wakeWaiters()
    await cut
  })

  it("is also subject to the account's monthly limit", async () => {
    await account.update({ monthlyLimitUsd: 1 })
    const { id } = await keys.create({ name: 'free', scope: 'full' })
    const stream = await budget.reserve(by(keys.require(id)), exactly(0.1), never)
    await expect(budget.extend(stream, need(1.5, 1, 1.5), never)).rejects.toMatchObject({
      reason: { code: 'account_limit_reached' },
    })
  })

  it('stops waiting when its request ends', async () => {
    const key = await keyWithCap(1)
    await budget.reserve(by(key), exactly(0.9), never)
    const stream = await budget.reserve(by(key), exactly(0.05), never)
    const ended = new AbortController()
    const more = budget.extend(stream, need(0.5, 0.2), ended.signal)
    ended.abort(new Error('revoked'))
    await expect(more).rejects.toThrow('revoked')
    budget.release(stream)
    expect(key.reservedNano).toBe(usd(0.9))
  })
})

describe('the most that the ledger can hold', () => {
  async function keyOfLedgerWith(spentUsd: number): Promise<KeyState> {
    const settings = new Settings(store, {})
    account = new AccountService({ store, clock, events: new EventHub(), settings, limits }, usd(spentUsd))
    budget = new Budget(new SpendLimits({ account, keys, store, limits }), 30_000)
    const { id } = await keys.create({ name: 'unlimited', scope: 'full' })
    return keys.require(id)
  }

  it('is refused with 402 before anything is sent, and says what to do', async () => {
    const key = await keyOfLedgerWith(8_000_000)
    await expect(budget.reserve(by(key), exactly(0.01), never)).rejects.toMatchObject({
      status: 402,
      body: {
        type: 'insufficient_quota',
        code: 'ledger_full',
        message: expect.stringContaining('data folder'),
      },
      headers: { 'x-should-retry': 'false' },
    })
    expect([key.reservedNano, account.reservedNano]).toEqual([0, 0])
  })

  it('has room for requests that cost the most, whatever they have reserved', async () => {
    const key = await keyOfLedgerWith(7_999_999)
    const running: Reservation[] = []
    for (let n = 0; n < 10; n++) running.push(await budget.reserve(by(key), exactly(0.01), never))
    for (const reservation of running) settle(reservation, 100_000)
    expect(account.counters.totalNano).toBe(usd(8_999_999))
    expect(account.reservedNano).toBe(0)
  })

  it('lets many large requests wait for each other', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const key = await keyOfLedgerWith(0)
    const admitted: Reservation[] = []
    const waiting: Promise<unknown>[] = []
    for (let n = 0; n < 100; n++) {
      const request = budget.reserve(by(key), exactly(100_000), never)
      if ((await getState(request)) === 'waiting') waiting.push(request.catch((error: unknown) => error))
      else admitted.push(await request)
    }
    expect(admitted).toHaveLength(80)
    const stream = admitted.pop()
    if (!stream) throw new Error('none was admitted')
    const paused = budget.extend(stream, need(200_000, 100_000), never)
    expect(await getState(paused)).toBe('waiting')
    await vi.advanceTimersByTimeAsync(30_000)
    for (const end of await Promise.all(waiting))
      expect(end).toMatchObject({ status: 429, body: { code: 'spend_reserved' } })
    for (const reservation of admitted) settle(reservation, 1)
    expect(await getState(paused)).not.toBe('waiting')
    budget.release(stream)
    expect([key.reservedNano, account.reservedNano]).toEqual([0, 0])
  })
})

describe('after the end of a period', () => {
  const MIDNIGHT = Date.parse('2026-11-23T00:00:00Z')

  it('streams that go on share one limit for what they still consume', async () => {
    now = MIDNIGHT - 1_000
    await account.counters.recount('UTC')
    const { id } = await keys.create({ name: 'a', scope: 'full', spendLimits: [{ usd: 1, per: 'day' }] })
    const key = keys.require(id)
    await budget.refreshLimits()
    const reserve = (amount: number) => budget.reserve(by(key), exactly(amount), never)
    const reserved = () => keys.view(key).spendLimits[0]?.reservedUsd
    const streams = [await reserve(0.1), await reserve(0.1), await reserve(0.1)]
    now = MIDNIGHT
    expect(reserved()).toBe(0)
    const target = { target: usd(0.7), consumed: usd(0.1), next: usd(0.7) }
    const [first, second, third] = streams
    if (!first || !second || !third) throw new Error('not admitted')
    expect(await budget.extend(first, target, never)).toBe(usd(0.7))
    expect(await budget.extend(second, target, never)).toBe(usd(0.5))
    // Nothing is left for a third one, nor for a new request.
    expect(reserved()).toBe(1)
    expect(budget.fits(third, usd(0.11))).toBe(false)
    expect(budget.tryReserve(by(key), exactly(0.1))).toBeNull()
    for (const stream of streams) budget.release(stream)
    expect(reserved()).toBe(0)
    const next = await reserve(0.4)
    expect(reserved()).toBe(0.4)
    budget.release(next)
    expect([reserved(), key.reservedNano]).toEqual([0, 0])
  })
})
