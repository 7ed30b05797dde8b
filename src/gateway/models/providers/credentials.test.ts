import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { startTestGateway, type TestGateway } from '../../testing/gateway.ts'
import { startTestUpstream, type TestUpstream, testCompletion } from '../../upstream/testing/test-upstream.ts'
import { type CredentialStore, CredentialStoreError } from './credential-store.ts'
import { Credentials } from './credentials.ts'

function storeOver(stored: Map<string, string>, refuses: (account: string) => boolean = () => false) {
  const readAccounts: string[] = []
  const store: CredentialStore = {
    kind: 'keychain',
    async get(account) {
      readAccounts.push(account)
      return stored.get(account) ?? null
    },
    async set(account, secret) {
      if (refuses(account)) throw new CredentialStoreError('The keychain is locked.')
      stored.set(account, secret)
    },
    async delete(account) {
      if (refuses(account)) throw new CredentialStoreError('The keychain is locked.')
      stored.delete(account)
    },
  }
  return { store, readAccounts }
}

describe('credentials of a provider', () => {
  test('are separate entries, each read once and only when needed', async () => {
    const stored = new Map<string, string>()
    await new Credentials(storeOver(stored).store, 'home', systemClock).replace('acme', ['one', 'two'], 0)
    expect([...stored]).toEqual([
      ['home/acme', 'one'],
      ['home/acme#2', 'two'],
    ])
    const { store, readAccounts } = storeOver(stored)
    const restarted = new Credentials(store, 'home', systemClock)
    expect(await restarted.read('acme', 1, 2)).toBe('two')
    expect(await restarted.read('acme', 1, 2)).toBe('two')
    expect(readAccounts).toEqual(['home/acme#2'])
    await restarted.replace('acme', ['three'], 2)
    expect([...stored]).toEqual([['home/acme', 'three']])
  })

  test('are apart from the key that signed receipts, which can be deleted', async () => {
    const stored = new Map([
      ['home/acme', 'one'],
      ['home/#receipts', 'key'],
    ])
    await new Credentials(storeOver(stored).store, 'home', systemClock).deleteReceiptKey()
    expect([...stored.keys()]).toEqual(['home/acme'])
  })

  test('stay as they were when a part of the change fails', async () => {
    const before = [
      ['home/acme', 'one'],
      ['home/acme#2', 'two'],
    ] as const
    const stored = new Map<string, string>(before)
    const credentials = new Credentials(
      storeOver(stored, (account) => account === 'home/acme#3').store,
      'home',
      systemClock,
    )
    const change = credentials.replace('acme', ['x', 'y', 'z'], 2)
    await expect(change).rejects.toMatchObject({ status: 503, message: 'The keychain is locked.' })
    expect([...stored]).toEqual(before)
    expect(await credentials.read('acme', 0, 2)).toBe('one')
  })

  test('a missing one is named by its number', async () => {
    const credentials = new Credentials(storeOver(new Map([['home/acme', 'one']])).store, 'home', systemClock)
    await expect(credentials.read('acme', 1, 2)).rejects.toThrow(/Credential 2 of 2 of acme/)
  })

  test('one that is cooling down comes last until the time is over', () => {
    let now = 0
    const clock = { now: () => now, monotonic: () => now }
    const credentials = new Credentials(storeOver(new Map()).store, 'home', clock)
    credentials.coolDown('acme', 0, 1_000)
    expect(credentials.order('acme', 3)).toEqual([1, 2, 0])
    now = 1_001
    expect(credentials.order('acme', 3)).toEqual([0, 1, 2])
  })
})

describe('over HTTP', () => {
  const closing: { close(): Promise<void> }[] = []
  afterEach(async () => {
    for (const each of closing.splice(0)) await each.close()
  })

  /** A provider that responds to each credential with its status. */
  async function stage(
    statuses: Record<string, number>,
    credentials: string[],
  ): Promise<[TestGateway, TestUpstream]> {
    const upstream = await startTestUpstream((exchange) => {
      const key = exchange.request.headers.authorization?.replace('Bearer ', '') ?? ''
      const status = statuses[key] ?? 200
      if (status === 200) exchange.reply(200, testCompletion(`as ${key}`))
      else exchange.reply(status, { error: { message: `status ${status}` } })
    })
    const gateway = await startTestGateway()
    closing.push(gateway, upstream)
    await gateway.addProvider('acme', `${upstream.url}/v1`, ['m'], { credential: undefined, credentials })
    return [gateway, upstream]
  }

  test.each([{}, { stream: true }])(
    'an answer about a missing one is not kept under its Idempotency-Key',
    async (body) => {
      const upstream = await startTestUpstream((exchange) => exchange.reply(200, testCompletion('Hi')))
      const stored = new Map<string, string>()
      const gateway = await startTestGateway({ credentials: storeOver(stored).store })
      closing.push(gateway, upstream)
      await gateway.addProvider('acme', upstream.url, ['m'])
      const entries = [...stored]
      await gateway.restart()
      stored.clear()
      const headers = { 'idempotency-key': 'same' }
      const refused = await gateway.chat({ model: 'm', ...body }, { headers })
      expect([refused.status, refused.json.error.code]).toEqual([503, 'credentials_unavailable'])
      for (const [name, secret] of entries) stored.set(name, secret)
      expect((await gateway.chat({ model: 'm', ...body }, { headers })).status).toBe(200)
    },
  )

  const keysUsed = (upstream: TestUpstream) =>
    upstream.requests.map(({ headers }) => headers.authorization?.replace('Bearer ', ''))

  test('after a 429 the next credential is used immediately, and the limited one comes last afterwards', async () => {
    const [gateway, upstream] = await stage({ 'key-1': 429 }, ['key-1', 'key-2'])
    const first = await gateway.chat({ model: 'm' })
    expect(first.json.choices[0].message.content).toBe('as key-2')
    expect((await gateway.chat({ model: 'm' })).status).toBe(200)
    expect(keysUsed(upstream)).toEqual(['key-1', 'key-2', 'key-2'])
    expect((await gateway.records())[1]?.attempts.map(({ status }) => status)).toEqual([429, 200])
  })

  test('after a 401 the next credential is used; when all are rejected, the client gets an error', async () => {
    const statuses = { 'key-1': 401, 'key-2': 403, 'key-3': 200 }
    const [gateway, upstream] = await stage(statuses, ['key-1', 'key-2', 'key-3'])
    expect((await gateway.chat({ model: 'm' })).json.choices[0].message.content).toBe('as key-3')
    expect(keysUsed(upstream)).toEqual(['key-1', 'key-2', 'key-3'])
    statuses['key-3'] = 401
    const answer = await gateway.chat({ model: 'm' })
    expect([answer.status, answer.json.error.code]).toEqual([502, 'upstream_credential'])
  })

  test('only their number is returned; one `credential` replaces them all', async () => {
    const [gateway] = await stage({}, ['key-1', 'key-2'])
    const put = (body: object) => gateway.call('PUT', '/v1/providers/acme', { body })
    expect((await put({})).json).toMatchObject({ hasCredential: true, credentialCount: 2 })
    expect((await put({ credential: 'key-9' })).json.credentialCount).toBe(1)
    expect((await put({ credentials: [] })).json).toMatchObject({ hasCredential: false, credentialCount: 0 })
  })

  test('credentials that are too long, duplicate or given twice are rejected', async () => {
    const [gateway] = await stage({}, ['key-1'])
    for (const [body, param] of [
      [{ credential: 'x'.repeat(2561) }, 'credential'],
      [{ credential: 'é'.repeat(1281) }, 'credential'],
      [{ credentials: ['a', 'x'.repeat(2561)] }, 'credentials[1]'],
      [{ credential: 'a', credentials: ['b'] }, 'credentials'],
      [{ credentials: ['a', 'a'] }, 'credentials'],
    ] as const) {
      const { status, json } = await gateway.call('PUT', '/v1/providers/acme', { body })
      expect([status, json.error.param]).toEqual([400, param])
    }
    const longest = await gateway.call('PUT', '/v1/providers/acme', {
      body: { credential: 'é'.repeat(1280) },
    })
    expect(longest.status).toBe(200)
  })
})
