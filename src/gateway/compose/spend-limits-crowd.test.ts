// However many requests arrive together, they exceed a limit of any kind by at most one plain request.

import { expect, it } from 'vitest'
import { raiseLimits, startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { billing, startTestUpstream } from '../upstream/testing/test-upstream.ts'

const CROWD = 60

const tollgate = await forFile(startTestGateway())
const upstream = await forFile(startTestUpstream(billing(20, 40)))
await tollgate.addProvider('mine', upstream.url, ['m'])
await raiseLimits(tollgate)
const request = { model: 'm', max_tokens: 40 }
const price: number = (await tollgate.chat(request)).json.usage.cost
const usd = Math.round(7.5 * price * 1e9) / 1e9

it.each<[string, object, boolean]>([
  ['per day', { per: 'day' }, false],
  ['per rolling week', { per: 'week', window: 'rolling' }, false],
  ['per session', { per: 'session' }, false],
  ['for a model', { per: 'lifetime', model: 'mine/*' }, false],
  ['for a project of all keys', { per: 'month', tag: 'crowd' }, true],
])('%s', async (_, limit, isAccount) => {
  const spendLimits = [{ usd, ...limit }]
  const fields = isAccount ? {} : { spendLimits }
  const { id, secret } = await tollgate.createKey({ name: 'crowd', scope: 'full', ...fields })
  if (isAccount) await tollgate.call('PATCH', '/v1/account', { body: { spendLimits } })
  const headers = { 'x-tollgate-session': `crowd ${id}`, 'x-tollgate-tag': isAccount ? 'crowd' : 'other' }
  const send = (nr: number) => tollgate.chat({ ...request, stream: nr % 3 === 0 }, { as: secret, headers })
  const answers = await Promise.all(Array.from({ length: CROWD }, (_each, nr) => send(nr)))
  const refused = answers.filter(({ status }) => status === 402)
  expect(refused.length).toBeGreaterThan(CROWD / 2)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 402]))
  const key = await tollgate.getKey(id)
  expect([key.reservedUsd, key.spendUsd > usd - 2 * price]).toEqual([0, true])
  expect(key.spendUsd).toBeLessThanOrEqual(usd + price)
  const owner = isAccount ? await tollgate.getAccount() : key
  expect(owner.spendLimits).toMatchObject([{ spentUsd: key.spendUsd, reservedUsd: 0 }])
})
