// The keychain with a real gnome-keyring in every state.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  startTestUpstream,
  type TestUpstream,
  testCompletion,
} from '../gateway/upstream/testing/test-upstream.ts'
import { type KeyringHome, type KeyringState, keyringHome, keyringMissing } from './testing/keyring.ts'

const missing = keyringMissing()

describe.skipIf(missing !== null)(missing ?? 'a real keyring', () => {
  let home: KeyringHome
  beforeEach(() => {
    home = keyringHome()
  })
  afterEach(() => home.remove())

  const getSecret = (account: string) => ({ do: 'get', account }) as const
  const keep = (account: string, secret: string) => ({ do: 'set', account, secret }) as const
  const drop = (account: string) => ({ do: 'delete', account }) as const
  const chain = { failed: expect.any(String), kind: 'CredentialStoreError' }

  test('unlocked: stores, returns in another session, and deletes', async () => {
    const longest = 'k'.repeat(2560)
    expect(await home.session('unlocked', [keep('a', 'one'), keep('b', longest), getSecret('a')])).toEqual([
      { value: null },
      { value: null },
      { value: 'one' },
    ])
    const later = [getSecret('a'), getSecret('b'), drop('a'), getSecret('a'), drop('a')]
    expect((await home.session('unlocked', later)).slice(0, 4)).toEqual([
      { value: 'one' },
      { value: longest },
      { value: null },
      { value: null },
    ])
  })

  test('locked: reading, writing and deleting fail with a reason, and the entry is there after unlocking', async () => {
    await home.session('unlocked', [keep('a', 'one')])
    const locked = await home.session('locked', [
      getSecret('a'),
      keep('a', 'two'),
      keep('b', 'three'),
      drop('a'),
    ])
    expect(locked).toEqual([chain, chain, chain, chain])
    for (const step of locked) expect(step).toMatchObject({ failed: expect.stringContaining('locked') })
    expect(await home.session('unlocked', [getSecret('a'), getSecret('b')])).toEqual([
      { value: 'one' },
      { value: null },
    ])
  })

  test.each<[KeyringState, RegExp]>([
    ['absent', /No keyring is running/],
    ['no-bus', /no D-Bus session bus/],
  ])('%s: every call fails and says what to do', async (state, sentence) => {
    const results = await home.session(state, [getSecret('a'), keep('a', 'one'), drop('a')])
    expect(results).toHaveLength(3)
    for (const result of results)
      expect(result).toEqual({ ...chain, failed: expect.stringMatching(sentence) })
  })

  test('too long: rejected before the keyring is called, and the stored entry stays', async () => {
    const [, refused, stored] = await home.session('unlocked', [
      keep('a', 'one'),
      keep('a', 'é'.repeat(1281)),
      getSecret('a'),
    ])
    expect(refused).toEqual({ ...chain, failed: expect.stringContaining('2560') })
    expect(stored).toEqual({ value: 'one' })
  })

  test('concurrent calls lose and mix up nothing', async () => {
    const accounts = Array.from({ length: 20 }, (_, index) => `account-${index}`)
    const steps = accounts.flatMap((account) => [keep(account, `secret of ${account}`), getSecret(account)])
    const results = await home.session('unlocked', [...steps, ...accounts.map(getSecret)])
    expect(results.slice(-20)).toEqual(accounts.map((account) => ({ value: `secret of ${account}` })))
  })

  describe('in a gateway', () => {
    let upstream: TestUpstream
    beforeEach(async () => {
      upstream = await startTestUpstream((exchange) => exchange.reply(200, testCompletion('Hi')))
    })
    afterEach(() => upstream.close())

    const put = (body: object) => ({ do: 'call', method: 'PUT', path: '/v1/providers/acme', body }) as const
    const remove = { do: 'call', method: 'DELETE', path: '/v1/providers/acme' } as const
    const chat = {
      do: 'call',
      method: 'POST',
      path: '/v1/chat/completions',
      body: { model: 'acme/m', messages: [{ role: 'user', content: 'Hi' }] },
    } as const
    const unavailable = { status: 503, json: { error: { code: 'credentials_unavailable' } } }
    const provider = () => ({ apiFormat: 'openai-chat', baseUrl: `${upstream.url}/v1` })
    const lastKey = () => upstream.requests.at(-1)?.headers.authorization

    test.each<KeyringState>(['locked', 'absent'])(
      '%s: 503 for every use of the credential, and it serves again once the keyring is back',
      async (state) => {
        const before = await home.session('unlocked', [
          put({ ...provider(), credentials: ['one', 'two'] }),
          chat,
        ])
        expect(before).toMatchObject([{ status: 200 }, { status: 200 }])
        const during = await home.session(state, [chat, put({ credential: 'new' }), remove])
        expect(during).toMatchObject([unavailable, unavailable, unavailable])
        upstream.requests.length = 0
        expect(await home.session('unlocked', [chat])).toMatchObject([{ status: 200 }])
        expect(lastKey()).toBe('Bearer one')
      },
    )

    test('lost: reports that the entry was deleted, and accepts the credential again', async () => {
      await home.session('unlocked', [put({ ...provider(), credential: 'one' })])
      home.forgetKeyring()
      const [deleted, again, served] = await home.session('unlocked', [
        chat,
        put({ credential: 'two' }),
        chat,
      ])
      expect(deleted).toMatchObject(unavailable)
      expect(deleted).toMatchObject({ json: { error: { message: expect.stringContaining('was deleted') } } })
      expect([again, served]).toMatchObject([{ status: 200 }, { status: 200 }])
      expect(lastKey()).toBe('Bearer two')
    })
  })
})
