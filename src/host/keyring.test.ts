// The keychain with a real gnome-keyring in every state.
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestUpstream, testCompletion } from '../gateway/upstream/testing/test-upstream.ts'
import { keyringHome, keyringMissing, type StepResult } from './testing/keyring.ts'

const missing = keyringMissing()

const getSecret = (account: string) => ({ do: 'get', account }) as const
const keep = (account: string, secret: string) => ({ do: 'set', account, secret }) as const
const drop = (account: string) => ({ do: 'delete', account }) as const
const put = (body: object) => ({ do: 'call', method: 'PUT', path: '/v1/providers/acme', body }) as const
const remove = { do: 'call', method: 'DELETE', path: '/v1/providers/acme' } as const
const chat = {
  do: 'call',
  method: 'POST',
  path: '/v1/chat/completions',
  body: { model: 'acme/m', messages: [{ role: 'user', content: 'Hi' }] },
} as const

const chain = { failed: expect.any(String), kind: 'CredentialStoreError' }
const unavailable = { status: 503, json: { error: { code: 'credentials_unavailable' } } }
const served = { status: 200 }

const LONGEST = 'k'.repeat(2560)
const ACCOUNTS = Array.from({ length: 20 }, (_, index) => `account-${index}`)
const USE_WITHOUT_KEYRING = [
  ...[getSecret('a'), keep('a', 'two'), keep('c', 'three'), drop('a')],
  ...[chat, put({ credential: 'new' }), remove],
]

/** Ends sessions that hang, whatever else the machine does. */
const HANG_MS = 300_000

/** The sessions of one user, one after another, as each takes seconds to start. */
async function useKeyring() {
  const home = keyringHome()
  const upstream = await startTestUpstream((exchange) => exchange.reply(200, testCompletion('Hi')))
  const lastKey = () => upstream.requests.at(-1)?.headers.authorization
  try {
    const first = await home.session('unlocked', [
      ...[keep('a', 'one'), keep('b', LONGEST), getSecret('a'), keep('a', 'é'.repeat(1281)), getSecret('a')],
      ...ACCOUNTS.flatMap((account) => [keep(account, `secret of ${account}`), getSecret(account)]),
      ...ACCOUNTS.map(getSecret),
      put({ apiFormat: 'openai-chat', baseUrl: `${upstream.url}/v1`, credentials: ['one', 'two'] }),
      chat,
    ])
    const locked = await home.session('locked', USE_WITHOUT_KEYRING)
    const absent = await home.session('absent', USE_WITHOUT_KEYRING)
    upstream.requests.length = 0
    const again = await home.session('unlocked', [
      ...[getSecret('a'), getSecret('b'), getSecret('c'), drop('a'), getSecret('a')],
      chat,
    ])
    const keyOfAgain = lastKey()
    home.forgetKeyring()
    const lost = await home.session('unlocked', [chat, put({ credentials: ['three'] }), chat])
    return { first, locked, absent, again, keyOfAgain, lost, keyOfLost: lastKey() }
  } finally {
    await upstream.close()
    home.remove()
  }
}

function expectFailures(results: readonly StepResult[] | undefined, sentence: RegExp): void {
  expect(results?.length).toBeGreaterThan(0)
  for (const result of results ?? [])
    expect(result).toEqual({ ...chain, failed: expect.stringMatching(sentence) })
}

describe.skipIf(missing !== null)(missing ?? 'a real keyring', () => {
  let sessions: Awaited<ReturnType<typeof useKeyring>>
  beforeAll(async () => {
    sessions = await useKeyring()
  }, HANG_MS)

  test('unlocked: stores, returns in another session, and deletes', () => {
    const { first, again } = sessions
    expect(first.slice(0, 3)).toEqual([{ value: null }, { value: null }, { value: 'one' }])
    expect([again[0], again[1]]).toEqual([{ value: 'one' }, { value: LONGEST }])
    expect([again[3], again[4]]).toEqual([{ value: null }, { value: null }])
  })

  test('locked: reading, writing and deleting fail with a reason, and the entry is there after unlocking', () => {
    const { locked, again } = sessions
    expectFailures(locked.slice(0, 4), /locked/)
    expect([again[0], again[2]]).toEqual([{ value: 'one' }, { value: null }])
  })

  test('absent: every call fails and says what to do', () => {
    expectFailures(sessions.absent.slice(0, 4), /No keyring is running/)
  })

  test('no-bus: every call fails and says what to do', async () => {
    const home = keyringHome()
    const results = await home.session('no-bus', [getSecret('a'), keep('a', 'one'), drop('a')])
    home.remove()
    expectFailures(results, /no D-Bus session bus/)
  })

  test('too long: rejected before the keyring is called, and the stored entry stays', () => {
    const [refused, stored] = sessions.first.slice(3, 5)
    expect(refused).toEqual({ ...chain, failed: expect.stringContaining('2560') })
    expect(stored).toEqual({ value: 'one' })
  })

  test('concurrent calls lose and mix up nothing', () => {
    const stored = ACCOUNTS.map((account) => ({ value: `secret of ${account}` }))
    expect(sessions.first.slice(-22, -2)).toEqual(stored)
  })

  test('in a gateway: 503 for every use of the credential, and it serves again once the keyring is back', () => {
    const { first, locked, absent, again, keyOfAgain } = sessions
    expect(first.slice(-2)).toMatchObject([served, served])
    for (const during of [locked, absent])
      expect(during.slice(-3)).toMatchObject([unavailable, unavailable, unavailable])
    expect(again.at(-1)).toMatchObject(served)
    expect(keyOfAgain).toBe('Bearer one')
  })

  test('in a gateway: reports that the entry was deleted, and accepts the credential again', () => {
    const [deleted, ...rest] = sessions.lost
    expect(deleted).toMatchObject(unavailable)
    expect(deleted).toMatchObject({ json: { error: { message: expect.stringContaining('was deleted') } } })
    expect(rest).toMatchObject([served, served])
    expect(sessions.keyOfLost).toBe('Bearer three')
  })
})
