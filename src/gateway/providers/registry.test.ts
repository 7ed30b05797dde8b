import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../platform/clock.ts'
import { EventHub } from '../platform/events.ts'
import { silentLog } from '../platform/log.ts'
import { connectAnd } from '../store/connection.ts'
import { databasePath } from '../store/files.ts'
import type { StoredProvider } from '../store/store.ts'
import { temporary } from '../store/testing/samples.ts'
import { createFailingStore } from '../testing/failing-store.ts'
import { createMemoryCredentials, startTestGateway } from '../testing/gateway.ts'
import { CircuitBreakers } from '../upstream/circuit-breaker.ts'
import { startTestUpstream, testCompletion } from '../upstream/testing/test-upstream.ts'
import { type CredentialStore, CredentialStoreError } from './credential-store.ts'
import { Credentials } from './credentials.ts'
import { ProviderRegistry } from './registry.ts'

const { tempStore, tempDir } = temporary(onTestFinished)

/** A credential store that waits at every `set` until it is let go. */
function slowCredentials() {
  const inner = createMemoryCredentials()
  const waiting: (() => void)[] = []
  const store: CredentialStore = {
    ...inner,
    async set(account, secret) {
      await new Promise<void>((resolve) => waiting.push(resolve))
      await inner.set(account, secret)
    },
  }
  return { store, waiting }
}

async function book(credentials = createMemoryCredentials(), rows: StoredProvider[] = []) {
  const failing = createFailingStore(await tempStore())
  const events = new EventHub()
  const secrets = new Credentials(credentials, 'home', systemClock)
  const breakers = new CircuitBreakers(systemClock, () => {})
  const providers = new ProviderRegistry(
    { store: failing.store, clock: systemClock, credentials: secrets, breakers, events },
    rows,
    0,
  )
  const stored = async () => (await failing.store.read('loadState')).providers
  return { ...failing, providers, stored }
}

const ACME = 'acme'
const acme = { apiFormat: 'openai-chat', baseUrl: 'https://acme.test/v1' } as const

test('a change that waits for the keychain does not undo one that was asked for meanwhile', async () => {
  const { store, waiting } = slowCredentials()
  const { providers, stored } = await book(store)
  await providers.put('acme', acme)
  const first = providers.put('acme', { credential: 'one' })
  const second = providers.put('acme', { enabled: false })
  await expect.poll(() => waiting.length).toBe(1)
  waiting[0]?.()
  await Promise.all([first, second])
  expect(providers.require(ACME)).toMatchObject({ enabled: false, credentialCount: 1 })
  expect(await stored()).toMatchObject([{ enabled: false, credentialCount: 1 }])
})

test('a provider that cannot be written keeps its row and its credentials', async () => {
  const { providers, fail } = await book()
  await providers.put('acme', { ...acme, credential: 'one', headers: { 'X-Api-Key': 'k1' } })
  fail()
  const change = providers.put('acme', { credentials: ['two', 'three'], headers: {}, priority: 5 })
  await expect(change).rejects.toMatchObject({ code: 'full' })
  await expect(providers.remove('acme')).rejects.toMatchObject({ code: 'full' })
  await expect(providers.put('new', { ...acme, credential: 'x' })).rejects.toMatchObject({ code: 'full' })
  expect(providers.isConfigured('new')).toBe(false)
  expect(providers.require(ACME)).toMatchObject({ credentialCount: 1, priority: 100 })
  expect(await providers.credential('acme', 0)).toBe('one')
  const target = providers.endpoint('acme')
  expect(target.headers).toEqual({ 'X-Api-Key': 'k1' })
})

test('a secret header is in the target once the credential was asked for, also after a restart', async () => {
  const kept = createMemoryCredentials()
  const { providers, stored } = await book(kept)
  const headers = {
    'X-Api-Key': 'canary-1',
    Cookie: 'canary-2',
    'X-Custom': 'Bearer canary-3',
    'X-Team': 'blue',
  }
  await providers.put('acme', { ...acme, headers })
  const rows = await stored()
  expect(rows).toMatchObject([
    { headers: { 'X-Team': 'blue' }, secretHeaders: ['X-Api-Key', 'Cookie', 'X-Custom'] },
  ])
  expect(JSON.stringify(rows)).not.toContain('canary')
  expect(providers.record('acme', () => 0).headerNames.sort()).toEqual(Object.keys(headers).sort())
  const again = await book(kept, rows)
  const target = again.providers.endpoint('acme')
  expect(await again.providers.credential('acme', 0)).toBeNull()
  expect(target.headers).toEqual(headers)
})

test('a secret header that a locked keychain keeps back is a failure, never a call without it', async () => {
  const kept = createMemoryCredentials()
  const { providers, stored } = await book(kept)
  await providers.put('acme', { ...acme, headers: { 'X-Api-Key': 'k' } })
  const locked = { ...kept, get: async () => null }
  const again = await book(locked, await stored())
  await expect(again.providers.credential('acme', 0)).rejects.toThrow(/not in the keychain/)
})

test('a change of headers holds for targets made after it, and others keep what they were made with', async () => {
  const { providers } = await book()
  const target = () => providers.endpoint(ACME)
  await providers.put(ACME, { ...acme, headers: { 'X-Api-Key': 'old', 'X-Team': 'blue' } })
  const before = target()
  await providers.credential(ACME, 0)
  await providers.put(ACME, { headers: { 'X-Api-Key': 'new' } })
  await providers.credential(ACME, 0)
  expect(before.headers).toEqual({ 'X-Api-Key': 'old', 'X-Team': 'blue' })
  expect(target().headers).toEqual({ 'X-Api-Key': 'new' })
  await providers.put(ACME, { headers: {} })
  await providers.credential(ACME, 0)
  expect(target().headers).toEqual({})
})

test('secret headers together are at most what a keychain holds in one entry', async () => {
  const { providers } = await book()
  const change = providers.put('acme', { ...acme, headers: { 'X-Api-Key': 'x'.repeat(2560) } })
  await expect(change).rejects.toMatchObject({ status: 400, body: { param: 'headers' } })
  expect(providers.isConfigured('acme')).toBe(false)
})

test('where credentials come from the environment, a secret header is refused and others are kept', async () => {
  const env: CredentialStore = { ...createMemoryCredentials(), kind: 'env' }
  const { providers } = await book(env)
  await providers.put('acme', { ...acme, headers: { 'X-Team': 'blue' } })
  await expect(providers.put('acme', { headers: { Authorization: 'Bearer x' } })).rejects.toMatchObject({
    status: 400,
    body: { param: 'headers', message: expect.stringContaining('environment') },
  })
})

test('values that an earlier version kept in the database are moved to the keychain, and tried again later', async () => {
  const old = {
    ...(await oldRow()),
    headers: { 'X-Api-Key': 'canary', 'X-Team': 'blue' },
  }
  const kept = createMemoryCredentials()
  const locked: CredentialStore = {
    ...kept,
    set: async () => {
      throw new CredentialStoreError('The keychain is locked.')
    },
  }
  const warnings: string[] = []
  const log = { ...silentLog, warn: (line: string) => void warnings.push(line) }
  const first = await book(locked, [old])
  await first.providers.moveSecretHeaders(log)
  expect(first.providers.require(ACME).headers).toEqual(old.headers)
  expect(warnings).toEqual([expect.stringContaining('The keychain is locked.')])
  const second = await book(kept, [old])
  await second.providers.moveSecretHeaders(log)
  expect(await second.stored()).toMatchObject([
    { headers: { 'X-Team': 'blue' }, secretHeaders: ['X-Api-Key'] },
  ])
  await second.providers.credential('acme', 0)
  const target = second.providers.endpoint('acme')
  expect(target.headers).toEqual(old.headers)
})

async function oldRow(): Promise<StoredProvider> {
  const { providers } = await book()
  await providers.put('acme', acme)
  return providers.require(ACME)
}

test('a removed provider leaves no secret behind', async () => {
  const secrets = new Map<string, string>()
  const store: CredentialStore = {
    kind: 'memory',
    get: async (account) => secrets.get(account) ?? null,
    set: async (account, secret) => void secrets.set(account, secret),
    delete: async (account) => void secrets.delete(account),
  }
  const { providers } = await book(store)
  await providers.put('acme', { ...acme, credentials: ['a', 'b'], headers: { 'X-Api-Key': 'k' } })
  expect(secrets.size).toBe(3)
  await providers.remove('acme')
  expect([...secrets]).toEqual([])
})

test('over HTTP: a secret header reaches the provider, and neither answers nor the database', async () => {
  const dataDir = tempDir()
  const upstream = await startTestUpstream((exchange) => exchange.reply(200, testCompletion('hi')))
  const tollgate = await startTestGateway({ dataDir })
  await tollgate.addProvider('acme', `${upstream.url}/v1`, ['m'], { headers: { 'X-Gate-Key': 'canary-42' } })
  expect((await tollgate.chat({ model: 'm' })).status).toBe(200)
  expect(upstream.requests.at(-1)?.headers['x-gate-key']).toBe('canary-42')
  const listed = await tollgate.call('GET', '/v1/providers')
  expect(listed.text).not.toContain('canary-42')
  expect(listed.json.data.find(({ id }: { id: string }) => id === 'acme').headerNames).toEqual(['X-Gate-Key'])
  await tollgate.close()
  await upstream.close()
  const rows = connectAnd(databasePath(dataDir), (db) => db.prepare('SELECT * FROM providers').all())
  expect(JSON.stringify(rows)).toContain('X-Gate-Key')
  expect(JSON.stringify(rows)).not.toContain('canary-42')
})

test('a credential over plain http leaves the local network only where that is asked for', async () => {
  const { providers } = await book()
  const put = (patch: Parameters<ProviderRegistry['put']>[1]) =>
    providers.put('acme', { apiFormat: 'openai-chat', ...patch })
  const far = 'http://192.0.2.1/v1'
  const refused = { status: 400, body: { param: 'baseUrl', code: 'insecure_http' } }
  await expect(put({ baseUrl: far, credential: 'c' })).rejects.toMatchObject(refused)
  await expect(put({ baseUrl: far, headers: { 'X-Api-Key': 'c' } })).rejects.toMatchObject(refused)
  expect(providers.isConfigured('acme')).toBe(false)
  await put({ baseUrl: far })
  await expect(put({ credential: 'c' })).rejects.toMatchObject(refused)
  for (const baseUrl of [
    'http://127.0.0.1:1/v1',
    'http://0x7f.1/v1',
    'http://gpu-box:8000/v1',
    'http://192.168.0.9/v1',
  ])
    await put({ baseUrl, credential: 'c' })
  await expect(put({ baseUrl: far })).rejects.toMatchObject(refused)
  await put({ baseUrl: far, allowInsecureHttp: true })
  await put({ priority: 7 })
  expect(providers.require(ACME)).toMatchObject({ baseUrl: far, priority: 7 })
})
