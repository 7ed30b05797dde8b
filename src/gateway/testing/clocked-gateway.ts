// A gateway whose clock a test sets, and keys whose limits are counted in calls.
import { onTestFinished } from 'vitest'
import { billing, startTestUpstream } from '../upstream/testing/test-upstream.ts'
import { startTestGateway, type TestGateway } from './gateway.ts'

export interface ClockedGateway {
  tollgate: TestGateway
  /** `wall`: the time, in milliseconds since 1970. A test sets it. */
  clock: { wall: number }
  /** The cost of one call of `ask`, in USD. */
  price: number
  /** USD for so many calls and a half: the limit stops one later. */
  calls(count: number): number
  /** Creates a key with these spend limits. */
  keyWith(...spendLimits: object[]): Promise<LimitedKey>
}

interface LimitedKey {
  id: string
  /** Makes a call with the key. */
  ask(body?: object, headers?: Record<string, string>): ReturnType<TestGateway['chat']>
  /** The key's view of itself. */
  get(): Promise<Json>
  patch(body: object): ReturnType<TestGateway['call']>
  /** Makes so many calls one after another. Returns their HTTP status. */
  statuses(count: number, headers?: Record<string, string>): Promise<number[]>
}

type Json = Awaited<ReturnType<TestGateway['call']>>['json']

/**
 * Starts a gateway at the time `now`, which is closed when the test ends. Its keys call the sandbox; with `billed`, they call a
 * vendor, whose costs count for the account.
 */
export async function startWithClock(
  now: string,
  timeZone = 'UTC',
  { billed = false } = {},
): Promise<ClockedGateway> {
  const clock = { wall: Date.parse(now) }
  const tollgate = await startTestGateway({ clock: { now: () => clock.wall } })
  onTestFinished(() => tollgate.close())
  await tollgate.call('PATCH', '/v1/settings', { body: { timeZone } })
  const model = billed ? await addVendor(tollgate) : 'sandbox-small'
  const price: number = (await tollgate.chat({ model })).json.usage.cost
  return {
    tollgate,
    clock,
    price,
    calls: (count) => Math.round((count - 0.5) * price * 1e9) / 1e9,
    keyWith: (...spendLimits) => createLimitedKey(tollgate, model, spendLimits),
  }
}

/** Returns the id of its model. */
async function addVendor(tollgate: TestGateway): Promise<string> {
  const upstream = await startTestUpstream(billing(20, 40))
  onTestFinished(() => upstream.close())
  await tollgate.addProvider('vendor', upstream.url, ['billed'])
  return 'billed'
}

async function createLimitedKey(
  tollgate: TestGateway,
  model: string,
  spendLimits: object[],
): Promise<LimitedKey> {
  const { id, secret } = await tollgate.createKey({ name: 'Coding', scope: 'full', spendLimits })
  const ask: LimitedKey['ask'] = (body = {}, headers = {}) =>
    tollgate.chat({ model, ...body }, { as: secret, headers })
  return {
    id,
    ask,
    get: async () => (await tollgate.call('GET', '/v1/key', { as: secret })).json,
    patch: (body) => tollgate.call('PATCH', `/v1/keys/${id}`, { body }),
    async statuses(count, headers = {}) {
      const found: number[] = []
      for (let n = 0; n < count; n++) found.push((await ask({}, headers)).status)
      return found
    },
  }
}
