import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../platform/clock.ts'
import { EventHub } from '../platform/events.ts'
import { tempStore } from '../store/testing/temp-store.ts'
import { createFailingStore } from '../testing/failing-store.ts'
import { ApiKeys, RecentSecrets } from './api-keys.ts'

async function createKeys(retryMs = 60_000) {
  const failing = createFailingStore(await tempStore())
  const deps = {
    store: failing.store,
    clock: systemClock,
    events: new EventHub(),
    limits: { find: () => ({ states: () => [] }) },
    retryMs,
  }
  const keys = new ApiKeys(deps, [])
  onTestFinished(() => keys.close())
  const { id, secret } = await keys.create({ name: 'one', scope: 'full' })
  const stored = async () => {
    const { keys: rows } = await failing.store.read('loadState')
    return rows.find((row) => row.id === id)
  }
  return { ...failing, keys, id, secret, stored }
}

test('a revocation that cannot be written is reported as a failure, but still takes effect in memory', async () => {
  const { keys, id, secret, stored, fail } = await createKeys()
  fail()
  await expect(keys.revoke(id)).rejects.toMatchObject({
    status: 503,
    body: { code: 'ledger_unavailable', message: expect.stringContaining('refused from now on') },
  })
  expect(keys.findBySecret(secret)?.revokedAt).toEqual(expect.any(Number))
  expect((await stored())?.revokedAt).toBeNull()
})

test('of a secret only its last four characters are stored, and the playground has none', async () => {
  const { keys, id, secret, stored } = await createKeys()
  expect((await stored())?.secretHint).toBe(secret.slice(-4))
  expect(keys.list()).toMatchObject([{ id, purpose: 'user', secretHint: secret.slice(-4) }])
  await keys.playground()
  expect(keys.list().find(({ purpose }) => purpose === 'playground')).toMatchObject({ secretHint: null })
})

test('a key whose secret was used a moment ago is found as revoked immediately', async () => {
  const { keys, id, secret } = await createKeys()
  expect(keys.findBySecret(secret)).toMatchObject({ id, revokedAt: null })
  const revoked = keys.revoke(id)
  expect(keys.findBySecret(secret)?.revokedAt).toEqual(expect.any(Number))
  await revoked
})

test('repeating a revocation succeeds only once it is durable', async () => {
  const { keys, id, stored, fail, recover } = await createKeys()
  fail()
  await expect(keys.revoke(id)).rejects.toMatchObject({ status: 503 })
  await expect(keys.revoke(id)).rejects.toMatchObject({ status: 503 })
  recover()
  const { revokedAt } = await keys.revoke(id)
  expect(new Date((await stored())?.revokedAt ?? 0).toISOString()).toBe(revokedAt)
})

test('concurrent revocations both wait until the revocation is durable', async () => {
  const { keys, id, fail } = await createKeys()
  fail()
  const both = await Promise.allSettled([keys.revoke(id), keys.revoke(id)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('a failed write of a revocation is retried until it succeeds', async () => {
  const { keys, id, stored, fail, recover, written } = await createKeys(1)
  fail()
  await expect(keys.revoke(id)).rejects.toMatchObject({ status: 503 })
  await written('revokeKey')
  recover()
  await expect.poll(async () => (await stored())?.revokedAt).toEqual(expect.any(Number))
})

test('a failed write of a revocation is retried once more before the store closes', async () => {
  const { keys, id, stored, fail, recover } = await createKeys()
  fail()
  await expect(keys.revoke(id)).rejects.toMatchObject({ status: 503 })
  recover()
  await keys.flush()
  expect((await stored())?.revokedAt).toEqual(expect.any(Number))
})

test('a change that cannot be written has no effect', async () => {
  const { keys, id, fail, recover } = await createKeys()
  fail()
  await expect(keys.update(id, { spendLimitUsd: 5, name: 'two' })).rejects.toMatchObject({ code: 'full' })
  expect(keys.require(id)).toMatchObject({ spendLimits: [], name: 'one' })
  await expect(keys.create({ name: 'three', scope: 'full' })).rejects.toMatchObject({ code: 'full' })
  expect(keys.list().map(({ name }) => name)).toEqual(['one'])
  recover()
  expect(await keys.update(id, { spendLimitUsd: 5 })).toMatchObject({ spendLimitUsd: 5 })
})

test('changes of the cap and of other limits at the same time are both made', async () => {
  const { keys, id } = await createKeys()
  const daily = { usd: 1, per: 'day' as const }
  await Promise.all([keys.update(id, { spendLimitUsd: 5 }), keys.update(id, { spendLimits: [daily] })])
  expect(keys.require(id).spendLimits).toEqual([{ usd: 5, per: 'lifetime' }, daily])
})

test('a change during a revocation is rejected', async () => {
  const { keys, id } = await createKeys()
  const revoked = keys.revoke(id)
  await expect(keys.update(id, { name: 'two' })).rejects.toMatchObject({ status: 400 })
  await revoked
  expect(keys.require(id).name).toBe('one')
})

test('a last-used time that cannot be written is written with the next one', async () => {
  const { keys, id, stored, fail, recover } = await createKeys()
  keys.touch(keys.require(id))
  fail()
  await keys.flush()
  recover()
  await keys.flush()
  expect((await stored())?.lastUsedAt).toEqual(keys.require(id).lastUsedAt)
})

afterEach(() => void vi.useRealTimers())

test('secrets are forgotten after a minute', () => {
  vi.useFakeTimers()
  const recent = new RecentSecrets<number>(systemClock)
  recent.add('a', 1)
  vi.advanceTimersByTime(59_999)
  recent.add('b', 2)
  expect([recent.get('a'), recent.get('b')]).toEqual([1, 2])
  vi.advanceTimersByTime(1)
  expect([recent.get('a'), recent.get('b')]).toEqual([undefined, undefined])
  recent.add('a', 3)
  expect(recent.get('a')).toBe(3)
})

test('at most 1,000 secrets are remembered', () => {
  const recent = new RecentSecrets<number>(systemClock)
  for (let i = 0; i <= 1_000; i++) recent.add(`s${i}`, i)
  const remembered = Array.from({ length: 1_001 }, (_, i) => recent.get(`s${i}`))
  expect(remembered.filter((key) => key !== undefined)).toEqual([1_000])
  recent.clear()
})
