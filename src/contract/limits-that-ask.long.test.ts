// Limits that ask their owner, in real time: what is billed while a question is open, and whom an answer releases.
import { describe, test, vi } from 'vitest'
import type { Approval } from '../features/approvals/api/approvals.ts'
import type { KeyCreated } from '../shared/api/keys.ts'
import { answers, Bill, type Pace, PRICING, streams } from './testing/billing-vendor.ts'
import { startProgram } from './testing/program.ts'
import { startForFile, startScriptedUpstream } from './testing/upstream.ts'

const { tollgate, upstream } = await startForFile({ rateLimits: false })
const ASK_SECONDS = 10
await tollgate.call('PATCH', '/v1/settings', { body: { askSeconds: ASK_SECONDS } })

const MODEL = { pricing: PRICING, maxOutputTokens: 100_000 }
const TIMEOUT_MS = 180_000

const createKey = (usd: number, per: string) =>
  tollgate.createKey({
    ...{ name: `asks for each ${per}`, scope: 'full', guard: 'off' },
    spendLimits: [{ usd, per, action: 'ask' }],
  })

const SESSION_LIMIT_USD = 0.02
/** A change of keys withdraws the questions that are open. */
const keys = {
  crowd: await createKey(1, 'day'),
  one: await createKey(0.02, 'day'),
  last: await createKey(SESSION_LIMIT_USD, 'session'),
  ahead: await createKey(SESSION_LIMIT_USD, 'session'),
  nameless: await createKey(SESSION_LIMIT_USD, 'session'),
}

/** Waits until a request of the key, or an agent with it, is shown to the owner. */
const findOpen = (program: typeof tollgate, keyId: string) =>
  vi.waitFor(async (): Promise<Approval> => {
    const { json } = await program.call('GET', '/v1/approvals')
    const found = json.data.find((approval: Approval) => approval.keyId === keyId)
    if (!found) throw new Error('nothing waits')
    return found
  }, 60_000)

interface Crowd {
  name: string
  count: number
  limitUsd: number
  key: KeyCreated
  pace: Pace
  decision: 'stop' | null
}

describe.concurrent('Streams that reach a limit finish, every token of them is booked, and new requests are refused', () => {
  test.for<Crowd>([
    {
      ...{ name: '38 streams, whose owner answers stop', count: 38, limitUsd: 1, key: keys.crowd },
      ...{ pace: { tokensPerEvent: 400, everyMs: 200, forMs: 6_000 }, decision: 'stop' },
    },
    {
      ...{ name: 'a stream, whose owner does not answer', count: 1, limitUsd: 0.02, key: keys.one },
      ...{ pace: { tokensPerEvent: 80, everyMs: 200, forMs: 12_000 }, decision: null },
    },
  ])('$name', { timeout: TIMEOUT_MS }, async ({ name, count, limitUsd, key, pace, decision }, { expect }) => {
    const bill = new Bill()
    await upstream.model(name, streams(bill, pace), MODEL)
    await upstream.model(`${name}: next`, answers(bill, { output: 10 }), MODEL)
    const as = key.secret
    const running = Array.from({ length: count }, () => tollgate.chat({ model: name, stream: true }, { as }))
    await expect.poll(() => bill.usd).toBeGreaterThan(limitUsd * 2)
    const next = () => tollgate.chat({ model: `${name}: next`, max_tokens: 10 }, { as })
    const asking = next()
    const { id } = await findOpen(tollgate, key.id)
    if (decision) await tollgate.call('POST', `/v1/approvals/${id}`, { body: { decision } })
    expect((await asking).status).toBe(402)
    if (decision) expect((await next()).status).toBe(402)
    expect(upstream.calls(`${name}: next`)).toEqual([])
    const all = await Promise.all(running)
    const sent = all.filter(({ status }) => status === 200)
    expect(sent.length).toBe(upstream.calls(name).length)
    for (const { text } of sent) expect(text.slice(-40)).toContain('data: [DONE]')
    await expect
      .poll(async () => (await tollgate.getKey(key.id)).spendUsd, { timeout: 5_000 })
      .toBeCloseTo(bill.usd, 6)
  })
})

describe.concurrent('Money that an agent asks for ahead', () => {
  const session = (name: string) => ({ 'x-tollgate-session': name })
  const body = { usd: 1, reason: 'The tests still fail.' }

  test('belongs to the session that asks, not to the one used last', async ({ expect }) => {
    const bill = new Bill()
    await upstream.model('sessions', answers(bill, { output: 1_000 }), MODEL)
    const key = keys.last
    const as = key.secret
    const send = (name: string) =>
      tollgate.chat({ model: 'sessions', max_tokens: 1_000 }, { as, headers: session(name) })
    for (const name of ['A', 'B']) expect((await send(name)).status).toBe(200)
    const asked = tollgate.call('POST', '/v1/approvals', { as, body, headers: session('A') })
    const { id, waiter, sessionId } = await findOpen(tollgate, key.id)
    expect(sessionId).toEqual(expect.any(String))
    await tollgate.call('POST', `/v1/approvals/${id}`, { body: { decision: 'allow', usd: 1, waiter } })
    expect((await asked).status).toBe(200)
    expect((await send('A')).status).toBe(200)
    const billed = bill.usd
    // The owner answers A alone.
    expect((await send('B')).status).toBe(402)
    expect(bill.usd).toBe(billed)
  })

  test('belongs to the session that asks before its first request', async ({ expect }) => {
    const bill = new Bill()
    await upstream.model('first', answers(bill, { output: 1_000 }), MODEL)
    const key = keys.ahead
    const as = key.secret
    const asked = tollgate.call('POST', '/v1/approvals', { as, body, headers: session('A') })
    const { id, waiter } = await findOpen(tollgate, key.id)
    await tollgate.call('POST', `/v1/approvals/${id}`, { body: { decision: 'allow', usd: 1, waiter } })
    expect((await asked).json.remainingUsd).toBeCloseTo(1 + SESSION_LIMIT_USD, 6)
    for (let nth = 0; nth < 4; nth++) {
      const { status } = await tollgate.chat(
        { model: 'first', max_tokens: 1_000 },
        { as, headers: session('A') },
      )
      expect(status).toBe(200)
    }
  })

  test('is refused without a session, if the limit is one per session', async ({ expect }) => {
    const asked = await tollgate.call('POST', '/v1/approvals', { as: keys.nameless.secret, body })
    expect(asked.status).toBe(400)
  })
})

test.concurrent(
  'A decision releases the request that it showed, and no other',
  async ({ expect }) => {
    const program = await startProgram()
    const vendor = await startScriptedUpstream(program)
    const bill = new Bill()
    await vendor.model('m', answers(bill, { output: 100 }), MODEL)
    await program.call('PATCH', '/v1/account', {
      body: { spendLimits: [{ usd: 0.002, per: 'day', action: 'ask' }] },
    })
    expect((await program.chat({ model: 'm', max_tokens: 100 })).status).toBe(200)
    const trusted = await program.createKey({ name: 'trusted', scope: 'full' })
    const stranger = await program.createKey({ name: 'stranger', scope: 'full' })
    const client = new AbortController()
    const left = program
      .chat({ model: 'm', max_tokens: 100 }, { as: trusted.secret, signal: client.signal })
      .catch(() => null)
    const shown = await findOpen(program, trusted.id)
    const expensive = program.chat({ model: 'm', max_tokens: 100_000 }, { as: stranger.secret })
    await expect.poll(async () => (await findOpen(program, trusted.id)).waiting).toBe(2)
    client.abort()
    await left
    const decide = (waiter: string) =>
      program.call('POST', `/v1/approvals/${shown.id}`, { body: { decision: 'once', waiter } })
    await findOpen(program, stranger.id)
    expect((await decide(shown.waiter)).status).toBe(409)
    const next = await findOpen(program, stranger.id)
    expect(vendor.calls('m')).toHaveLength(1)
    expect(next.neededUsd).toBeGreaterThan(2)
    expect((await decide(next.waiter)).status).toBe(200)
    expect((await expensive).status).toBe(200)
    await program.close()
    await vendor.close()
  },
  TIMEOUT_MS,
)
