// The energy of local models: shown next to the cost, never charged.
import { expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { billing, startTestUpstream } from '../upstream/testing/test-upstream.ts'

let elapsedMs = 0
const clock = { now: () => Date.parse('2026-11-25T12:00:00Z'), monotonic: () => elapsedMs }
const gateway = await forFile(startTestGateway({ clock }))
const answer = billing(1_000, 10)
let failures = 0
const upstream = await forFile(
  startTestUpstream((exchange) => {
    elapsedMs += 36_000
    if (failures-- > 0) exchange.reply(400, { error: { message: 'No.' } })
    else answer(exchange)
  }),
)
await gateway.addProvider('local', `${upstream.url}/v1`, ['llama'])
await gateway.addProvider('cloud', `${upstream.url}/v1`, ['gpt'])
const put = (energy: unknown) => gateway.call('PUT', '/v1/providers/local', { body: { energy } })

const key = await gateway.createKey({
  name: 'k',
  scope: 'full',
  responseCache: { ttlSeconds: 60, maxBytes: 1e6 },
})
async function ask(more: object = {}) {
  const { headers } = await gateway.chat({ model: 'llama', ...more }, { as: key.secret })
  return gateway.getRecord(headers.get('x-service-request-id'))
}

test('the energy of a request follows from the watts of its provider and the seconds of the answer', async () => {
  expect(await ask()).toMatchObject({ energyWh: null, energyUsd: null })
  expect((await put({ watts: 100, usdPerKwh: 0.3 })).json.energy).toEqual({ watts: 100, usdPerKwh: 0.3 })
  const before = (await gateway.getKey(key.id)).spendUsd
  for (const stream of [false, true]) {
    const record = await ask({ stream })
    expect(record).toMatchObject({ energyWh: 1, energyUsd: 0.0003, costUsd: 0.00102 })
  }
  expect((await gateway.getKey(key.id)).spendUsd).toBeCloseTo(before + 2 * 0.00102, 9)
  expect(await ask({ model: 'gpt' })).toMatchObject({ energyWh: null })
  const [session] = (await gateway.call('GET', `/v1/sessions?key=${key.id}`)).json.data
  const { total } = (await gateway.call('GET', `/v1/usage?groupBy=model&key=${key.id}`)).json
  const totals = (await gateway.call('GET', `/v1/requests/totals?key=${key.id}`)).json
  for (const sums of [session, total, totals]) expect(sums).toMatchObject({ energyWh: 2, energyUsd: 0.0006 })
})

test('a stored answer takes none, and a refused request that took time does', async () => {
  await ask({ temperature: 0 })
  expect(await ask({ temperature: 0 })).toMatchObject({ costStatus: 'cached', energyWh: null })
  failures = 1
  expect(await ask()).toMatchObject({ status: 'failed', energyWh: 1 })
})

test('watts and price must be sensible, and null turns it off', async () => {
  for (const [energy, param] of [
    [{ watts: 0, usdPerKwh: 0.3 }, 'energy.watts'],
    [{ watts: 100, usdPerKwh: -1 }, 'energy.usdPerKwh'],
    [{ watts: 100 }, 'energy.usdPerKwh'],
  ] as const) {
    const { status, json } = await put(energy)
    expect([status, json.error.param]).toEqual([400, param])
  }
  expect((await put(null)).json.energy).toBeNull()
  expect(await ask()).toMatchObject({ energyWh: null })
})
