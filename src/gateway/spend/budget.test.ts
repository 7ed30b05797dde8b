import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { addUsd, type NanoUsd, nanoToUsd, nanoUsd, ZERO_USD } from '../../shared/money/money.ts'
import { ApiKeys } from '../keys/api-keys.ts'
import type { KeyState } from '../keys/key-state.ts'
import { systemClock } from '../platform/clock.ts'
import { EventHub } from '../platform/events.ts'
import { Settings } from '../settings/settings.ts'
import type { Store } from '../store/store.ts'
import { tempStore } from '../store/testing/temp-store.ts'
import { AccountService } from './account.ts'
import { Budget } from './budget.ts'
import type { LimitReached } from './budget-errors.ts'
import { LimitsByOwner } from './limit.ts'
import type { Amounts, Need, Reservation } from './reservation.ts'
import { SpendLimits, type Subject } from './spend-limits.ts'
import { LimitWatch } from './testing/limit-watch.ts'

const never = new AbortController().signal
const usd = (amount: number): NanoUsd => nanoUsd(Math.round(amount * 1e9))
const exactly = (amount: number) => ({ min: usd(amount), max: usd(amount) })
/** `ahead`: the highest cost of the next part. */
const need = (booked: number, ahead: number, likely = booked): Need => ({
  target: usd(booked + ahead),
  booked: usd(booked),
  likely: usd(likely),
  least: usd(0.01),
})

/** The time, where a test sets it. */
let now: number | null = null
const clock = { ...systemClock, now: () => now ?? Date.now() }
let store: Store
let keys: ApiKeys
let account: AccountService
let budget: Budget
let limits: LimitsByOwner

beforeEach(async () => {
  store = await tempStore()
  const events = new EventHub()
  limits = new LimitsByOwner()
  keys = new ApiKeys({ store, clock, events, limits }, [])
  const settings = new Settings(store, {})
  account = new AccountService({ store, clock, events, settings, limits }, ZERO_USD)
  await account.recount()
  budget = new Budget(new SpendLimits({ account, keys, store, limits }))
})

afterEach(() => {
  vi.useRealTimers()
  now = null
})

async function keyWithCap(spendLimitUsd: number): Promise<KeyState> {
  const { id } = await keys.create({ name: 'capped', scope: 'full', spendLimitUsd })
  await budget.refreshLimits()
  return keys.require(id)
}

async function setCap({ id }: KeyState, spendLimitUsd: number): Promise<void> {
  await keys.update(id, { spendLimitUsd })
  await budget.refreshLimits()
}

const by = (key: KeyState): Subject => ({ key, models: [], sessionId: null, agentId: null, tag: null })

/** Ends a request at its cost, as the ledger does. */
function settle(reservation: Reservation, cost: number): void {
  const { key } = reservation.subject
  key.spendNano = addUsd(key.spendNano, usd(cost))
  account.counters.charge(usd(cost), Date.now(), { keyId: key.id, model: '', provider: '', tag: null })
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
  /** Reserves for a stream, whose end is in `ended`. */
  const stream = async (key: KeyState, min: number, max = min) => {
    const ended: LimitReached[] = []
    const end = (reason: LimitReached) => void ended.push(reason)
    const reservation = await budget.reserve(by(key), { min: usd(min), max: usd(max), end }, never)
    return Object.assign(reservation, { ended })
  }

  it('is topped up while budget is left, and gets what is left where that is less', async () => {
    const key = await keyWithCap(1)
    const only = await stream(key, 0.1)
    expect(budget.extend(only, need(0.1, 0.3))).toBe(usd(0.4))
    expect(key.reservedNano).toBe(usd(0.4))
    expect(budget.extend(only, need(0.4, 0.9))).toBe(usd(1))
    expect(key.reservedNano).toBe(usd(1))
  })

  it('may use what is left if it is the last one, and is ended at the cap', async () => {
    const key = await keyWithCap(1)
    const only = await stream(key, 0.1)
    expect(budget.extend(only, need(0.995, 0.3))).toBe(usd(1))
    expect(budget.extend(only, need(1.001, 0.3))).toBeNull()
    expect(only.ended).toMatchObject([{ code: 'spend_limit_reached' }])
    expect([only.amount, key.reservedNano]).toEqual([usd(1.001), usd(1.001)])
  })

  it('ends the youngest when its next part does not fit, whose reserve is free immediately', async () => {
    const key = await keyWithCap(1)
    const [oldest, older, youngest] = [
      await stream(key, 0.1, 0.4),
      await stream(key, 0.1, 0.3),
      await stream(key, 0.1, 0.3),
    ]
    budget.book(youngest, usd(0.2))
    expect(budget.extend(oldest, need(0.4, 0.3))).toBe(usd(0.5))
    expect([older.ended.length, youngest.ended.length]).toEqual([0, 1])
    expect(youngest.amount).toBe(usd(0.2))
    // Now it is the youngest itself.
    expect(budget.extend(older, need(0.295, 0.3))).toBeNull()
    expect(older.ended).toHaveLength(1)
    settle(youngest, 0.2)
    expect(budget.extend(oldest, need(0.5, 0.3))).toBe(usd(0.505))
  })

  it('books what comes after it was ended', async () => {
    const key = await keyWithCap(1)
    const only = await stream(key, 0.1)
    budget.extend(only, need(1, 0.3))
    budget.book(only, usd(1.2))
    expect(key.reservedNano).toBe(usd(1.2))
  })

  it('waits before it is sent until its prompt fits next to other streams, and alone may pass the cap with it', async () => {
    const key = await keyWithCap(1)
    const first = await stream(key, 0.6)
    const waiting = stream(key, 0.6)
    expect(await getState(waiting)).toBe('waiting')
    settle(first, 0.6)
    expect(await waiting).toMatchObject({ amount: usd(0.6) })
  })

  it('may pass the cap by the largest plain call, and not by a second one', async () => {
    const key = await keyWithCap(1)
    const only = await stream(key, 0.1)
    await budget.reserve(by(key), exactly(0.2), never)
    await budget.reserve(by(key), exactly(5), never)
    expect(budget.extend(only, need(0.6, 0.1))).toBe(usd(0.7))
    expect(budget.extend(only, need(0.7, 0.1))).toBe(usd(0.8))
    expect(budget.extend(only, need(0.8, 0.1))).toBeNull()
  })

  it('that may have a longer prompt than is likely goes on only alone', async () => {
    const key = await keyWithCap(1)
    const other = await stream(key, 0.3)
    const external = await stream(key, 0.6)
    expect(budget.extend(external, need(0.65, 0.1, 0.1))).toBe(usd(0.7))
    settle(other, 0.3)
    expect(budget.extend(external, need(0.9, 0.1, 0.35))).toBe(usd(0.7))
    expect(budget.extend(external, need(1, 0.1, 0.7))).toBeNull()
  })

  it('has what a raised cap allows, and is ended when it is lowered below what it has booked', async () => {
    const key = await keyWithCap(1)
    const only = await stream(key, 0.3)
    await setCap(key, 2)
    expect(budget.extend(only, need(1.1, 0.3))).toBe(usd(1.4))
    await setCap(key, 1)
    expect(budget.extend(only, need(1.2, 0.3))).toBeNull()
  })

  it("is also subject to the account's monthly limit", async () => {
    await account.update({ monthlyLimitUsd: 1 })
    await budget.refreshLimits()
    const { id } = await keys.create({ name: 'free', scope: 'full' })
    const only = await stream(keys.require(id), 0.1)
    expect(budget.extend(only, need(1, 0.1))).toBeNull()
    expect(only.ended).toMatchObject([{ code: 'account_limit_reached' }])
  })

  it('that runs when a limit that asks is reached may finish', async () => {
    const spendLimits = [{ usd: 1, per: 'day' as const, action: 'ask' as const }]
    const { id } = await keys.create({ name: 'asks', scope: 'full', spendLimits })
    await budget.refreshLimits()
    const only = await stream(keys.require(id), 0.1)
    expect(budget.extend(only, need(3, 0.5))).toBe(usd(3.5))
  })
})

it('no limit is passed by more than one request and a batch of each stream, whatever happens', async () => {
  const BATCH = 0.04
  const amount = (most: number) => fc.integer({ min: 1, max: most * 100 }).map((cents) => cents / 100)
  const step = fc.oneof(
    { weight: 2, arbitrary: fc.record({ do: fc.constant('stream' as const), usd: amount(0.3) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('plain' as const), usd: amount(0.5) }) },
    {
      weight: 12,
      arbitrary: fc.record({ do: fc.constant('batch' as const), of: fc.nat(), usd: amount(BATCH) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('settle' as const),
        of: fc.nat(),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
    },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 100, maxLength: 300 }),
      fc.boolean(),
      async (steps, isStrict) => {
        const created = await keys.create({ name: 'a', scope: 'full', spendLimitUsd: 1, strict: isStrict })
        const key = keys.require(created.id)
        const watch = new LimitWatch(budget)
        const running: Reservation[] = []
        const admit = (amounts: Amounts) => {
          try {
            const reservation = budget.tryReserve(by(key), amounts)
            if (reservation) running.push(reservation)
          } catch {
            // It is refused.
          }
        }
        for (const each of steps) {
          const at = 'of' in each ? each.of % Math.max(1, running.length) : 0
          const chosen = running[at]
          if (each.do === 'plain' || isStrict) admit(exactly('usd' in each ? each.usd : 0.01))
          else if (each.do === 'stream')
            admit({ min: usd(each.usd), max: usd(each.usd + 0.2), end: () => undefined })
          if (each.do === 'batch' && chosen?.end && !chosen.isEnded) {
            const booked = addUsd(chosen.booked, usd(each.usd))
            budget.extend(chosen, {
              target: addUsd(booked, usd(0.1)),
              booked,
              likely: booked,
              least: usd(BATCH),
            })
          }
          const isOver = chosen && (each.do === 'settle' || chosen.isEnded)
          if (isOver) {
            const share = each.do === 'settle' ? each.share : 1
            settle(chosen, nanoToUsd(chosen.end ? chosen.booked : nanoUsd(Math.round(chosen.amount * share))))
            running.splice(at, 1)
          }
          expect(watch.check(usd(BATCH))).toEqual([])
        }
        for (const reservation of running) settle(reservation, nanoToUsd(reservation.booked))
      },
    ),
    { numRuns: 200 },
  )
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
    await vi.advanceTimersByTimeAsync(30_000)
    for (const end of await Promise.all(waiting))
      expect(end).toMatchObject({ status: 429, body: { code: 'spend_reserved' } })
    for (const reservation of admitted) settle(reservation, 1)
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
    const reserve = (amount: number) =>
      budget.reserve(by(key), { ...exactly(amount), end: () => undefined }, never)
    const reserved = () => keys.view(key).spendLimits[0]?.reservedUsd
    const streams = [await reserve(0.1), await reserve(0.1), await reserve(0.1)]
    now = MIDNIGHT
    expect(reserved()).toBe(0)
    const [first, second, third] = streams
    if (!first || !second || !third) throw new Error('not admitted')
    expect(budget.extend(first, need(0.1, 0.6))).toBe(usd(0.7))
    expect(budget.extend(second, need(0.1, 0.6))).toBe(usd(0.5))
    // Nothing is left for a third one, nor for a new request.
    expect(reserved()).toBe(1)
    expect(budget.extend(third, need(0.1, 0.1))).toBeNull()
    expect(budget.tryReserve(by(key), exactly(0.1))).toBeNull()
    for (const stream of streams) budget.release(stream)
    expect(reserved()).toBe(0)
    const next = await reserve(0.4)
    expect(reserved()).toBe(0.4)
    budget.release(next)
    expect([reserved(), key.reservedNano]).toEqual([0, 0])
  })
})
