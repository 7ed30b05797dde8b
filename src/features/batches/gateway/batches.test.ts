// Batches of OpenAI's API. A line with an answer of 10 and 5 tokens costs 10 × $1 and 5 × $2 for a million tokens, by half: $0.00001.
import { expect, test } from 'vitest'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { impatient } from '../../../gateway/testing/short-waits.ts'
import {
  chatLine,
  chatResult,
  countTokens,
  failedResult,
  type Json,
  startBatchVendor,
  toLines,
} from './testing/batch-vendor.ts'

const LINE_USD = 0.00001
const vendor = await forFile(startBatchVendor())
const tollgate = await forFile(startTestGateway({ clock: impatient }))
await tollgate.addProvider('vendor', `${vendor.url}/v1`, [])
const pricing = { inputPerMillion: 1, outputPerMillion: 2, tierFactors: { batch: 0.5 } }
const model = { provider: 'vendor', pricing, maxOutputTokens: 1_000 }
await tollgate.call('PUT', '/v1/models/small', { body: model })
await tollgate.call('PUT', '/v1/models/other', { body: model })
await tollgate.call('PUT', '/v1/models/unpriced', { body: { ...model, pricing: null } })

async function upload(as: string, lines: readonly Json[], purpose = 'batch') {
  const form = new FormData()
  form.set('purpose', purpose)
  form.set('file', new Blob([toLines(lines)]), 'lines.jsonl')
  const response = await fetch(`${tollgate.baseUrl}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as}` },
    body: form,
  })
  return { status: response.status, json: (await response.json()) as Json }
}

const create = (as: string, file: string, more: object = {}) =>
  tollgate.call('POST', '/v1/batches', {
    as,
    body: { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h', ...more },
  })

async function start(as: string, lines: readonly Json[]) {
  const file = await upload(as, lines)
  expect(file).toMatchObject({ status: 200, json: { object: 'file', purpose: 'batch' } })
  const batch = await create(as, file.json.id)
  expect(batch).toMatchObject({ status: 200, json: { status: 'in_progress', input_file_id: file.json.id } })
  return { file: file.json.id, id: batch.json.id, vendorId: [...vendor.batches.keys()].at(-1) ?? '' }
}

const findJob = async (id: string) =>
  (await tollgate.call('GET', '/v1/batch-jobs?limit=200')).json.data.find((job: Json) => job.id === id)

async function settled(id: string): Promise<Json> {
  await expect.poll(async () => (await findJob(id)).settled, { interval: 20, timeout: 5_000 }).toBe(true)
  return await findJob(id)
}

const lines = (count: number, body?: Json) =>
  Array.from({ length: count }, (_, at) => chatLine(`line-${at + 1}`, body))

test('a batch reserves the most that its lines may cost, and charges each by its usage at the price of batches', async () => {
  const key = await tollgate.createKey({ name: 'batcher', scope: 'full', spendLimitUsd: 1 })
  const { id, vendorId } = await start(key.secret, lines(3))
  const { reservedUsd, spendUsd } = await tollgate.getKey(key.id)
  expect(spendUsd).toBe(0)
  // 100 tokens of output each, and a byte of the prompt is at most a token.
  expect(reservedUsd).toBeGreaterThan(3 * 0.0001)
  expect(reservedUsd).toBeLessThan(3 * 0.0003)
  // A batch alone is no single request.
  const running = await tollgate.call('GET', '/v1/sessions?minRequests=2')
  expect(running.json.data).toContainEqual(expect.objectContaining({ id: (await findJob(id)).sessionId }))
  vendor.end(vendorId, { results: (sent) => sent.map((line) => chatResult(line)).reverse() })
  expect(await settled(id)).toMatchObject({ lines: 3, succeeded: 3, failed: 0, costUsd: 0.00003 })
  expect(await tollgate.getKey(key.id)).toMatchObject({ reservedUsd: 0, spendUsd: 0.00003 })
  const { json } = await tollgate.call('GET', `/v1/requests?key=${key.id}`)
  expect(json.data).toHaveLength(3)
  const list = async (batch: string) =>
    (await tollgate.call('GET', `/v1/requests?key=${key.id}&batch=${batch}`)).json.data.length
  expect([await list(id), await list(''), await list('batch_other')]).toEqual([3, 0, 0])
  const [session] = new Set(json.data.map((row: Json) => row.sessionId))
  const jobs = await tollgate.call('GET', `/v1/batch-jobs?session=${session}`)
  expect(jobs.json.data.map((job: Json) => job.id)).toContain(id)
  for (const [at, row] of json.data.entries())
    expect(row).toMatchObject({
      ...{ status: 'succeeded', costUsd: LINE_USD, costStatus: 'exact', tokensIn: 10, tokensOut: 5 },
      ...{
        model: 'small',
        provider: 'vendor',
        endpoint: 'POST /v1/chat/completions',
        price: { tier: 'batch' },
      },
      batch: { id, customId: `line-${at + 1}`, line: at + 1 },
    })
})

test('a batch that does not fit is refused with its sum and the lines that would fit, and nothing is reserved', async () => {
  const key = await tollgate.createKey({ name: 'small cap', scope: 'full', spendLimitUsd: 0.0005 })
  const file = await upload(key.secret, lines(10))
  const before = vendor.batches.size
  const refused = await create(key.secret, file.json.id)
  expect(refused).toMatchObject({ status: 402, json: { error: { code: 'spend_limit_reached' } } })
  expect(refused.json.error.message).toMatch(
    /^The 10 requests of this batch may cost up to \$0\.00\d+, .*the first 3 would fit/,
  )
  expect(vendor.batches.size).toBe(before)
  expect((await tollgate.getKey(key.id)).reservedUsd).toBe(0)
})

test('lines that fail, expire or have no result release what was reserved for them', async () => {
  const key = await tollgate.createKey({ name: 'unlucky', scope: 'full', spendLimitUsd: 1 })
  const { id, vendorId } = await start(key.secret, lines(5))
  vendor.end(vendorId, {
    status: 'expired',
    results: ([one]) => [chatResult(one)],
    errors: ([, two, three]) => [failedResult(two), failedResult(three, 'batch_expired')],
  })
  expect(await settled(id)).toMatchObject({ succeeded: 1, failed: 2, costUsd: LINE_USD, status: 'expired' })
  expect(await tollgate.getKey(key.id)).toMatchObject({ reservedUsd: 0, spendUsd: LINE_USD })
  const { json } = await tollgate.call('GET', `/v1/requests?key=${key.id}`)
  expect(json.data.map((row: Json) => [row.batch.line, row.status, row.costUsd])).toEqual(
    expect.arrayContaining([
      [1, 'succeeded', LINE_USD],
      [2, 'failed', 0],
      [3, 'canceled', 0],
    ]),
  )
})

test.each([
  ['zeros with only a total', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 15 }],
  ['nothing', undefined],
  ['no output', countTokens(10, 0)],
])('a line whose provider reports %s is charged at its bound, as an estimate', async (_what, usage) => {
  const key = await tollgate.createKey({ name: 'uncounted', scope: 'full', spendLimitUsd: 1 })
  const { id, vendorId } = await start(key.secret, lines(1))
  const { reservedUsd } = await tollgate.getKey(key.id)
  vendor.end(vendorId, { results: (sent) => sent.map((line) => chatResult(line, usage ?? null)) })
  expect(await settled(id)).toMatchObject({ costUsd: reservedUsd, succeeded: 1 })
  const { json } = await tollgate.call('GET', `/v1/requests?key=${key.id}`)
  expect(json.data[0]).toMatchObject({ costStatus: 'estimated', costUsd: reservedUsd })
})

test('results that come twice are charged once, and those of no line are counted', async () => {
  const key = await tollgate.createKey({ name: 'twice', scope: 'full' })
  const { id, vendorId } = await start(key.secret, lines(2))
  vendor.end(vendorId, {
    results: ([one, two]) => [one, one, two, chatLine('stranger'), one].map((line) => chatResult(line)),
    completed: 2,
  })
  expect(await settled(id)).toMatchObject({ succeeded: 2, costUsd: 2 * LINE_USD })
  expect((await findJob(id)).problem).toBe('1 results name no line of this batch.')
})

test('lines that the provider has counted and gives no results of are unsettled at their bounds', async () => {
  const key = await tollgate.createKey({ name: 'lost', scope: 'full' })
  const { id, vendorId } = await start(key.secret, lines(3))
  const { reservedUsd } = await tollgate.getKey(key.id)
  vendor.end(vendorId, { results: ([one]) => [chatResult(one)], completed: 2 })
  const { costUsd } = await settled(id)
  expect(costUsd).toBeCloseTo(LINE_USD + reservedUsd / 3, 9)
  const { json } = await tollgate.call('GET', `/v1/requests?key=${key.id}`)
  expect(json.data.map((row: Json) => row.costStatus).sort()).toEqual(['exact', 'unsettled'])
})

test('another key sees neither file nor batch', async () => {
  const owner = await tollgate.createKey({ name: 'owner', scope: 'full' })
  const other = await tollgate.createKey({ name: 'other', scope: 'full' })
  const { id, file } = await start(owner.secret, lines(1))
  for (const path of [`/v1/files/${file}`, `/v1/files/${file}/content`, `/v1/batches/${id}`]) {
    expect((await tollgate.call('GET', path, { as: other.secret })).status).toBe(404)
    expect((await tollgate.call('GET', path, { as: owner.secret })).status).toBe(200)
  }
  expect((await tollgate.call('POST', `/v1/batches/${id}/cancel`, { as: other.secret })).status).toBe(404)
  expect((await create(other.secret, file)).status).toBe(404)
  expect((await tollgate.call('GET', '/v1/batches', { as: other.secret })).json.data).toEqual([])
  expect((await tollgate.call('GET', '/v1/files', { as: owner.secret })).json.data).toMatchObject([
    { id: file },
  ])
})

test.each([
  ['a line that is no JSON', ['{', chatLine('b')], /^Line 1: .*not valid JSON/],
  ['a model that is not known', [chatLine('a'), chatLine('b', { model: 'none' })], /^Line 2: .*"none"/],
  [
    'the same custom id',
    [chatLine('a'), chatLine('a'), chatLine('b'), chatLine('a')],
    /^Lines 2, 4: "custom_id"/,
  ],
  ['a stream', [chatLine('a', { stream: true })], /^Line 1: .*no streams/],
  ['another path', [chatLine('a'), { ...chatLine('b'), url: '/v1/embeddings' }], /^Line 2: .*same "url"/],
])('a file with %s is refused by the number of the line', async (_what, content, message) => {
  const key = await tollgate.createKey({ name: 'wrong', scope: 'full' })
  const form = new FormData()
  const text = content.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
  form.set('file', new Blob([text]), 'lines.jsonl')
  form.set('purpose', 'batch')
  const headers = { authorization: `Bearer ${key.secret}` }
  const response = await fetch(`${tollgate.baseUrl}/v1/files`, { method: 'POST', headers, body: form })
  const { error } = (await response.json()) as Json
  expect(response.ok).toBe(false)
  expect(error.message).toMatch(message)
})

test('models that the key may not use, and those without a price under a cap, are refused by their lines', async () => {
  const scoped = await tollgate.createKey({ name: 'scoped', scope: 'full', allowedModels: ['small'] })
  const other = await upload(scoped.secret, [chatLine('a'), chatLine('b', { model: 'other' })])
  expect(other).toMatchObject({ status: 403, json: { error: { code: 'model_not_allowed' } } })
  expect(other.json.error.message).toMatch(/^Line 2: /)
  const capped = await tollgate.createKey({ name: 'capped', scope: 'full', spendLimitUsd: 1 })
  const file = await upload(capped.secret, [chatLine('a'), chatLine('b', { model: 'unpriced' })])
  const refused = await create(capped.secret, file.json.id)
  expect(refused).toMatchObject({ status: 400, json: { error: { code: 'model_unpriced' } } })
  expect(refused.json.error.message).toMatch(/^Line 2: /)
})

test('a line with a secret is noted, or refused by its number where the key blocks secrets', async () => {
  const token = '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'
  const lines = [chatLine('a'), chatLine('b', { messages: [{ role: 'user', content: `Use ${token}` }] })]
  const noting = await tollgate.createKey({ name: 'noting', scope: 'full' })
  expect((await upload(noting.secret, lines)).status).toBe(200)
  const { json } = await tollgate.call('GET', '/v1/activity?kind=secret-sent')
  expect(json.data[0]).toMatchObject({ subject: { name: 'noting' }, reason: 'npm token in messages[0]' })
  const blocking = await tollgate.createKey({ name: 'blocking', scope: 'full', secretsInPrompts: 'block' })
  const refused = await upload(blocking.secret, lines)
  expect(refused).toMatchObject({ status: 400, json: { error: { code: 'secret_in_prompt' } } })
  expect(refused.json.error.message).toMatch(/^Line 2: .*npm token in messages\[0\]/)
  expect(JSON.stringify(refused.json)).not.toContain(token)
})

test('after a restart, a batch is still reserved and is settled', async () => {
  const key = await tollgate.createKey({ name: 'restarted', scope: 'full', spendLimitUsd: 1 })
  const { id, vendorId } = await start(key.secret, lines(2))
  const { reservedUsd } = await tollgate.getKey(key.id)
  await tollgate.restart()
  expect((await tollgate.getKey(key.id)).reservedUsd).toBe(reservedUsd)
  vendor.end(vendorId, { results: (sent) => sent.map((line) => chatResult(line)) })
  expect(await settled(id)).toMatchObject({ succeeded: 2 })
  expect(await tollgate.getKey(key.id)).toMatchObject({ reservedUsd: 0, spendUsd: 2 * LINE_USD })
})

test('a batch whose creation has no answer is found at the provider', async () => {
  const key = await tollgate.createKey({ name: 'lost answer', scope: 'full', spendLimitUsd: 1 })
  const file = await upload(key.secret, lines(2))
  const created = vendor.batches.size
  vendor.override = (exchange, call) => {
    if (call !== 'POST /v1/batches') return false
    // It is created, and the answer is lost.
    vendor.override = null
    vendor.createSilently(exchange)
    return true
  }
  expect((await create(key.secret, file.json.id)).status).toBe(502)
  expect(vendor.batches.size).toBe(created + 1)
  const vendorId = [...vendor.batches.keys()].at(-1) ?? ''
  const { json } = await tollgate.call('GET', '/v1/batches', { as: key.secret })
  expect(json.data).toHaveLength(1)
  vendor.end(vendorId, { results: (sent) => sent.map((line) => chatResult(line)) })
  expect(await settled(json.data[0].id)).toMatchObject({ succeeded: 2, costUsd: 2 * LINE_USD })
})

test('a batch that the provider refuses reserves nothing', async () => {
  const key = await tollgate.createKey({ name: 'refused', scope: 'full', spendLimitUsd: 1 })
  const file = await upload(key.secret, lines(1))
  vendor.override = (exchange, call) => {
    if (call !== 'POST /v1/batches') return false
    exchange.reply(400, { error: { message: 'Too many batches.', type: 'invalid_request_error' } })
    return true
  }
  expect(await create(key.secret, file.json.id)).toMatchObject({ status: 400 })
  vendor.override = null
  expect((await tollgate.getKey(key.id)).reservedUsd).toBe(0)
  expect((await tollgate.call('GET', '/v1/batches', { as: key.secret })).json.data).toEqual([])
})

test('a paused key makes no new batch, and its running one is settled, even if the key is revoked', async () => {
  const key = await tollgate.createKey({ name: 'paused', scope: 'full', spendLimitUsd: 1 })
  const { id, file, vendorId } = await start(key.secret, lines(1))
  await tollgate.call('POST', `/v1/keys/${key.id}/pause`, { body: {} })
  expect((await create(key.secret, file)).status).toBe(403)
  expect(await findJob(id)).toMatchObject({ settled: false, keyPaused: true })
  await tollgate.call('DELETE', `/v1/keys/${key.id}`)
  vendor.end(vendorId, { results: (sent) => sent.map((line) => chatResult(line)) })
  expect(await settled(id)).toMatchObject({ succeeded: 1 })
  expect((await tollgate.getKey(key.id)).spendUsd).toBe(LINE_USD)
})

test('content and results go through, and a deleted file is gone at the provider', async () => {
  const key = await tollgate.createKey({ name: 'reader', scope: 'full' })
  const { id, file, vendorId } = await start(key.secret, [chatLine('a', { model: 'vendor/small' })])
  const content = await tollgate.call('GET', `/v1/files/${file}/content`, { as: key.secret })
  expect(JSON.parse(content.text)).toMatchObject({ custom_id: 'a', body: { model: 'small' } })
  vendor.end(vendorId, { results: (sent) => sent.map((line) => chatResult(line)) })
  await settled(id)
  const batch = await tollgate.call('GET', `/v1/batches/${id}`, { as: key.secret })
  expect(batch.json).toMatchObject({ status: 'completed', error_file_id: null })
  const output = await tollgate.call('GET', `/v1/files/${batch.json.output_file_id}/content`, {
    as: key.secret,
  })
  expect(JSON.parse(output.text)).toMatchObject({ custom_id: 'a', response: { status_code: 200 } })
  expect((await tollgate.call('DELETE', `/v1/files/${file}`, { as: key.secret })).json.deleted).toBe(true)
  expect((await tollgate.call('GET', `/v1/files/${file}`, { as: key.secret })).status).toBe(404)
})
