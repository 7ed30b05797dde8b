// Rules on the lines of batches, in both APIs.
import { afterEach, expect, test } from 'vitest'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { impatient } from '../../../gateway/testing/short-waits.ts'
import { chatResult, type Json, messageResult, startBatchVendor } from './testing/batch-vendor.ts'

const vendor = await forFile(startBatchVendor())
const tollgate = await forFile(startTestGateway({ clock: impatient }))
await tollgate.addProvider('vendor', `${vendor.url}/v1`, [])
await tollgate.addProvider('claudes', `${vendor.url}/v1`, [], { apiFormat: 'anthropic-messages' })
const addModel = (name: string, provider: string, usd: number) =>
  tollgate.call('PUT', `/v1/models/${name}`, {
    body: {
      provider,
      pricing: { inputPerMillion: usd, outputPerMillion: usd, tierFactors: { batch: 0.5, priority: 2 } },
      maxOutputTokens: 1_000,
    },
  })
await addModel('big', 'vendor', 100)
await addModel('small', 'vendor', 10)
await addModel('opus', 'claudes', 100)

afterEach(async () => {
  const { json } = await tollgate.call('GET', '/v1/rules')
  for (const { id } of json.data) await tollgate.call('DELETE', `/v1/rules/${id}`)
})

async function addRule(rule: object) {
  const { status, text } = await tollgate.call('POST', '/v1/rules', { body: { mode: 'on', ...rule } })
  expect(status, text).toBe(201)
}

async function upload(as: string, texts: readonly string[]) {
  const form = new FormData()
  form.set('purpose', 'batch')
  form.set('file', new Blob([texts.map((text) => `${text}\n`).join('')]), 'lines.jsonl')
  const response = await fetch(`${tollgate.baseUrl}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as}` },
    body: form,
  })
  return { status: response.status, json: (await response.json()) as Json }
}

const getSent = () => [...vendor.files.values()].at(-1)?.text.trimEnd().split('\n') ?? []

/** A line whose spaces show whether it was written again. */
const writeLine = (id: string, body: string) =>
  `{ "custom_id": "${id}", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "big", "max_tokens": 100, ${body}"messages": [{"role": "user", "content": "Hi"}]} }`

const createBatch = (as: string, file: string) =>
  tollgate.call('POST', '/v1/batches', {
    as,
    body: { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' },
  })

const PREMIUM = '"service_tier": "priority", "reasoning_effort": "high", '

test('a rule changes the lines that it is for, and reservation, charge and record are those of the change', async () => {
  await addRule({
    name: 'Cheaper',
    when: [{ kind: 'premium', any: ['tier'] }],
    do: [
      { kind: 'model', model: 'small' },
      { kind: 'remove', what: ['tier'] },
      { kind: 'effort', atMost: 'low' },
    ],
  })
  const key = await tollgate.createKey({ name: 'ruled', scope: 'full', spendLimitUsd: 1 })
  const lines = [writeLine('dear', PREMIUM), writeLine('plain', '')]
  const { json: file } = await upload(key.secret, lines)
  expect(getSent()).toEqual([
    writeLine('dear', '"reasoning_effort": "low", ').replace('"big"', '"small"'),
    lines[1],
  ])
  const { json: batch } = await createBatch(key.secret, file.id)
  // At the price of batches: 100 tokens of output, and less than 100 of prompt, of either model.
  const { reservedUsd } = await tollgate.getKey(key.id)
  expect(reservedUsd).toBeGreaterThan((100 * (5 + 50)) / 1e6)
  expect(reservedUsd).toBeLessThan((200 * (5 + 50)) / 1e6)
  vendor.end([...vendor.batches.keys()].at(-1) ?? '', {
    results: (sent) => sent.map((line) => chatResult(line)),
  })
  const list = async () => (await tollgate.call('GET', `/v1/requests?batch=${batch.id}`)).json.data
  await expect.poll(async () => (await list()).length, { interval: 20 }).toBe(2)
  const records: Json[] = await list()
  const find = (id: string) => records.find((row) => row.batch.customId === id)
  // 10 and 5 tokens.
  expect(find('dear')).toMatchObject({ requestedModel: 'big', model: 'small', costUsd: 0.000075 })
  expect(find('dear').rules).toEqual([
    expect.objectContaining({
      ruleName: 'Cheaper',
      unable: null,
      savedUsd: null,
      changes: [
        { field: 'model', asked: 'big', sent: 'small' },
        { field: 'reasoning_effort', asked: 'high', sent: 'low' },
        { field: 'service_tier', asked: 'priority', sent: null },
      ],
    }),
  ])
  expect(find('plain')).toMatchObject({
    requestedModel: 'big',
    model: 'big',
    costUsd: 0.00075,
    rules: null,
  })
})

test('a rule that denies refuses the file with the number of the line, and nothing is kept', async () => {
  await addRule({ name: 'No premium', when: [{ kind: 'premium', any: ['tier'] }], do: [{ kind: 'deny' }] })
  const { secret } = await tollgate.createKey({ name: 'denied', scope: 'full' })
  const { status, json } = await upload(secret, [writeLine('plain', ''), writeLine('dear', PREMIUM)])
  expect(status).toBe(403)
  expect(json.error).toMatchObject({ code: 'denied_by_rule', param: 'line 2' })
  expect(json.error.message).toMatch(/Line 2: The rule "No premium" refuses it\. .*service_tier/)
  expect((await tollgate.call('GET', '/v1/files', { as: secret })).json.data).toEqual([])
})

test('a line that needs permission is refused, as a batch cannot wait', async () => {
  await addRule({ name: 'Ask first', do: [{ kind: 'ask' }] })
  const { secret } = await tollgate.createKey({ name: 'asks', scope: 'full' })
  const { status, json } = await upload(secret, [writeLine('plain', '')])
  expect([status, json.error.code]).toEqual([403, 'denied_by_rule'])
  expect(json.error.message).toContain('needs permission, for which a batch cannot wait')
})

test.each([
  ['has a model of another provider', 'opus', {}, /provider/],
  ['could cost more', 'dearest', {}, /cost more/],
  [
    'has a model with a limit of its own',
    'small',
    { spendLimits: [{ usd: 5, per: 'day', model: 'small' }] },
    /limit/,
  ],
])('a line stays as it is where the rule %s, and its record says why', async (_, model, limits, why) => {
  await addModel('dearest', 'vendor', 1_000)
  await addRule({ do: [{ kind: 'model', model }] })
  const { secret } = await tollgate.createKey({ name: model, scope: 'full', ...limits })
  const lines = [writeLine('one', '')]
  const { json: file } = await upload(secret, lines)
  expect(getSent()).toEqual(lines)
  const { json: batch } = await createBatch(secret, file.id)
  vendor.end([...vendor.batches.keys()].at(-1) ?? '', {
    results: (sent) => sent.map((line) => chatResult(line)),
  })
  const list = async () => (await tollgate.call('GET', `/v1/requests?batch=${batch.id}`)).json.data
  await expect.poll(async () => (await list()).length, { interval: 20 }).toBe(1)
  expect(await list()).toMatchObject([
    { requestedModel: 'big', model: 'big', rules: [{ changes: [], unable: expect.stringMatching(why) }] },
  ])
})

test('batches of messages are lowered and denied, too, and a rule that is only tried changes nothing', async () => {
  const { secret } = await tollgate.createKey({ name: 'messages', scope: 'full' })
  const create = (...texts: string[]) =>
    tollgate.call('POST', '/v1/messages/batches', {
      as: '',
      headers: { 'x-api-key': secret, 'content-type': 'application/json' },
      body: `{"requests": [${texts.join(', ')}]}`,
    })
  const request = (more: string) =>
    `{"custom_id": "one", "params": {"model": "opus", "max_tokens": 10, ${more}"messages": [{"role": "user", "content": "Hi"}]}}`
  const effort = '"output_config": {"effort": "high"}, '
  const rule = { name: 'Low', when: [], do: [{ kind: 'effort', atMost: 'low' }] }
  await addRule({ ...rule, mode: 'shadow' })
  expect((await create(request(effort))).status).toBe(200)
  const getBatch = () => [...vendor.batches].at(-1) ?? expect.fail('no batch')
  expect(getBatch()[1].lines[0].params.output_config).toEqual({ effort: 'high' })
  await addRule(rule)
  const { json } = await create(request(effort))
  const [vendorId, { lines }] = getBatch()
  expect(lines[0].params.output_config).toEqual({ effort: 'low' })
  vendor.endMessages(vendorId, (sent) => sent.map((line) => messageResult(line)))
  const list = async () => (await tollgate.call('GET', `/v1/requests?batch=${json.id}`)).json.data
  await expect.poll(async () => (await list()).length, { interval: 20 }).toBe(1)
  expect((await list())[0].rules).toMatchObject([
    { shadow: false, changes: [{ field: 'output_config.effort', asked: 'high', sent: 'low' }] },
    { shadow: true, changes: [{ field: 'output_config.effort', asked: 'high', sent: 'low' }] },
  ])
  const { json: rules } = await tollgate.call('GET', '/v1/rules')
  for (const { id } of rules.data) await tollgate.call('DELETE', `/v1/rules/${id}`)
  await addRule({ do: [{ kind: 'deny' }], when: [{ kind: 'effort', atLeast: 'high' }] })
  const denied = await create(request('').replace('one', 'plain'), request(effort))
  expect(denied).toMatchObject({ status: 403, json: { error: { type: 'permission_error' } } })
  expect(denied.json.error.message).toContain('Line 2: The rule')
})
