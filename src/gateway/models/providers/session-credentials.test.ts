// Sessions that are spread over the credentials of a provider.
import { expect, test } from 'vitest'
import { createRandom } from '../../testing/random.ts'
import { ScriptedPromptCache } from '../../testing/scripted-prompt-cache.ts'
import type { CredentialStore } from './credential-store.ts'
import { Credentials, rankCredentials } from './credentials.ts'

const IDS = ['a1', 'b2', 'c3', 'd4']
const NO_STORE: CredentialStore = {
  kind: 'memory',
  get: async () => null,
  set: async () => undefined,
  delete: async () => undefined,
}
const sessions = Array.from({ length: 2_000 }, (_, at) => `ses_${at}`)
const findFirst = (ids: readonly string[], session: string) => ids[rankCredentials(ids, session)[0] ?? -1]

test('each of 100,000 requests has the credential of its session while that is healthy, and all credentials are used alike', () => {
  let now = 0
  const random = createRandom(7)
  const credentials = new Credentials(NO_STORE, 'home', { now: () => now, monotonic: () => now })
  const owners = new Map<string, number>()
  const counts = [0, 0, 0, 0]
  let moved = 0
  for (let request = 0; request < 100_000; request += 1) {
    now += 10
    // Some are rate-limited for five seconds.
    if (request % 5_000 === 0) credentials.coolDown('acme', request % 3, 5_000)
    const session = random.any(sessions)
    const [first = -1] = credentials.order('acme', 4, rankCredentials(IDS, session))
    const owner = owners.get(session) ?? rankCredentials(IDS, session)[0] ?? -1
    owners.set(session, owner)
    counts[first] = (counts[first] ?? 0) + 1
    if (credentials.restsUntil('acme', owner) === null && first !== owner) moved += 1
    if (credentials.restsUntil('acme', owner) !== null) expect(first).not.toBe(owner)
  }
  expect(moved).toBe(0)
  for (const count of counts) expect(count / 25_000).toBeCloseTo(1, 0)
})

test('removing a credential moves only its sessions, to all others', () => {
  const left = IDS.filter((id) => id !== 'b2')
  const moves = sessions.map((session) => [findFirst(IDS, session), findFirst(left, session)] as const)
  for (const [before, after] of moves) if (before !== 'b2') expect(after).toBe(before)
  const taken = new Set(moves.flatMap(([before, after]) => (before === 'b2' ? [after] : [])))
  expect([...taken].sort()).toEqual(left)
})

test('a session whose credential is rate-limited has another one for that time, and returns', () => {
  let now = 0
  const credentials = new Credentials(NO_STORE, 'home', { now: () => now, monotonic: () => now })
  const ranked = rankCredentials(IDS, 'ses_1')
  const [own = -1, second] = ranked
  credentials.coolDown('acme', own, 2_000)
  expect(credentials.order('acme', 4, ranked)).toEqual([...ranked.slice(1), own])
  now = 2_001
  expect(credentials.order('acme', 4, ranked).slice(0, 2)).toEqual([own, second])
})

test('the share of cached tokens is that of one credential, which taking turns loses', () => {
  const words = (count: number, seed: string) =>
    Array.from({ length: count }, (_, at) => `${seed}${at}`).join(' ')
  const mark = { cache_control: { type: 'ephemeral' } }
  const system = [{ type: 'text', text: words(3_000, 'rule'), ...mark }]

  /** The share of input that agents read from the caches of a vendor, which has one for each organization. */
  function replay(choose: (session: string, turn: number) => number): number {
    const caches = IDS.map(() => new ScriptedPromptCache())
    let [read, all, now] = [0, 0, 0]
    for (let turn = 1; turn <= 30; turn += 1)
      for (const session of sessions.slice(0, 12)) {
        now += 1_500
        const messages = Array.from({ length: turn }, (_, at) => ({
          role: at % 2 === 0 ? 'user' : 'assistant',
          content: [{ type: 'text', text: words(150, `${session} ${at} `), ...(at >= turn - 2 && mark) }],
        }))
        const body = { model: 'claude-sonnet-5', system, messages }
        const usage = caches[choose(session, turn)]?.read(body, now)
        if (!usage) throw new Error('There is no such credential.')
        read += usage.read
        all += usage.read + usage.input + usage.write5m + usage.write1h
      }
    return read / all
  }

  const single = replay(() => 0)
  const spread = replay((session) => rankCredentials(IDS, session)[0] ?? -1)
  expect(single - spread).toBeLessThan(0.01)
  expect(single - replay((_session, turn) => turn % IDS.length)).toBeGreaterThan(0.02)
})
