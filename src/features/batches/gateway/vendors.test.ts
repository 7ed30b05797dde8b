// Batches with OpenAI's own SDK, of the paths that lines may have, and at Azure.
import OpenAI, { toFile } from 'openai'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { impatient } from '../../../gateway/testing/short-waits.ts'
import { chatLine, chatResult, type Json, startBatchVendor, toLines } from './testing/batch-vendor.ts'

const vendor = await forFile(startBatchVendor())
const tollgate = await forFile(startTestGateway({ clock: impatient }))
const options = { baseUrl: `${vendor.url}/v1`, credential: 'secret' }
await tollgate.call('PUT', '/v1/providers/openai', { body: options })
await tollgate.call('PUT', '/v1/providers/azure', { body: { ...options, baseUrl: `${vendor.url}/v1` } })
await tollgate.call('PUT', '/v1/providers/mine', { body: { ...options, apiFormat: 'openai-responses' } })
const usual = { inputPerMillion: 1, outputPerMillion: 2 }
for (const [id, provider] of [
  ['gpt-5-mini', 'openai'],
  ['text-embedding-3-small', 'openai'],
  ['my-deployment', 'azure'],
  ['my-model', 'mine'],
])
  await tollgate.call('PUT', `/v1/models/${id}`, {
    body: {
      provider,
      pricing: provider === 'mine' ? { ...usual, tierFactors: { batch: 0.5 } } : usual,
      maxOutputTokens: 1_000,
    },
  })

async function connect() {
  const key = await tollgate.createKey({ name: 'batcher', scope: 'completions-only', spendLimitUsd: 1 })
  const sdk = new OpenAI({ apiKey: key.secret, baseURL: `${tollgate.baseUrl}/v1`, maxRetries: 0 })
  return { key, sdk }
}

async function settle(id: string): Promise<Json> {
  const find = async () =>
    (await tollgate.call('GET', '/v1/batch-jobs')).json.data.find((job: Json) => job.id === id)
  await expect.poll(async () => (await find()).settled, { interval: 20 }).toBe(true)
  return await find()
}

const getVendorId = () => [...vendor.batches.keys()].at(-1) ?? ''

test('the SDK sends a file, makes a batch, reads its output and lists both', async () => {
  const { key, sdk } = await connect()
  const lines = toLines([
    chatLine('a', { model: 'gpt-5-mini' }),
    chatLine('b', { model: 'openai/gpt-5-mini' }),
  ])
  const file = await sdk.files.create({
    file: await toFile(Buffer.from(lines), 'in.jsonl'),
    purpose: 'batch',
  })
  expect(file).toMatchObject({ object: 'file', purpose: 'batch' })
  const batch = await sdk.batches.create({
    ...{ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
    metadata: { job: 'nightly' },
  })
  expect(batch).toMatchObject({ status: 'in_progress', input_file_id: file.id, metadata: { job: 'nightly' } })
  vendor.end(getVendorId(), { results: (sent) => sent.map((line) => chatResult(line)) })
  // OpenAI's price list has half of every token price.
  expect(await settle(batch.id)).toMatchObject({ succeeded: 2, costUsd: 0.00002 })
  const { output_file_id: output } = await sdk.batches.retrieve(batch.id)
  const text = await (await sdk.files.content(output ?? '')).text()
  expect(text.trim().split('\n')).toHaveLength(2)
  expect((await sdk.files.retrieve(output ?? '')).id).toBe(output)
  const ids: string[] = []
  for await (const each of sdk.batches.list({ limit: 1 })) ids.push(each.id)
  expect(ids).toEqual([batch.id])
  expect((await sdk.files.list()).data.map(({ id }) => id)).toEqual([output, file.id])
  await expect(sdk.batches.retrieve('batch_none')).rejects.toMatchObject({ status: 404 })
  const pdf = toFile(Buffer.from('%PDF'), 'a.pdf')
  await expect(sdk.files.create({ file: await pdf, purpose: 'user_data' })).rejects.toMatchObject({
    status: 400,
  })
  expect((await tollgate.getKey(key.id)).spendUsd).toBe(0.00002)
})

test.each([
  {
    url: '/v1/responses',
    sent: { model: 'my-model', input: 'Hi', max_output_tokens: 100 },
    answer: {
      ...{ id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-5-mini' },
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }],
      usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    },
    costUsd: 0.00001,
  },
  {
    url: '/v1/embeddings',
    sent: { model: 'text-embedding-3-small', input: ['Hello'] },
    answer: { object: 'list', data: [], usage: { prompt_tokens: 10, total_tokens: 10 } },
    costUsd: 0.000005,
  },
])('lines for $url are charged', async ({ url, sent, answer, costUsd }) => {
  const { sdk } = await connect()
  const line = { custom_id: 'a', method: 'POST', url, body: sent }
  const file = await sdk.files.create({ file: await toFile(Buffer.from(toLines([line]))), purpose: 'batch' })
  const batch = await sdk.batches.create({
    ...{ input_file_id: file.id, endpoint: url as '/v1/responses', completion_window: '24h' },
  })
  vendor.end(getVendorId(), {
    results: () => [{ custom_id: 'a', response: { status_code: 200, body: answer }, error: null }],
  })
  expect(await settle(batch.id)).toMatchObject({ succeeded: 1, costUsd })
})

test('Azure does its deployments by half, also by paths without a version', async () => {
  const { sdk } = await connect()
  const line = { ...chatLine('a', { model: 'my-deployment' }), url: '/chat/completions' }
  const file = await sdk.files.create({ file: await toFile(Buffer.from(toLines([line]))), purpose: 'batch' })
  const batch = await sdk.batches.create({
    ...{ input_file_id: file.id, completion_window: '24h' },
    endpoint: '/chat/completions' as '/v1/chat/completions',
  })
  expect(vendor.requests.at(-1)?.headers['api-key']).toBe('secret')
  // Azure leaves the id of a file that it has not written empty.
  vendor.end(getVendorId(), { results: (lines) => lines.map((each) => chatResult(each)) })
  Object.assign(vendor.batches.get(getVendorId())?.object ?? {}, { error_file_id: '' })
  expect(await settle(batch.id)).toMatchObject({ provider: 'azure', succeeded: 1, costUsd: 0.00001 })
})

test('a batch has lines of one provider', async () => {
  const { sdk } = await connect()
  const lines = [chatLine('a', { model: 'gpt-5-mini' }), chatLine('b', { model: 'my-deployment' })]
  const file = await toFile(Buffer.from(toLines(lines)))
  await expect(sdk.files.create({ file, purpose: 'batch' })).rejects.toThrow(/Line 2: .*provider "openai"/)
  const sandbox = await toFile(Buffer.from(toLines([chatLine('a', { model: 'sandbox-small' })])))
  await expect(sdk.files.create({ file: sandbox, purpose: 'batch' })).rejects.toThrow(
    /No provider of "sandbox-small"/,
  )
})

test('a token that Azure rejects for a file is not used for the next one', async () => {
  let issued = 0
  vi.stubEnv('IDENTITY_ENDPOINT', `${vendor.url}/msi`)
  vi.stubEnv('IDENTITY_HEADER', 'header')
  vendor.override = (exchange, call) => {
    if (call === 'GET /msi') exchange.reply(200, { access_token: `token-${++issued}`, expires_in: 3_600 })
    else if (exchange.request.headers.authorization !== 'Bearer token-1') return false
    else exchange.reply(401, { error: { message: 'The token was revoked.' } })
    return true
  }
  onTestFinished(() => {
    vi.unstubAllEnvs()
    vendor.override = null
  })
  const body = { authorization: 'azure-login', credential: null }
  expect((await tollgate.call('PUT', '/v1/providers/azure', { body })).status).toBe(200)
  const { sdk } = await connect()
  const lines = Buffer.from(toLines([chatLine('a', { model: 'my-deployment' })]))
  const send = async () => sdk.files.create({ file: await toFile(lines, 'in.jsonl'), purpose: 'batch' })
  await expect(send()).rejects.toMatchObject({ status: 502 })
  expect(await send()).toMatchObject({ object: 'file' })
  expect(issued).toBe(2)
})
