// A key may be revoked or expire after it was authenticated, while its request waits for something.
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { startTestUpstream, type TestExchange, testCompletion } from '../upstream/testing/test-upstream.ts'

interface World {
  tollgate: TestGateway
  clock: { wall: number }
  /** The first request at the provider, which a test answers. */
  first: Promise<TestExchange>
  calls(): number
}

async function start(): Promise<World> {
  const clock = { wall: Date.parse('2026-11-22T12:00:00Z') }
  const first = Promise.withResolvers<TestExchange>()
  const upstream = await startTestUpstream((context) => first.resolve(context))
  const tollgate = await startTestGateway({ clock: { now: () => clock.wall } })
  onTestFinished(async () => {
    await tollgate.close()
    await upstream.close()
  })
  await tollgate.addProvider('acme', upstream.url, ['slow'])
  return { tollgate, clock, first: first.promise, calls: () => upstream.requests.length }
}

test.each([
  ['revoked', null],
  ['expired', 'key_expired'],
] as const)(
  'who waits for the first request with an Idempotency-Key gets 401 once the API key is %s',
  async (end, code) => {
    const { tollgate, clock, first, calls } = await start()
    const expiresAt = new Date(clock.wall + 60_000).toISOString()
    const key = await tollgate.createKey({ name: 'short', scope: 'full', expiresAt })
    const repeat = () =>
      tollgate.chat({ model: 'slow' }, { as: key.secret, headers: { 'idempotency-key': 'same' } })
    const original = repeat()
    const context = await first
    const waiting = [repeat(), repeat()]
    for (let i = 0; i < 3; i++) await tollgate.call('GET', '/healthz')
    if (end === 'revoked') await tollgate.call('DELETE', `/v1/keys/${key.id}`)
    else clock.wall += 120_000
    context.reply(200, testCompletion('Hi'))
    await original
    for (const { status, json } of await Promise.all(waiting)) {
      expect([status, json.error.type]).toEqual([401, 'authentication_error'])
      expect(json.error.code ?? null).toBe(code)
    }
    expect(calls()).toBe(1)
  },
)

test('nothing is done for a key that is revoked while the body of its request arrives', async () => {
  const { tollgate } = await start()
  const admin = await tollgate.createKey({ name: 'leaked', scope: 'admin' })
  const body = JSON.stringify({ name: 'of a thief', scope: 'admin' })
  const sending = httpRequest(`${tollgate.baseUrl}/v1/keys`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${admin.secret}`,
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    },
  })
  const answered = once(sending, 'response')
  sending.flushHeaders()
  await once(sending, 'continue')
  await tollgate.call('DELETE', `/v1/keys/${admin.id}`)
  sending.end(body)
  const [response] = await answered
  response.resume()
  expect(response.statusCode).toBe(401)
  const { data } = (await tollgate.call('GET', '/v1/keys')).json
  expect(data.map(({ name }: { name: string }) => name)).not.toContain('of a thief')
})
