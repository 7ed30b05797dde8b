import { expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { EventHub } from '../../platform/events.ts'
import { silentLog } from '../../platform/log.ts'
import { withConnection } from '../../store/engine/connection.ts'
import { databasePath } from '../../store/engine/files.ts'
import type { StoredProvider } from '../../store/store.ts'
import { tempDir, tempStore } from '../../store/testing/temp-store.ts'
import { createFailingStore } from '../../testing/failing-store.ts'
import { createMemoryCredentials, startTestGateway } from '../../testing/gateway.ts'
import { forTest } from '../../testing/lifetime.ts'
import { CircuitBreakers } from '../../upstream/circuit-breaker.ts'
import { startTestUpstream, testCompletion } from '../../upstream/testing/test-upstream.ts'
import { type CredentialStore, CredentialStoreError } from './credential-store.ts'
import { Credentials } from './credentials.ts'
import { ProviderRegistry } from './registry.ts'

/** A credential store where every `set` waits until it is released. */
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

async function createRegistry(credentials = createMemoryCredentials(), rows: StoredProvider[] = []) {
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

test('a change that waits for the keychain does not undo one made in the meantime', async () => {
  const { store, waiting } = slowCredentials()
  const { providers, stored } = await createRegistry(store)
  await providers.put('acme', acme)
  const first = providers.put('acme', { credential: 'one' })
  const second = providers.put('acme', { enabled: false })
  await expect.poll(() => waiting.length).toBe(1)
  waiting[0]?.()
  await Promise.all([first, second])
  expect(providers.require(ACME)).toMatchObject({ enabled: false, credentialCount: 1 })
  expect(await stored()).toMatchObject([{ enabled: false, credentialCount: 1 }])
})

test('a failed write leaves a provider’s row and credentials unchanged', async () => {
  const { providers, fail } = await createRegistry()
  await providers.put('acme', { ...acme, credential: 'one', headers: { 'X-Api-Key': 'k1' } })
  fail()
  const change = providers.put('acme', { credentials: ['two', 'three'], headers: {}, priority: 5 })
  await expect(change).rejects.toMatchObject({ code: 'full' })
  await expect(providers.remove('acme')).rejects.toMatchObject({ code: 'full' })
  await expect(providers.put('new', { ...acme, credential: 'x' })).rejects.toMatchObject({ code: 'full' })
  expect(providers.isConfigured('new')).toBe(false)
  expect(providers.require(ACME)).toMatchObject({ credentialCount: 1, priority: 100 })
  expect(await providers.credential('acme', 0)).toBe('one')
  const endpoint = providers.endpoint('acme')
  expect(endpoint.headers).toEqual({ 'X-Api-Key': 'k1' })
})

test('a secret header is in the endpoint once the credential has been read, also after a restart', async () => {
  const storedSecrets = createMemoryCredentials()
  const { providers, stored } = await createRegistry(storedSecrets)
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
  const again = await createRegistry(storedSecrets, rows)
  const endpoint = again.providers.endpoint('acme')
  expect(await again.providers.credential('acme', 0)).toBeNull()
  expect(endpoint.headers).toEqual(headers)
})

test('a secret header in a locked keychain is a failure, never a call without the header', async () => {
  const storedSecrets = createMemoryCredentials()
  const { providers, stored } = await createRegistry(storedSecrets)
  await providers.put('acme', { ...acme, headers: { 'X-Api-Key': 'k' } })
  const locked = { ...storedSecrets, get: async () => null }
  const again = await createRegistry(locked, await stored())
  await expect(again.providers.credential('acme', 0)).rejects.toThrow(/not in the keychain/)
})

test('a change of headers applies to endpoints created after it, and not to earlier ones', async () => {
  const { providers } = await createRegistry()
  const endpoint = () => providers.endpoint(ACME)
  await providers.put(ACME, { ...acme, headers: { 'X-Api-Key': 'old', 'X-Team': 'blue' } })
  const before = endpoint()
  await providers.credential(ACME, 0)
  await providers.put(ACME, { headers: { 'X-Api-Key': 'new' } })
  await providers.credential(ACME, 0)
  expect(before.headers).toEqual({ 'X-Api-Key': 'old', 'X-Team': 'blue' })
  expect(endpoint().headers).toEqual({ 'X-Api-Key': 'new' })
  await providers.put(ACME, { headers: {} })
  await providers.credential(ACME, 0)
  expect(endpoint().headers).toEqual({})
})

test('secret headers together must fit in one keychain entry', async () => {
  const { providers } = await createRegistry()
  const change = providers.put('acme', { ...acme, headers: { 'X-Api-Key': 'x'.repeat(2560) } })
  await expect(change).rejects.toMatchObject({ status: 400, body: { param: 'headers' } })
  expect(providers.isConfigured('acme')).toBe(false)
})

test('when credentials come from the environment, a secret header is rejected and others are stored', async () => {
  const env: CredentialStore = { ...createMemoryCredentials(), kind: 'env' }
  const { providers } = await createRegistry(env)
  await providers.put('acme', { ...acme, headers: { 'X-Team': 'blue' } })
  await expect(providers.put('acme', { headers: { Authorization: 'Bearer x' } })).rejects.toMatchObject({
    status: 400,
    body: { param: 'headers', message: expect.stringContaining('environment') },
  })
})

test('values that an earlier version stored in the database are moved to the keychain, at a later start if it is locked', async () => {
  const old = { ...(await oldRow()), headers: { 'X-Api-Key': 'canary', 'X-Team': 'blue' } }
  const storedSecrets = createMemoryCredentials()
  const locked: CredentialStore = {
    ...storedSecrets,
    set: async () => {
      throw new CredentialStoreError('The keychain is locked.')
    },
  }
  const warnings: string[] = []
  const log = { ...silentLog, warn: (line: string) => void warnings.push(line) }
  const first = await createRegistry(locked, [old])
  await first.providers.moveSecretHeaders(log)
  expect(first.providers.require(ACME).headers).toEqual(old.headers)
  expect(warnings).toEqual([expect.stringContaining('The keychain is locked.')])
  const second = await createRegistry(storedSecrets, [old])
  await second.providers.moveSecretHeaders(log)
  expect(await second.stored()).toMatchObject([
    { headers: { 'X-Team': 'blue' }, secretHeaders: ['X-Api-Key'] },
  ])
  await second.providers.credential('acme', 0)
  const endpoint = second.providers.endpoint('acme')
  expect(endpoint.headers).toEqual(old.headers)
})

async function oldRow(): Promise<StoredProvider> {
  const { providers } = await createRegistry()
  await providers.put('acme', acme)
  return providers.require(ACME)
}

test('removing a provider deletes its secrets', async () => {
  const secrets = new Map<string, string>()
  const store: CredentialStore = {
    kind: 'memory',
    get: async (account) => secrets.get(account) ?? null,
    set: async (account, secret) => void secrets.set(account, secret),
    delete: async (account) => void secrets.delete(account),
  }
  const { providers } = await createRegistry(store)
  await providers.put('acme', { ...acme, credentials: ['a', 'b'], headers: { 'X-Api-Key': 'k' } })
  expect(secrets.size).toBe(3)
  await providers.remove('acme')
  expect([...secrets]).toEqual([])
})

test('over HTTP: a secret header reaches the provider, but neither responses nor the database', async () => {
  const dataDir = tempDir()
  const upstream = await forTest(startTestUpstream((exchange) => exchange.reply(200, testCompletion('hi'))))
  const tollgate = await startTestGateway({ dataDir })
  await tollgate.addProvider('acme', `${upstream.url}/v1`, ['m'], { headers: { 'X-Gate-Key': 'canary-42' } })
  expect((await tollgate.chat({ model: 'm' })).status).toBe(200)
  expect(upstream.requests.at(-1)?.headers['x-gate-key']).toBe('canary-42')
  const listed = await tollgate.call('GET', '/v1/providers')
  expect(listed.text).not.toContain('canary-42')
  expect(listed.json.data.find(({ id }: { id: string }) => id === 'acme').headerNames).toEqual(['X-Gate-Key'])
  await tollgate.close()
  const rows = withConnection(databasePath(dataDir), (db) => db.prepare('SELECT * FROM providers').all())
  expect(JSON.stringify(rows)).toContain('X-Gate-Key')
  expect(JSON.stringify(rows)).not.toContain('canary-42')
})

test('a credential is sent over plain http outside the local network only if the user allows it', async () => {
  const { providers } = await createRegistry()
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
