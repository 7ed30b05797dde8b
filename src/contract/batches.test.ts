import { expect } from 'vitest'
import {
  chatLine,
  chatResult,
  failedResult,
  type Json,
  startBatchVendor,
  toLines,
} from '../features/batches/gateway/testing/batch-vendor.ts'
import { forFile } from '../gateway/testing/lifetime.ts'
import { openaiFor } from './testing/openai-client.ts'
import { shareSection } from './testing/upstream.ts'

const { test, tollgate } = await shareSection('Batches')
const vendor = await forFile(startBatchVendor())
await tollgate.addProvider('batch-vendor', `${vendor.url}/v1`, [])
const pricing = { inputPerMillion: 1, outputPerMillion: 2, tierFactors: { batch: 0.5 } }
await tollgate.call('PUT', '/v1/models/batch-model', {
  body: { provider: 'batch-vendor', pricing, maxOutputTokens: 1_000 },
})

async function upload(as: string, lines: readonly Json[]) {
  const body = new FormData()
  body.set('purpose', 'batch')
  body.set('file', new Blob([toLines(lines)]), 'lines.jsonl')
  const headers = { authorization: `Bearer ${as}` }
  const response = await fetch(`${tollgate.baseUrl}/v1/files`, { method: 'POST', headers, body })
  return { status: response.status, json: (await response.json()) as Json }
}

const create = (as: string, file: string) =>
  tollgate.call('POST', '/v1/batches', {
    as,
    body: { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' },
  })

const createLines = (count: number) =>
  Array.from({ length: count }, (_, at) => chatLine(`line-${at}`, { model: 'batch-model' }))

test('Each line is charged once at the batch price, and lines that failed are released', async () => {
  const key = await tollgate.createKey({ name: 'batches', scope: 'completions-only', spendLimitUsd: 1 })
  const file = await upload(key.secret, createLines(3))
  const { json } = await create(key.secret, file.json.id)
  expect((await tollgate.getKey(key.id)).reservedUsd).toBeGreaterThan(0.0003)
  vendor.end([...vendor.batches.keys()].at(-1) ?? '', {
    results: ([one, two]) => [chatResult(two), chatResult(one), chatResult(two)],
    errors: ([, , three]) => [failedResult(three)],
    completed: 2,
  })
  // A look at a batch that has ended settles it.
  await tollgate.call('GET', `/v1/batches/${json.id}`, { as: key.secret })
  await expect
    .poll(() => tollgate.getKey(key.id), { timeout: 10_000 })
    .toMatchObject({ reservedUsd: 0, spendUsd: 0.00002 })
  const { data } = (await tollgate.call('GET', `/v1/requests?key=${key.id}&batch=${json.id}`)).json
  expect(data.map((row: Json) => [row.batch.line, row.status]).sort()).toEqual([
    [1, 'succeeded'],
    [2, 'succeeded'],
    [3, 'failed'],
  ])
})

test('A batch that does not fit is 402 with its sum and the lines that would fit; nothing is sent or reserved', async () => {
  const key = await tollgate.createKey({ name: 'capped', scope: 'full', spendLimitUsd: 0.0005 })
  const file = await upload(key.secret, createLines(20))
  const before = vendor.batches.size
  const { status, json } = await create(key.secret, file.json.id)
  expect([status, json.error.code]).toEqual([402, 'spend_limit_reached'])
  expect(json.error.message).toMatch(
    /^The 20 requests .* may cost up to \$0\.00\d+, .* the first \d would fit/,
  )
  expect(vendor.batches.size).toBe(before)
  expect((await tollgate.getKey(key.id)).reservedUsd).toBe(0)
})

test('Lines with a model that the key may not use are refused by their numbers', async () => {
  const key = await tollgate.createKey({ name: 'scoped', scope: 'full', allowedModels: ['sandbox-*'] })
  const { status, json } = await upload(key.secret, createLines(2))
  expect([status, json.error.code]).toEqual([403, 'model_not_allowed'])
  expect(json.error.message).toMatch(/^Lines 1, 2: /)
})

test('Another key gets 404 for a file and a batch, and lists neither', async () => {
  const owner = await tollgate.createKey({ name: 'owner', scope: 'full' })
  const file = await upload(owner.secret, createLines(1))
  const { json } = await create(owner.secret, file.json.id)
  const other = await tollgate.createKey({ name: 'other', scope: 'full' })
  const sdk = openaiFor(tollgate)(other.secret)
  await expect(sdk.files.retrieve(file.json.id)).rejects.toMatchObject({ status: 404 })
  await expect(sdk.files.content(file.json.id)).rejects.toMatchObject({ status: 404 })
  await expect(sdk.batches.retrieve(json.id)).rejects.toMatchObject({ status: 404 })
  await expect(sdk.batches.cancel(json.id)).rejects.toMatchObject({ status: 404 })
  expect((await sdk.batches.list()).data).toEqual([])
})
