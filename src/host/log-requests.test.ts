import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { breakRequestTable } from '../gateway/store/testing/break-request-table.ts'
import { type TestClient, testClient } from '../gateway/testing/gateway.ts'
import { tempDirForTest } from '../gateway/testing/temp-dir.ts'
import {
  startTestUpstream,
  type TestUpstream,
  testCompletion,
} from '../gateway/upstream/testing/test-upstream.ts'
import { LOG_FILE } from '../shared/desktop/log-file.ts'
import { createHostLog, type HostLog } from './log.ts'
import type { Host } from './start.ts'
import { startTestHost } from './testing/test-host.ts'

const PROMPT = 'canary prompt about the merger'
const CREDENTIAL = 'canary-credential-5f2c19'
const WRONG_KEY = `tg-${'C'.repeat(43)}`

let dataDir = ''
let log: HostLog
let host: Host
let upstream: TestUpstream
let client: TestClient
let printed: string[]

beforeEach(async () => {
  dataDir = tempDirForTest()
  printed = []
  log = createHostLog((line) => printed.push(line))
  log.setLevel('debug')
  host = await startTestHost({ dataDir, log, createAdminKey: true })
  const { baseUrl } = await host.listen(0)
  client = testClient(baseUrl, host.gateway.adminKey ?? '')
})
afterEach(async () => {
  await host.close()
  await log.close()
  await upstream?.close()
})

/** The lines of the log file, after everything was written. */
async function readLines(): Promise<{ requestId?: string; level: string; err?: { message: string } }[]> {
  await host.close()
  await log.close()
  return readFileSync(join(dataDir, LOG_FILE), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test.each([
  ['GET', '/v1/requests', 500, 1],
  // The request's row and its charge cannot be written.
  ['POST', '/v1/chat/completions', 503, 2],
] as const)(
  'a failed %s %s answers %i with the request id of each line that has the error',
  async (method, path, status, count) => {
    breakRequestTable(dataDir)
    const response = await (method === 'GET' ? client.call(method, path) : client.chat({}))
    expect(response.status).toBe(status)
    const requestId = response.headers.get('x-service-request-id')
    const lines = (await readLines()).filter((line) => line.requestId === requestId && line.level === 'error')
    expect(lines).toHaveLength(count)
    for (const { err } of lines) expect(err?.message).toContain('no such table')
  },
)

test('debug lines name requests without their query', async () => {
  await client.call('GET', '/v1/requests?key=key_of_somebody&limit=1')
  const line = (await readLines()).find(({ level }) => level === 'debug')
  expect(line).toMatchObject({ method: 'GET', path: '/v1/requests', status: 200 })
  expect(JSON.stringify(line)).not.toContain('key_of_somebody')
})

test('a failed attempt is logged with the request id, although another attempt succeeds', async () => {
  let calls = 0
  upstream = await startTestUpstream((exchange) =>
    ++calls === 1 ? exchange.reply(503, `down: ${PROMPT}`) : exchange.reply(200, testCompletion('Hello.')),
  )
  await client.addProvider('custom', `${upstream.url}/v1`, ['flaky'], {})
  const answer = await client.chat({ model: 'flaky' })
  expect(answer.status).toBe(200)
  const requestId = answer.headers.get('x-service-request-id')
  const lines = (await readLines()).filter((line) => line.requestId === requestId && line.level === 'warn')
  expect(lines).toEqual([
    expect.objectContaining({ msg: 'Attempt failed', provider: 'custom', model: 'flaky', status: 503 }),
  ])
})

test('failing requests leave no key, credential, prompt or upstream text in the log', async () => {
  upstream = await startTestUpstream((exchange) => {
    const echo = `canary upstream: ${exchange.request.body} ${exchange.request.headers.authorization}`
    if (exchange.request.method === 'GET') return exchange.reply(500, echo)
    const { model, stream } = exchange.request.json()
    if (model === 'broken-json') return exchange.reply(200, `{"canary": "${echo}`)
    if (stream && model === 'broken-stream') {
      return exchange.begin().raw(`data: {"canary ${PROMPT} ${CREDENTIAL}\n\n`).reset()
    }
    const status = /^status-(\d+)$/.exec(String(model))?.[1] ?? 400
    exchange.reply(Number(status), { error: { message: echo } })
  })
  const models = ['status-400', 'status-422', 'broken-json', 'broken-stream', 'status-401']
  await client.addProvider('custom', `${upstream.url}/v1`, models, { credential: CREDENTIAL })
  const messages = [{ role: 'user', content: PROMPT }]
  const post = (body: unknown, options = {}) =>
    client.call('POST', '/v1/chat/completions', { body, ...options })
  for (const model of models) {
    const failed = await client.chat({ model, messages, stream: model === 'broken-stream' })
    expect(failed.text).toContain('error')
  }
  await post(`{"model": "sandbox-small", "messages": [{"role": "user", "content": "${PROMPT}`)
  await post(`{"${PROMPT}": 1, "${PROMPT}": 2}`)
  await post({ model: 'sandbox-small', messages, unknown: CREDENTIAL })
  await post({ model: 'no-such-model', messages })
  await post({ model: 'sandbox-small', messages }, { as: WRONG_KEY })
  await post({ model: WRONG_KEY, messages })
  await client.call('GET', `/v1/models?key=${client.admin}`)
  await client.call('GET', `/v1/${client.admin}`)
  await client.call('POST', '/v1/providers/custom/test', { body: {} })
  breakRequestTable(dataDir)
  await client.chat({ messages })
  await client.chat({ messages, stream: true })

  const lines = await readLines()
  expect(lines.length).toBeGreaterThan(20)
  const text = JSON.stringify(lines) + printed.join('\n')
  for (const secret of [PROMPT, CREDENTIAL, WRONG_KEY, client.admin, 'canary upstream']) {
    expect(text).not.toContain(secret)
  }
})
