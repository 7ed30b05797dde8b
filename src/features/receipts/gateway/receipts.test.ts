import { afterEach, beforeEach, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../gateway/testing/gateway.ts'
import { addNano, scaleNano } from '../../../shared/money/cost-lines.ts'
import type { Receipt } from '../api/receipts.ts'

let tollgate: TestGateway
beforeEach(async () => {
  tollgate = await startTestGateway()
})
afterEach(() => tollgate.close())

const getReceipt = async (id: string, query = ''): Promise<Receipt> =>
  (await tollgate.call('GET', `/v1/requests/${id}/receipt${query}`)).json

it('itemizes the charge to the last digit, and says how it was priced', async () => {
  const { json } = await tollgate.chat({})
  const receipt = await getReceipt(json.id)
  const { cost } = receipt
  expect(receipt.request).toMatchObject({ id: json.id, model: 'sandbox-small', names: null })
  expect(cost).toMatchObject({ status: 'exact', confirmation: null, otherNano: null })
  expect(cost.nano).toBe(Math.round(json.usage.cost * 1e9))
  expect(cost.lines.map(({ billed }) => billed)).toEqual(['input', 'output'])
  const parts = [...cost.lines.map(({ nano }) => nano), cost.roundingNano]
  expect(addNano(parts)).toBe(scaleNano(cost.nano ?? 0))
  expect(receipt.price).toMatchObject({ origin: { source: 'builtin', match: 'exact' } })
  expect(receipt.attempts).toMatchObject([{ provider: 'sandbox', httpStatus: 200, failed: false }])
})

it('has no prompt, no key and no name unless they are requested', async () => {
  const { id, secret } = await tollgate.createKey({ name: 'Payroll agents', scope: 'full' })
  const { json } = await tollgate.chat(
    { messages: [{ role: 'user', content: 'the sentinel prompt [[sandbox:error 400]]' }] },
    { as: secret, headers: { 'x-title': 'Secret project' } },
  )
  expect(json.error.message).toContain('400')
  const [record] = await tollgate.records()
  const plain = await getReceipt(record?.id ?? '')
  for (const text of ['sentinel', id, secret, 'Payroll', 'Secret project'])
    expect(JSON.stringify(plain)).not.toContain(text)
  expect(plain.request).toMatchObject({ status: 'failed', errorType: 'invalid_request_error' })
  const named = await getReceipt(record?.id ?? '', '?names=true')
  expect(named.request.names).toEqual({ key: 'Payroll agents', client: 'Secret project', tag: null })
})

it('says what a rule has changed, and its name only if names are requested', async () => {
  const rule = { name: 'Our savings', mode: 'on', do: [{ kind: 'model', model: 'sandbox-small' }] }
  expect((await tollgate.call('POST', '/v1/rules', { body: rule })).status).toBe(201)
  const { json } = await tollgate.chat({ model: 'sandbox-large' })
  const change = { field: 'model', asked: 'sandbox-large', sent: 'sandbox-small' }
  const { request } = await getReceipt(json.id)
  expect(request).toMatchObject({ model: 'sandbox-small', changes: [{ ...change, rule: null }] })
  const named = await getReceipt(json.id, '?names=true')
  expect(named.request.changes).toEqual([{ ...change, rule: 'Our savings' }])
})
