// Receipts of a session and of a month.
import { rmSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../gateway/store/store.ts'
import { createDataDir } from '../../../gateway/testing/data-dir.ts'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { billing, startTestUpstream } from '../../../gateway/upstream/testing/test-upstream.ts'
import type { SumReceipt } from '../api/receipts.ts'

/** The cost of 1,000 and 10 tokens at the prices of `addProvider`: $1 and $2 per million. */
const NANO = 1_020_000

let now = Date.parse('2026-10-31T12:00:00Z')
const clock = { now: () => now }
const gateway = await forFile(startTestGateway({ clock }))
const upstream = await forFile(startTestUpstream(billing(1_000, 10)))
await gateway.addProvider('mine', `${upstream.url}/v1`, ['first', 'second'])
await gateway.call('PATCH', '/v1/settings', { body: { timeZone: 'UTC' } })
const key = await gateway.createKey({ name: 'Payroll agents', scope: 'full' })

async function send(model: string, session: string): Promise<string> {
  const headers = { 'x-tollgate-session': session }
  const { json } = await gateway.chat({ model }, { as: key.secret, headers })
  const { json: record } = await gateway.call('GET', `/v1/requests/${json.id}`)
  return record.sessionId
}
const readSum = (query: string) => gateway.call('GET', `/v1/receipts/sum?${query}`)

await send('first', 'october')
now = Date.parse('2026-11-01T00:00:01Z')
const session = await send('first', 'november')
await send('second', 'november')
await send('first', 'november')
await send('sandbox-small', 'november')

test('a session has a line for each model, which add up; names only if they are requested', async () => {
  const receipt: SumReceipt = (await readSum(`session=${session}`)).json
  const line = { provider: 'mine', tokensIn: 1_000, tokensOut: 10 }
  expect(receipt.lines).toEqual([
    { ...line, model: 'first', requests: 2, tokensIn: 2_000, tokensOut: 20, nano: 2 * NANO },
    { ...line, model: 'second', requests: 1, nano: NANO },
    expect.objectContaining({ model: 'sandbox-small', provider: 'sandbox', requests: 1, nano: 0 }),
  ])
  expect(receipt.total).toEqual({ requests: 4, nano: 3 * NANO, usd: 0.00306, unpriced: 0, unsettled: 0 })
  expect(receipt.of).toMatchObject({ kind: 'session', id: session, names: null })
  expect(JSON.stringify(receipt)).not.toMatch(/Payroll|Hello/)
  const named = (await readSum(`session=${session}&names=true`)).json
  expect(named.of.names).toMatchObject({ key: 'Payroll agents' })
})

test('a month begins and ends in the time zone of the settings', async () => {
  const november: SumReceipt = (await readSum('month=2026-11')).json
  expect(november.of).toEqual({ kind: 'month', month: '2026-11', timeZone: 'UTC', over: false })
  expect(november.total).toMatchObject({ requests: 4, nano: 3 * NANO })
  const october: SumReceipt = (await readSum('month=2026-10')).json
  expect(october).toMatchObject({ of: { over: true }, total: { requests: 1, nano: NANO } })
  await gateway.call('PATCH', '/v1/settings', { body: { timeZone: 'America/New_York' } })
  expect((await readSum('month=2026-10')).json.total).toMatchObject({ requests: 5, nano: 4 * NANO })
  expect((await readSum('month=2030-01')).json).toMatchObject({ lines: [], total: { requests: 0, nano: 0 } })
})

test('requests of a session whose records are deleted stay in its sum', async () => {
  let time = now
  const ownClock = { now: () => time }
  const dataDir = createDataDir()
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const first = await startTestGateway({ clock: ownClock, dataDir })
  await first.addProvider('mine', `${upstream.url}/v1`, ['first', 'second'])
  const headers = { 'x-tollgate-session': 'long' }
  for (const model of ['first', 'second', 'first', 'sandbox-small']) await first.chat({ model }, { headers })
  time += 86_400_000
  await first.chat({ model: 'second' }, { headers })
  const { json } = await first.call('GET', '/v1/sessions')
  const [{ id }] = json.data
  await first.close()
  const store = await openStore({ dataDir })
  expect(await store.write('pruneRequests', { before: now + 3_600_000 })).toMatchObject({ deleted: 4 })
  await store.close()

  const second = await startTestGateway({ clock: ownClock, dataDir, admin: first.admin })
  const receipt: SumReceipt = (await second.call('GET', `/v1/receipts/sum?session=${id}`)).json
  expect(receipt.lines).toMatchObject([
    { model: '', provider: '', requests: 4, nano: 3 * NANO },
    { model: 'second', provider: 'mine', requests: 1, nano: NANO },
  ])
  expect(receipt.total).toMatchObject({ requests: 5, nano: 4 * NANO })
  await second.close()
})

test('a session and a month cannot be combined, and must exist; without either it is the current month', async () => {
  expect((await readSum('')).json.of).toMatchObject({ month: '2026-10' })
  for (const query of ['month=2026-11&session=x', 'month=2026-13', 'month=11']) {
    expect(await readSum(query)).toMatchObject({ status: 400 })
  }
  expect(await readSum('session=ses_none')).toMatchObject({ status: 404 })
})
