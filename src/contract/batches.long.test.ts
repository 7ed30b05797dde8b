// Batches in a program that is killed again and again: no line is lost, and none is charged twice. A line costs $0.00001.

import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  chatLine,
  chatResult,
  type Json,
  startBatchVendor,
  toLines,
} from '../features/batches/gateway/testing/batch-vendor.ts'
import { forFile } from '../gateway/testing/lifetime.ts'
import { listen } from '../gateway/testing/listen.ts'
import { type Program, startProgram } from './testing/program.ts'

const LINE_USD = 0.00001
const vendor = await forFile(startBatchVendor())
const tollgate = await forFile(startProgram())
const pricing = { inputPerMillion: 1, outputPerMillion: 2, tierFactors: { batch: 0.5 } }

async function addModel(id: string, url: string, program = tollgate) {
  const provider = { apiFormat: 'openai-chat', baseUrl: `${url}/v1` }
  expect((await program.call('PUT', `/v1/providers/${id}`, { body: provider })).status).toBe(200)
  await program.call('PUT', '/v1/models/small', { body: { provider: id, pricing, maxOutputTokens: 1_000 } })
}

await addModel('vendor', vendor.url)

async function upload(as: string, body: string | ReadableStream, program = tollgate) {
  const boundary = 'boundary'
  const response = await fetch(`${program.baseUrl}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as}`, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body,
    duplex: 'half',
  } as RequestInit)
  const json: Json = await response.json()
  expect([response.status, json]).toMatchObject([200, { object: 'file' }])
  return json.id as string
}

const formHead =
  '--boundary\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--boundary\r\nContent-Disposition: form-data; name="file"; filename="f.jsonl"\r\n\r\n'
const formTail = '\r\n--boundary--\r\n'
const toForm = (lines: readonly Json[]) => `${formHead}${toLines(lines)}${formTail}`

const createLines = (count: number) => Array.from({ length: count }, (_, at) => chatLine(`line-${at + 1}`))

const create = (as: string, file: string) =>
  tollgate.call('POST', '/v1/batches', {
    as,
    body: { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' },
  })

/** The batches of a key, as Tollgate meters them. */
const listJobs = async (key: string): Promise<Json[]> =>
  (await tollgate.call('GET', `/v1/batch-jobs?key=${key}`)).json.data

const finishAll = (lines: readonly Json[]) => lines.map((line) => chatResult(line)).reverse()

/** Waits until the batches of the key are settled. A look at one that has ended settles it without a wait. */
async function settle(key: { id: string; secret: string }): Promise<Json> {
  for (const { id } of await listJobs(key.id))
    await tollgate.call('GET', `/v1/batches/${id}`, { as: key.secret })
  const isSettled = async () => (await listJobs(key.id)).every(({ settled }) => settled)
  await expect.poll(isSettled, { interval: 100, timeout: 60_000 }).toBe(true)
  return await tollgate.getKey(key.id)
}

/** Kills the program at one of its calls of the vendor, and answers it or not. */
function killAt(call: RegExp, answer: 'before' | 'silent' | 'half', afterMs = 0): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  vendor.override = (exchange, name) => {
    if (!call.test(name)) return false
    vendor.override = null
    const kill = () => void delay(afterMs).then(() => tollgate.kill().then(() => resolve()))
    if (answer === 'silent') vendor.createSilently(exchange)
    if (answer === 'half') {
      const id = name.split('/').at(-2) ?? ''
      const text = vendor.files.get(id)?.text ?? ''
      exchange.begin({ 'content-type': 'application/octet-stream' }).raw(text.slice(0, text.length / 2))
    }
    kill()
    return answer !== 'before' || afterMs === 0
  }
  return promise
}

const LINES = 500
/** The moments at which the program is killed. */
const POINTS = [
  { name: 'while a file is sent', call: /^POST \/v1\/files$/, answer: 'before' },
  { name: 'before the answer to a creation', call: /^POST \/v1\/batches$/, answer: 'silent' },
  { name: 'while a batch is read', call: /^GET \/v1\/batches\/batch_/, answer: 'before' },
  {
    name: 'in the middle of the results',
    call: /^GET \/v1\/files\/.*\/content$/,
    answer: 'half',
    afterMs: 40,
  },
  { name: 'after some results', call: /^GET \/v1\/files\/.*\/content$/, answer: 'before', afterMs: 15 },
  { name: 'after more results', call: /^GET \/v1\/files\/.*\/content$/, answer: 'before', afterMs: 60 },
] as const

test('30 kills at every change of a batch lose no line and charge none twice', async () => {
  const lines = createLines(LINES)
  for (let round = 0; round < 30; round++) {
    const point = POINTS[round % POINTS.length]
    if (!point) expect.fail('no point')
    const at = `${round}: ${point.name}`
    const key = await tollgate.createKey({ name: `round ${round}`, scope: 'full', spendLimitUsd: 1 })
    const killed = killAt(point.call, point.answer, 'afterMs' in point ? point.afterMs : 0)
    const running = (async () => {
      const { json } = await create(key.secret, await upload(key.secret, toForm(lines)))
      const [id = ''] = [...vendor.batches.keys()].slice(-1)
      vendor.end(id, { results: finishAll })
      await tollgate.call('GET', `/v1/batches/${json.id}`, { as: key.secret })
    })().catch(() => undefined)
    await killed
    await running
    vendor.override = null
    await tollgate.start()
    let jobs = await listJobs(key.id)
    if (jobs.length === 0) {
      // It was killed before anything was reserved.
      expect([at, (await tollgate.getKey(key.id)).reservedUsd]).toEqual([at, 0])
      await create(key.secret, await upload(key.secret, toForm(lines)))
      jobs = await listJobs(key.id)
    }
    expect([at, jobs.length]).toEqual([at, 1])
    const [id = ''] = [...vendor.batches.keys()].slice(-1)
    vendor.end(id, { results: finishAll })
    expect([at, await settle(key)]).toMatchObject([at, { reservedUsd: 0, spendUsd: LINES * LINE_USD }])
    const { json } = await tollgate.call('GET', `/v1/requests/totals?key=${key.id}`)
    expect([at, json.requests]).toEqual([at, LINES])
  }
}, 600_000)

test('50,000 lines are refused above a cap, and settled under one, although the program is killed', async () => {
  const count = 50_000
  const key = await tollgate.createKey({ name: 'large', scope: 'full', spendLimitUsd: 1 })
  const startedAt = performance.now()
  const file = await upload(key.secret, toForm(createLines(count)))
  const uploadedAt = performance.now()
  const refused = await create(key.secret, file)
  expect(refused.status).toBe(402)
  expect(refused.json.error.message).toMatch(
    /^The 50000 requests .* may cost up to \$\d+\.\d+, .* leaves \$1\.00,.*the first \d{4} would fit/,
  )
  await tollgate.call('PATCH', `/v1/keys/${key.id}`, { body: { spendLimitUsd: 100 } })
  const createdAt = performance.now()
  expect((await create(key.secret, file)).status).toBe(200)
  const reservedAt = performance.now()
  const [id = ''] = [...vendor.batches.keys()].slice(-1)
  vendor.end(id, { results: finishAll })
  for (const ms of [1_500, 2_500]) {
    const [job] = await listJobs(key.id)
    await tollgate.call('GET', `/v1/batches/${job?.id}`, { as: key.secret })
    await delay(ms)
    await tollgate.kill()
    await tollgate.start()
  }
  expect(await settle(key)).toMatchObject({ reservedUsd: 0, spendUsd: count * LINE_USD })
  const settledAt = performance.now()
  const { json } = await tollgate.call('GET', `/v1/requests/totals?key=${key.id}&status=succeeded`)
  expect(json.requests).toBe(count)
  report({
    uploadMs: uploadedAt - startedAt,
    reserveMs: reservedAt - createdAt,
    settleMs: settledAt - reservedAt,
  })
}, 300_000)

const MB = 1024 * 1024

/** How often memory is measured, each time in a new program: some of it is what its collector has not looked at yet. */
const MEMORY_RUNS = 3

test('a file of 200 MB takes at most 64 MB more memory', async () => {
  const runs: number[] = []
  while (runs.length < MEMORY_RUNS && Math.min(...runs) >= 64) runs.push(await measureLargeFile())
  report({ moreMb: Math.min(...runs) })
  expect(Math.min(...runs)).toBeLessThan(64)
}, 300_000)

/** How much more memory a program takes for such a file, in megabytes. */
async function measureLargeFile(): Promise<number> {
  let received = 0
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      received += chunk.byteLength
    })
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ id: 'file-large', object: 'file', bytes: received, purpose: 'batch' }))
    })
  })
  const program = await startProgram()
  try {
    await addModel('sink', `http://127.0.0.1:${await listen(server)}`, program)
    const key = await program.createKey({ name: 'memory', scope: 'full' })
    // What the first upload loads is not the file's.
    await upload(key.secret, toForm(createLines(2_000)), program)
    const usual = readMemory('VmRSS', program)
    writeFileSync(`/proc/${program.pid}/clear_refs`, '5')
    received = 0
    await upload(key.secret, Readable.toWeb(Readable.from(sendLargeFile())) as ReadableStream, program)
    expect(received).toBeGreaterThan(190 * MB)
    return (readMemory('VmHWM', program) - usual) / 1024
  } finally {
    await program.close()
    server.close()
  }
}

function* sendLargeFile() {
  const content = 'word '.repeat(800)
  yield Buffer.from(formHead)
  for (let at = 0; at < 50_000; at += 100) {
    const some = Array.from({ length: 100 }, (_, index) =>
      chatLine(`line-${at + index}`, { messages: [{ role: 'user', content }] }),
    )
    yield Buffer.from(toLines(some))
  }
  yield Buffer.from(formTail)
}

/** Kilobytes. */
function readMemory(name: 'VmRSS' | 'VmHWM', { pid }: Program): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1])
}

function report(figures: Record<string, number>): void {
  // biome-ignore lint/suspicious/noConsole: the figures of this machine
  console.log(
    Object.entries(figures)
      .map(([name, value]) => `${name} ${value.toFixed(1)}`)
      .join(', '),
  )
}
