// Rules and requests that a client pays with its plan: only the vendor's own client may write them.
import { expect, test } from 'vitest'
import { everyBlock } from '../../../gateway/request/testing/anthropic-events.ts'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { startPlanVendors } from '../../../gateway/upstream/testing/plan-vendors.ts'

const bodies: string[] = []
const vendors = await forFile(
  startPlanVendors((exchange) => {
    bodies.push(exchange.request.body)
    exchange.reply(200, everyBlock)
  }),
)
const gateway = await forFile(startTestGateway({ systemNetwork: vendors.systemNetwork }))
await gateway.call('PUT', '/v1/providers/claude-plan', { body: {} })
await gateway.call('PATCH', '/v1/settings', { body: { network: 'system' } })

const body =
  '{ "model":"claude-opus-5", "max_tokens" : 500,"speed":"fast","messages":[{"role":"user","content":"Hi"}]}'
const ask = () =>
  gateway.call('POST', '/v1/messages', {
    as: '',
    headers: {
      authorization: 'Bearer sk-ant-oat01-canary',
      'user-agent': 'claude-cli/2.1.0',
      'content-type': 'application/json',
      'anthropic-beta': 'oauth-2025-04-20,fast-mode-2026-02-01',
      'x-tollgate-key': gateway.admin,
    },
    body,
  })

test('they go on byte for byte, and the record says why', async () => {
  const rule = {
    do: [
      { kind: 'model', model: 'claude-haiku-4-5' },
      { kind: 'remove', what: ['speed'] },
    ],
    mode: 'on',
  }
  const { json } = await gateway.call('POST', '/v1/rules', { body: rule })
  const { status, headers } = await ask()
  expect([status, headers.get('x-tollgate-rule'), bodies.at(-1)]).toEqual([200, null, body])
  const [record] = await gateway.records()
  expect(record).toMatchObject({
    model: 'claude-opus-5',
    rules: [{ changes: [], unable: expect.stringContaining('its own bytes') }],
  })
  await gateway.call('DELETE', `/v1/rules/${json.id}`)
})

test('they wait for permission, and go on byte for byte', async () => {
  const { json } = await gateway.call('POST', '/v1/rules', { body: { do: [{ kind: 'ask' }], mode: 'on' } })
  const sent = bodies.length
  const waiting = ask()
  const list = async () => (await gateway.call('GET', '/v1/approvals')).json.data
  await expect.poll(list).toMatchObject([{ kind: 'rule', neededUsd: 0, program: 'Claude Code' }])
  expect(bodies).toHaveLength(sent)
  const [{ id, waiter }] = await list()
  await gateway.call('POST', `/v1/approvals/${id}`, { body: { decision: 'allow', waiter } })
  expect((await waiting).status).toBe(200)
  expect(bodies.slice(sent)).toEqual([body])
  await gateway.call('DELETE', `/v1/rules/${json.id}`)
})

test('they can be denied', async () => {
  const when = [{ kind: 'premium', any: ['speed'] }]
  await gateway.call('POST', '/v1/rules', { body: { when, do: [{ kind: 'deny' }], mode: 'on' } })
  const sent = bodies.length
  const { status, json } = await ask()
  expect([status, json.error.type]).toEqual([403, 'permission_error'])
  expect(json.error.message).toContain('"speed": "fast"')
  expect(bodies).toHaveLength(sent)
})
