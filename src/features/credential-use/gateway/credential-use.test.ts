// Several credentials of a provider, as clients and the owner see them.
import { expect, test } from 'vitest'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { billing, startTestUpstream } from '../../../gateway/upstream/testing/test-upstream.ts'

const answer = billing(1000, 200, { prompt_tokens_details: { cached_tokens: 400 } })
const clock = { ms: 0, now: () => Date.now() + clock.ms, monotonic: () => performance.now() + clock.ms }
let limited = ''
const used: string[] = []
const upstream = await forFile(
  startTestUpstream((exchange) => {
    const secret = String(exchange.request.headers.authorization).replace('Bearer ', '')
    if (secret === limited)
      return exchange.reply(429, { error: { message: 'Slow down' } }, { 'retry-after': '30' })
    used.push(secret)
    answer(exchange)
  }),
)
const tollgate = await forFile(startTestGateway({ clock }))
const SECRETS = ['first-secret', 'second-secret', 'third-secret']
await tollgate.addProvider('acme', `${upstream.url}/v1`, ['m'], {
  credential: undefined,
  credentials: SECRETS,
})

const put = (body: object) => tollgate.call('PUT', '/v1/providers/acme', { body })
const listUse = async () => (await tollgate.call('GET', '/v1/providers/acme/credentials')).json.data
/** Which secret a request of the session was sent with, and its record. */
async function ask(session: string) {
  used.length = 0
  const answer = await tollgate.chat({ model: 'm' }, { headers: { 'x-tollgate-session': session } })
  expect(answer.status).toBe(200)
  return { secret: used[0], record: await tollgate.getRecord(answer.headers.get('x-service-request-id')) }
}
const askAll = async (count: number) => {
  const owners = new Map<string, string | undefined>()
  for (let at = 0; at < count; at += 1) owners.set(`s${at}`, (await ask(`s${at}`)).secret)
  return owners
}

test('the first credential is used, unless the provider spreads sessions: then each has its own', async () => {
  expect(new Set((await askAll(6)).values())).toEqual(new Set(['first-secret']))
  expect((await put({ spreadSessions: true })).json.spreadSessions).toBe(true)
  // So many that none is left out by chance.
  const owners = await askAll(40)
  expect(new Set(owners.values())).toEqual(new Set(SECRETS))
  expect(await askAll(40)).toEqual(owners)
  await tollgate.restart()
  expect(await askAll(40)).toEqual(owners)
})

test('a rate-limited credential lends its sessions for the time that the provider asks for', async () => {
  const owners = await askAll(12)
  const [[session = '', owner = ''] = []] = owners
  limited = owner
  const { secret: lender } = await ask(session)
  expect(lender).not.toBe(owner)
  limited = ''
  expect((await ask(session)).secret).toBe(lender)
  const resting = (await listUse()).filter(({ restsUntil }: { restsUntil: unknown }) => restsUntil !== null)
  expect(resting).toHaveLength(1)
  clock.ms += 31_000
  expect(await askAll(12)).toEqual(owners)
})

test('a credential that is removed moves only its sessions; what was spent with each is shown', async () => {
  const owners = await askAll(12)
  const before = await listUse()
  expect(before.map(({ place }: { place: number }) => place)).toEqual([1, 2, 3])
  const { record } = await ask('s0')
  expect(before.map(({ id }: { id: string }) => id)).toContain(record.credential)
  expect(JSON.stringify(before)).not.toMatch(/secret/)
  await put({ credentials: ['first-secret', 'third-secret'] })
  for (const [session, secret] of await askAll(12))
    if (owners.get(session) !== 'second-secret')
      expect([session, secret]).toEqual([session, owners.get(session)])
    else expect(secret).not.toBe('second-secret')
  const after = await listUse()
  expect(after.map(({ place }: { place: number | null }) => place)).toEqual([1, 2, null])
  expect([after[0].id, after[1].id, after[2].id]).toEqual([before[0].id, before[2].id, before[1].id])
  const [first] = after
  expect(first.costUsd).toBeCloseTo((first.requests * (1000 + 2 * 200)) / 1e6, 9)
  expect([first.tokensIn, first.tokensCached]).toEqual([first.requests * 1000, first.requests * 400])
  const total = after.reduce((sum: number, { requests }: { requests: number }) => sum + requests, 0)
  expect(total).toBe((await tollgate.call('GET', '/v1/requests/totals?provider=acme')).json.requests)
})

test('plans have no credentials to spread over', async () => {
  const { status, json } = await tollgate.call('PUT', '/v1/providers/claude-plan', {
    body: { spreadSessions: true },
  })
  expect([status, json.error.param]).toEqual([400, 'spreadSessions'])
})
