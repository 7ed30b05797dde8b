import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { JsonLogsSerializer, ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { expect, onTestFinished, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../../gateway/testing/gateway.ts'
import { openLiveEvents } from '../../../../gateway/testing/live-events.ts'
import { createHome, writeLog } from '../testing/log-home.ts'

type LogRecords = Parameters<typeof ProtobufLogsSerializer.serializeRequest>[0]
type Attributes = LogRecords[number]['attributes']

const DAY = Date.UTC(2026, 10, 20)
const PROTOBUF = 'application/x-protobuf'
const resource = resourceFromAttributes({ 'service.name': 'claude-code' })

interface Event {
  body?: string
  attributes: Attributes
}

/** Export requests as the SDK that agents use makes them. */
function createRecords(...events: readonly Event[]): LogRecords {
  return events.map(({ body, attributes }) => ({
    ...{ hrTime: [DAY / 1_000, 0], hrTimeObserved: [DAY / 1_000, 0], body, attributes, resource },
    ...{ instrumentationScope: { name: 'agent' }, droppedAttributesCount: 0 },
  }))
}

/** An event of Claude Code 2.1.330. */
const claude = (id: string, more: Attributes = {}) => ({
  body: 'claude_code.api_request',
  attributes: {
    ...{ 'event.name': 'api_request', 'event.timestamp': new Date(DAY).toISOString(), 'session.id': 's1' },
    ...{ model: 'claude-opus-4-1', request_id: `req_${id}`, speed: 'normal', query_source: 'sdk' },
    ...{ input_tokens: 1_000, output_tokens: 1_000, cache_read_tokens: 0, cache_creation_tokens: 0 },
    ...{ cache_creation_5m_tokens: 0, cache_creation_1h_tokens: 0, cost_usd: 0.09, ...more },
  },
})
/** Its line in the log. */
const line = (id: string, more = {}) => ({
  ...{ type: 'assistant', timestamp: new Date(DAY).toISOString(), sessionId: 's1', requestId: `req_${id}` },
  ...{ cwd: '/work/shop', gitBranch: 'main', ...more },
  message: {
    ...{ id: `msg_${id}`, role: 'assistant', model: 'claude-opus-4-1' },
    usage: { input_tokens: 1_000, output_tokens: 1_000 },
  },
})
const FILE = '.claude/projects/shop/s1.jsonl'

/** An event of Codex 0.169.0. */
const codex = (more: Attributes = {}) => ({
  attributes: {
    ...{ 'event.name': 'codex.sse_event', 'event.kind': 'response.completed', model: 'gpt-5' },
    ...{ 'event.timestamp': new Date(DAY).toISOString(), 'conversation.id': 'c1', ...more },
  },
})
const CODEX_TOKENS = {
  ...{ input_token_count: '500', output_token_count: '70', cached_token_count: 400 },
  ...{ cache_write_token_count: 0, reasoning_token_count: 20 },
}

async function start() {
  const agents = createHome({})
  const tollgate = await startTestGateway({ agents })
  onTestFinished(() => tollgate.close())
  const { secret } = await tollgate.createKey({ name: 'events', scope: 'telemetry-only' })
  const post = (bytes: Uint8Array | undefined, headers: Record<string, string> = {}, path = 'logs') =>
    fetch(`${tollgate.baseUrl}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': PROTOBUF, ...headers },
      body: Buffer.from(bytes ?? []),
    })
  const send = async (...events: readonly Event[]) => {
    const response = await post(ProtobufLogsSerializer.serializeRequest(createRecords(...events)))
    expect(response.status).toBe(200)
    return ProtobufLogsSerializer.deserializeResponse(Buffer.from(await response.arrayBuffer()))
  }
  return { tollgate, home: agents.home, post, send }
}

async function importLogs(tollgate: TestGateway): Promise<void> {
  const events = await openLiveEvents(tollgate)
  await tollgate.call('POST', '/v1/history', { body: {} })
  await events.readUntil((text) => text.includes('"type":"history","running":null'))
  events.close()
}

const imported = async (tollgate: TestGateway) => (await tollgate.call('GET', '/v1/history')).json.imported
const sessions = async (tollgate: TestGateway) =>
  (await tollgate.call('GET', '/v1/history/sessions')).json.data

test('calls in events are in the history once, however often they are sent and in whatever form', async () => {
  const { tollgate, post, send } = await start()
  const other = {
    body: 'claude_code.user_prompt',
    attributes: { 'event.name': 'user_prompt', prompt: 'secret' },
  }
  await send(other, claude('1'), claude('2'))
  const first = await imported(tollgate)
  expect(first).toMatchObject([
    { tool: 'claude-code', origin: 'import', calls: 2, tokensIn: 2_000, tokensOut: 2_000 },
  ])
  expect(first[0].costUsd).toBeCloseTo(0.18, 9)
  await send(claude('2'))
  const records = createRecords(claude('1'), claude('2'))
  const json = JsonLogsSerializer.serializeRequest(records)
  const answered = await post(json, { 'content-type': 'application/json' })
  expect([answered.status, await answered.json()]).toEqual([200, {}])
  const packed = gzipSync(ProtobufLogsSerializer.serializeRequest(records) ?? '')
  expect((await post(packed, { 'content-encoding': 'gzip' })).status).toBe(200)
  expect(await imported(tollgate)).toEqual(first)
  expect(await tollgate.getAccount()).toMatchObject({ spendUsd: 0, monthSpendUsd: 0 })
})

test('the end of an answer of Codex counts by the event that has its tokens', async () => {
  const { tollgate, send } = await start()
  await send(codex(), codex(CODEX_TOKENS), codex({ ...CODEX_TOKENS, 'event.kind': 'response.created' }))
  expect(await imported(tollgate)).toMatchObject([{ tool: 'codex', calls: 1, tokensIn: 500, tokensOut: 70 }])
})

test.each(['before', 'after'])(
  'an event that is sent %s the log is imported counts once, with the place in the log',
  async (when) => {
    const { tollgate, home, send } = await start()
    writeLog(join(home, FILE), [line('1'), line('2', { isSidechain: true, agentId: 'a' })])
    if (when === 'after') await importLogs(tollgate)
    await send(
      claude('1', { 'event.timestamp': new Date(DAY + 90_000).toISOString() }),
      claude('2'),
      claude('3'),
    )
    if (when === 'before') await importLogs(tollgate)
    expect(await imported(tollgate)).toMatchObject([{ calls: 3, tokensIn: 3_000 }])
    expect(await sessions(tollgate)).toMatchObject([{ id: 's1', calls: 3, agents: [{ id: 'a', calls: 1 }] }])
  },
)

test.each(['before', 'after'])(
  'an event without an id that is sent %s the log is imported is found by its time and tokens',
  async (when) => {
    const { tollgate, home, send } = await start()
    const usage = {
      input_tokens: 500,
      cached_input_tokens: 400,
      output_tokens: 70,
      reasoning_output_tokens: 20,
    }
    const at = new Date(DAY + 500).toISOString()
    writeLog(join(home, '.codex/sessions/2026/11/20/rollout-2026-11-20T00-00-00-c1.jsonl'), [
      { timestamp: at, type: 'session_meta', payload: { id: 'c1', cwd: '/work/shop' } },
      { timestamp: at, type: 'turn_context', payload: { model: 'gpt-5' } },
      {
        ...{ timestamp: at, type: 'event_msg' },
        payload: { type: 'token_count', info: { total_token_usage: usage, last_token_usage: usage } },
      },
    ])
    if (when === 'after') await importLogs(tollgate)
    await send(
      codex(CODEX_TOKENS),
      codex({ ...CODEX_TOKENS, 'event.timestamp': new Date(DAY + 5_000).toISOString() }),
    )
    if (when === 'before') await importLogs(tollgate)
    expect(await imported(tollgate)).toMatchObject([{ calls: 2, tokensIn: 1_000, tokensOut: 140 }])
  },
)

test('a request of the gateway is not counted again', async () => {
  const { tollgate, send } = await start()
  const sent = await tollgate.chat({})
  const [record] = await tollgate.records()
  await send(
    claude('1', { request_id: sent.headers.get('request-id') ?? '', 'event.timestamp': record?.createdAt }),
  )
  expect(await imported(tollgate)).toMatchObject([{ calls: 0, metered: 1 }])
})

test('calls without what is needed to count them are rejected, and the others stay', async () => {
  const { tollgate, post, send } = await start()
  const invalid = claude('2', { model: '' })
  expect(await send(claude('1'), invalid)).toMatchObject({
    partialSuccess: {
      rejectedLogRecords: 1,
      errorMessage: 'These calls have no time, no model or no tokens.',
    },
  })
  const long = 'x'.repeat(201)
  for (const name of ['model', 'session.id', 'request_id'])
    expect(await send(claude('3', { [name]: long }))).toMatchObject({
      partialSuccess: { rejectedLogRecords: 1 },
    })
  const json = JsonLogsSerializer.serializeRequest(createRecords(invalid))
  expect(await (await post(json, { 'content-type': 'application/json' })).json()).toMatchObject({
    partialSuccess: { rejectedLogRecords: '1' },
  })
  expect(await imported(tollgate)).toMatchObject([{ calls: 1 }])
})

test('metrics and traces are accepted, and are not used', async () => {
  const { tollgate, post } = await start()
  for (const path of ['metrics', 'traces']) expect((await post(Buffer.from('x'), {}, path)).status).toBe(200)
  expect(await imported(tollgate)).toEqual([])
})

test('what is no export is refused', async () => {
  const { tollgate, post } = await start()
  const many = createRecords(...Array.from({ length: 1_001 }, (_, call) => claude(`${call}`)))
  const bomb = gzipSync(Buffer.alloc(40 * 1024 * 1024))
  const { secret } = await tollgate.createKey({ name: 'tool', scope: 'completions-only' })
  const rows: [number, Uint8Array, Record<string, string>][] = [
    [415, Buffer.from('x'), { 'content-type': 'text/plain' }],
    [415, Buffer.from('x'), { 'content-encoding': 'br' }],
    [413, bomb, { 'content-encoding': 'gzip' }],
    [413, ProtobufLogsSerializer.serializeRequest(many) ?? new Uint8Array(), {}],
    [400, Buffer.from('x'), { 'content-encoding': 'gzip' }],
    [400, Buffer.from([0x0f, 0xff, 0xff]), {}],
    [400, Buffer.from('{'), { 'content-type': 'application/json' }],
    [401, Buffer.from(''), { authorization: 'Bearer tg-none' }],
    [403, Buffer.from(''), { authorization: `Bearer ${secret}` }],
  ]
  for (const [status, bytes, headers] of rows)
    expect([headers, (await post(bytes, headers)).status]).toEqual([headers, status])
})
