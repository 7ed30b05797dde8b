import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type NanoUsd, nanoUsd, ZERO_USD } from '../../shared/money/money.ts'
import { ApiKeys } from '../keys/api-keys.ts'
import type { KeyState } from '../keys/key-state.ts'
import { EventHub } from '../platform/events.ts'
import { silentLog } from '../platform/log.ts'
import { Settings } from '../settings/settings.ts'
import { openStore, type Store } from '../store/store.ts'
import { AccountService } from './account.ts'
import { Budget } from './budget.ts'
import { LimitsByOwner } from './limit.ts'
import { SpendLimits } from './spend-limits.ts'

const never = new AbortController().signal
const usd = (amount: number): NanoUsd => nanoUsd(Math.round(amount * 1e9))
const MIDNIGHT = Date.parse('2026-11-23T00:00:00Z')

let now = MIDNIGHT - 1_000
let dataDir: string
let store: Store
let keys: ApiKeys
let key: KeyState
let budget: Budget

beforeEach(async () => {
  now = MIDNIGHT - 1_000
  const clock = { now: () => now, monotonic: () => performance.now() }
  dataDir = mkdtempSync(join(tmpdir(), 'tollgate-period-'))
  store = await openStore({ dataDir, log: silentLog })
  const events = new EventHub()
  const limits = new LimitsByOwner()
  keys = new ApiKeys({ store, clock, events, limits }, [])
  const settings = new Settings(store, {})
  const account = new AccountService({ store, clock, events, settings, limits }, ZERO_USD)
  await account.counters.recount('UTC')
  budget = new Budget(new SpendLimits({ account, keys, store, limits }))
  const { id } = await keys.create({ name: 'a', scope: 'full', spendLimits: [{ usd: 1, per: 'day' }] })
  key = keys.require(id)
  await budget.refreshLimits()
})

afterEach(async () => {
  keys.close()
  await store.close()
  rmSync(dataDir, { recursive: true })
})

const subject = () => ({ key, models: [], sessionId: null, tag: null })
const reserve = (amount: number) => budget.reserve(subject(), { min: usd(amount), max: usd(amount) }, never)
const reserved = () => keys.view(key).spendLimits[0]?.reservedUsd

it('streams that go on after the end of a period share one limit for what they still consume', async () => {
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
  expect(budget.tryReserve(subject(), { min: usd(0.1), max: usd(0.1) })).toBeNull()
  for (const stream of streams) budget.release(stream)
  expect(reserved()).toBe(0)
  const next = await reserve(0.4)
  expect(reserved()).toBe(0.4)
  budget.release(next)
  expect([reserved(), key.reservedNano]).toEqual([0, 0])
})
