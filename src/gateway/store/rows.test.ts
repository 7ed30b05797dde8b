import { describe, expect, test } from 'vitest'
import { NO_KEY_OPTIONS } from '../../shared/api/key-options.ts'
import { NOON, openTestStore, sampleKey } from './testing/samples.ts'
import { newDataDir, storeWithKeys, tempStore } from './testing/temp-store.ts'

/** The cap is stored among the limits. */
const { spendLimitUsd: _cap, ...NO_STORED_OPTIONS } = NO_KEY_OPTIONS

describe('keys', () => {
  test('are updated by a patch, but not after they were revoked', async () => {
    const store = await storeWithKeys('key_a')
    expect(await store.write('updateKey', { id: 'key_a', spendLimits: [], rpmLimit: 5 })).toMatchObject({
      name: 'Key key_a',
      spendLimits: [],
      rpmLimit: 5,
      tpmLimit: 1000,
    })
    expect(await store.write('updateKey', { id: 'key_a', storeBodies: false })).toMatchObject({
      storeBodies: false,
      rpmLimit: 5,
    })
    expect(await store.write('updateKey', { id: 'key_a', storeBodies: null })).toMatchObject({
      storeBodies: null,
    })
    expect(await store.write('revokeKey', { id: 'key_a', at: NOON })).toMatchObject({ revokedAt: NOON })
    expect(await store.write('revokeKey', { id: 'key_a', at: NOON + 9 })).toMatchObject({ revokedAt: NOON })
    expect(await store.write('updateKey', { id: 'key_a', name: 'new' })).toBeNull()
    expect(await store.write('revokeKey', { id: 'missing', at: NOON })).toBeNull()
  })

  test('never replace a last-used time by an older one', async () => {
    const store = await storeWithKeys('key_a')
    await store.write('touchKeys', [{ id: 'key_a', at: NOON }])
    await store.write('touchKeys', [{ id: 'key_a', at: NOON - 5 }])
    expect((await store.read('loadState')).keys[0]?.lastUsedAt).toBe(NOON)
  })

  test('are rejected as a conflict when the id or the secret exists', async () => {
    const store = await tempStore()
    const key = sampleKey('key_a')
    await store.write('insertKey', key)
    await expect(store.write('insertKey', { ...key, id: 'key_b' })).rejects.toMatchObject({
      code: 'conflict',
    })
    await expect(store.write('insertKey', sampleKey('key_a'))).rejects.toMatchObject({
      name: 'StoreError',
      code: 'conflict',
    })
  })
})

test('the whole state is loaded again after a restart', async () => {
  const dataDir = newDataDir()
  const first = await openTestStore({ dataDir })
  const initial = await first.read('loadState')
  expect(initial).toMatchObject({ isEmpty: true, keys: [], settings: {}, accountSpendNano: 0 })
  const provider = {
    id: 'mine',
    name: 'Mine',
    apiFormat: 'openai-chat' as const,
    baseUrl: 'http://127.0.0.1:1/v1',
    authorization: 'api-key' as const,
    enabled: null,
    priority: 3,
    connectTimeoutMs: 5_000,
    firstByteTimeoutMs: null,
    totalTimeoutMs: null,
    stallTimeoutMs: 500,
    network: 'system' as const,
    promptCache: false,
    webSocket: true,
    headers: { 'x-team': 'blue' },
    secretHeaders: ['x-team-key'],
    credentialCount: 2,
    credentialIds: ['a1', 'b2'],
    spreadSessions: true,
    modelsFetchedAt: null,
    createdAt: NOON,
  }
  const options = {
    tag: 'Website',
    spendLimits: [{ usd: 2, per: 'day' as const, model: 'small' }],
    strict: true,
    allowedModels: ['small', 'sandbox/*'],
    expiresAt: NOON + 1,
  }
  const key = { ...sampleKey('key_a'), ...options }
  await Promise.all([
    first.write('insertKey', key),
    first.write('putProvider', provider),
    first.write('putProvider', { ...provider, id: 'other', enabled: false }),
    first.write('replaceProviderModels', { providerId: 'mine', models: [{ id: 'old', info: {} }], at: 1 }),
    first.write('replaceProviderModels', {
      providerId: 'mine',
      models: [{ id: 'm', info: { a: 1 } }],
      at: NOON,
    }),
    first.write('replaceProviderModels', {
      providerId: 'other',
      models: [{ id: 'm', info: {} }],
      at: NOON,
    }),
    first.write('deleteProvider', 'other'),
    first.write('putModelOverride', { id: 'm', override: { fallbacks: ['n'] }, updatedAt: NOON }),
    first.write('putModelOverride', { id: 'gone', override: {}, updatedAt: NOON }),
    first.write('deleteModelOverride', 'gone'),
    first.write('putSettings', [
      { name: 'plan', value: 'bundle' },
      { name: 'retentionDays', value: null },
    ]),
  ])
  await first.close()

  const second = await openTestStore({ dataDir })
  expect(await second.read('loadState')).toEqual({
    installId: initial.installId,
    installedAt: initial.installedAt,
    isForeign: false,
    hasReceiptKey: false,
    isEmpty: false,
    keys: [
      {
        ...NO_STORED_OPTIONS,
        ...key,
        lastUsedAt: null,
        revokedAt: null,
        spendNano: 0,
      },
    ],
    providers: [{ ...provider, modelsFetchedAt: NOON }],
    providerModels: [{ providerId: 'mine', modelId: 'm', info: { a: 1 } }],
    modelOverrides: [{ id: 'm', override: { fallbacks: ['n'] }, updatedAt: NOON }],
    settings: { plan: 'bundle', retentionDays: null },
    accountSpendNano: 0,
  })
  await second.close()
})

describe('idempotency claims', () => {
  const claim = { id: 'idem', keyId: 'key_a', bodyHash: Uint8Array.of(1), createdAt: NOON }

  test('are granted once, answered with the stored answer, and available again when dropped', async () => {
    const store = await storeWithKeys('key_a')
    expect(await store.write('claimIdempotency', claim)).toEqual({ claimed: true })
    const sealed = new Uint8Array(100_000).fill(7)
    await store.write('finishIdempotency', { id: 'idem', status: 201, sealed })
    expect(await store.write('claimIdempotency', claim)).toMatchObject({
      claimed: false,
      existing: { state: 'done', status: 201, sealed },
    })
    expect(await store.write('finishIdempotency', { id: 'idem', status: 500, sealed })).toEqual({
      applied: false,
    })
    expect(await store.write('dropIdempotency', 'idem')).toEqual({ applied: true })
    expect(await store.write('claimIdempotency', claim)).toEqual({ claimed: true })
  })

  test('expire, except while their request is running', async () => {
    const store = await storeWithKeys('key_a')
    const late = { ...claim, createdAt: NOON + 10, expiredBefore: NOON + 1 }
    await store.write('claimIdempotency', claim)
    expect(await store.write('claimIdempotency', late)).toMatchObject({ claimed: false })
    expect(await store.write('sweepIdempotency', NOON + 1)).toEqual({ deleted: 0 })
    await store.write('finishIdempotency', { id: 'idem', status: 200, sealed: Uint8Array.of(1) })
    expect(await store.write('claimIdempotency', late)).toEqual({ claimed: true })
    await store.write('finishIdempotency', { id: 'idem', status: 200, sealed: Uint8Array.of(1) })
    expect(await store.write('sweepIdempotency', NOON + 10)).toEqual({ deleted: 0 })
    expect(await store.write('sweepIdempotency', NOON + 11)).toEqual({ deleted: 1 })
  })
})
