import { afterEach, expect, test } from 'vitest'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { startTestUpstream, testCompletion } from '../../../gateway/upstream/testing/test-upstream.ts'
import { type ReceivedSpan, startOtlpReceiver } from './testing/otlp-receiver.ts'

const CLIENT_TRACE = '0af7651916cd43dd8448eb211c80319c'
const CLIENT_SPAN = 'b7ad6b7169203331'
const TRACEPARENT = `00-${CLIENT_TRACE}-${CLIENT_SPAN}-01`
/** `SpanKind` and `StatusCode` of OTLP. */
const SERVER = 2
const CLIENT = 3
const ERROR = 2

const gateway = await forFile(startTestGateway())
const receiver = await forFile(startOtlpReceiver())
const upstream = await forFile(
  startTestUpstream((exchange) => {
    if (exchange.request.path.endsWith('/count_tokens')) exchange.reply(200, { input_tokens: 12 })
    else if (exchange.request.path.startsWith('/broken'))
      exchange.reply(503, { error: { message: 'SECRET-ECHO' } })
    else exchange.reply(200, testCompletion('Hello.'))
  }),
)
await gateway.addProvider('acme', `${upstream.url}/v1`, ['acme-1'])
await gateway.addProvider('claude', `${upstream.url}/v1`, ['claude-1'], { apiFormat: 'anthropic-messages' })
await gateway.addProvider('broken', `${upstream.url}/broken`, [])
const turnOn = (more: Record<string, unknown> = {}) =>
  gateway.call('PATCH', '/v1/telemetry', {
    body: { endpoint: receiver.url, metrics: false, includePrompts: false, ...more },
  })
/** Sends what waits. */
const turnOff = () => gateway.call('PATCH', '/v1/telemetry', { body: { endpoint: null } })

afterEach(async () => {
  await turnOff()
})

/** The spans of one request. */
function listSpans(requestId: string): { server: ReceivedSpan; attempts: ReceivedSpan[] } {
  const spans = receiver.spans()
  const server = spans.find(({ attributes }) => attributes['tollgate.request.id'] === requestId)
  if (!server) throw new Error('the span of the request was not received')
  return { server, attempts: spans.filter(({ parentSpanId }) => parentSpanId === server.spanId) }
}

test('a request is a span of the client’s trace, with its cost, and the call of the provider is below it', async () => {
  await turnOn()
  const { secret } = await gateway.createKey({ name: 'Agent', scope: 'full', tag: 'shop' })
  const headers = { traceparent: TRACEPARENT, tracestate: 'vendor=opaque', 'x-tollgate-session': 'run-1' }
  const { json } = await gateway.chat({ model: 'acme-1', temperature: 0.5 }, { as: secret, headers })
  await turnOff()
  const { server, attempts } = listSpans(json.id)
  const record = await gateway.getRecord(json.id)
  expect(server).toMatchObject({
    name: 'POST /v1/chat/completions',
    kind: SERVER,
    traceId: CLIENT_TRACE,
    parentSpanId: CLIENT_SPAN,
    traceState: 'vendor=opaque',
  })
  expect(server.attributes).toMatchObject({
    'http.response.status_code': 200,
    'gen_ai.request.model': 'acme-1',
    'gen_ai.conversation.id': record.sessionId,
    'tollgate.cost.usd': record.costUsd,
    'tollgate.cost.status': 'exact',
    'tollgate.key.name': 'Agent',
    'tollgate.tag': 'shop',
  })
  // Back ends add these up over all spans of a trace.
  expect(Object.keys(server.attributes).filter((name) => name.startsWith('gen_ai.usage'))).toEqual([])
  expect(attempts).toHaveLength(1)
  expect(attempts[0]).toMatchObject({ name: 'chat acme-1', kind: CLIENT, traceId: CLIENT_TRACE, status: 0 })
  expect(attempts[0]?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'acme',
    'gen_ai.request.model': 'acme-1',
    'gen_ai.request.temperature': 0.5,
    'gen_ai.response.model': 'acme-1',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': record.tokensIn,
    'gen_ai.usage.output_tokens': record.tokensOut,
    'server.address': '127.0.0.1',
  })
  const sent = upstream.requests.at(-1)?.headers
  expect(sent?.traceparent).toBe(`00-${CLIENT_TRACE}-${attempts[0]?.spanId}-01`)
  expect(sent?.tracestate).toBe('vendor=opaque')
})

test('failed attempts have spans of their own, and no text of a provider', async () => {
  await turnOn()
  const override = {
    provider: 'broken',
    pricing: { inputPerMillion: 1, outputPerMillion: 1 },
    fallbacks: ['acme-1'],
  }
  await gateway.call('PUT', '/v1/models/broken-1', { body: override })
  const { json } = await gateway.chat({ model: 'broken-1' })
  await turnOff()
  const { server, attempts } = listSpans(json.id)
  const failed = attempts.filter(({ status }) => status === ERROR)
  expect(attempts.map(({ attributes }) => attributes['gen_ai.provider.name'])).toEqual([
    'broken',
    'broken',
    'broken',
    'acme',
  ])
  expect(failed.map(({ attributes }) => attributes['error.type'])).toEqual(['503', '503', '503'])
  expect(server.attributes['tollgate.attempts']).toBe(4)
  expect(Buffer.concat(receiver.requests.map(({ body }) => body)).toString()).not.toContain('SECRET-ECHO')
})

test('a stream has the time to its first chunk; an interrupted one ends all the same', async () => {
  await turnOn()
  const whole = await gateway.chat({ stream: true })
  const cut = await gateway.chat({ stream: true, messages: [{ role: 'user', content: '[[sandbox:cut]]' }] })
  await turnOff()
  const { attempts } = listSpans(whole.headers.get('x-service-request-id') ?? '')
  expect(attempts[0]?.attributes).toMatchObject({ 'gen_ai.request.stream': 1 })
  expect(attempts[0]?.attributes['gen_ai.response.time_to_first_chunk']).toBeGreaterThan(0)
  const interrupted = listSpans(cut.headers.get('x-service-request-id') ?? '')
  expect([interrupted.server.status, interrupted.attempts[0]?.status]).toEqual([ERROR, ERROR])
})

test('refused and invalid requests have a span with the type of their error', async () => {
  await turnOn()
  const { secret } = await gateway.createKey({ name: 'Spent', scope: 'full', spendLimitUsd: 0 })
  const answers = [
    await gateway.chat({}, { as: secret, headers: { traceparent: TRACEPARENT } }),
    await gateway.chat({ temperature: 9 }),
    await gateway.chat({}, { as: 'tg-unknown' }),
  ]
  await turnOff()
  const types = answers.map(
    ({ headers }) => listSpans(headers.get('x-service-request-id') ?? '').server.attributes['error.type'],
  )
  expect(types).toEqual(['spend_limit_reached', 'invalid_request_error', 'authentication_error'])
  expect(listSpans(answers[0]?.headers.get('x-service-request-id') ?? '').server.traceId).toBe(CLIENT_TRACE)
})

test('a count of tokens is a span with the model, above the call of the provider that counts', async () => {
  await turnOn()
  const count = (model: string) => {
    const body = { model, messages: [{ role: 'user', content: 'Hi' }] }
    return gateway.call('POST', '/v1/messages/count_tokens', { body, headers: { traceparent: TRACEPARENT } })
  }
  const counted = await count('claude-1')
  const sent = upstream.requests.at(-1)
  const estimated = await count('acme-1')
  await turnOff()
  expect(counted.json).toEqual({ input_tokens: 12 })
  const { server, attempts } = listSpans(counted.headers.get('x-service-request-id') ?? '')
  expect(server).toMatchObject({ name: 'POST /v1/messages/count_tokens', traceId: CLIENT_TRACE })
  expect(server.attributes).toMatchObject({
    'gen_ai.request.model': 'claude-1',
    'http.response.status_code': 200,
  })
  expect(attempts).toMatchObject([{ name: 'count_tokens claude-1', kind: CLIENT, status: 0 }])
  expect(sent?.headers.traceparent).toBe(`00-${CLIENT_TRACE}-${attempts[0]?.spanId}-01`)
  // Counted by the gateway itself.
  const own = listSpans(estimated.headers.get('x-service-request-id') ?? '')
  expect(own.server.attributes['gen_ai.request.model']).toBe('acme-1')
  expect(own.attempts).toEqual([])
})

test('a trace that its caller does not sample is passed on, but not exported', async () => {
  await turnOn()
  const before = receiver.spans().length
  await gateway.chat({ model: 'acme-1' }, { headers: { traceparent: TRACEPARENT.replace(/01$/, '00') } })
  await turnOff()
  expect(receiver.spans()).toHaveLength(before)
  expect(upstream.requests.at(-1)?.headers.traceparent).toMatch(
    new RegExp(`^00-${CLIENT_TRACE}-(?!${CLIENT_SPAN})[0-9a-f]{16}-00$`),
  )
})

test('while the export is off, a valid trace goes to the provider unchanged, and nothing else does', async () => {
  const sendWith = async (headers: Record<string, string>) => {
    await gateway.chat({ model: 'acme-1' }, { headers })
    const sent = upstream.requests.at(-1)?.headers ?? {}
    return [sent.traceparent, sent.tracestate]
  }
  expect(await sendWith({ traceparent: TRACEPARENT, tracestate: 'a=1, b=2' })).toEqual([
    TRACEPARENT,
    'a=1,b=2',
  ])
  expect(await sendWith({ traceparent: TRACEPARENT, tracestate: 'A=not valid=' })).toEqual([
    TRACEPARENT,
    undefined,
  ])
  expect(await sendWith({ traceparent: 'garbage', tracestate: 'a=1' })).toEqual([undefined, undefined])
  expect(await sendWith({ traceparent: `00-${'0'.repeat(32)}-${CLIENT_SPAN}-01` })).toEqual([
    undefined,
    undefined,
  ])
  expect(await sendWith({ tracestate: 'a=1' })).toEqual([undefined, undefined])
})

test('prompts and answers are sent only with their own switch', async () => {
  const prompt = { messages: [{ role: 'user', content: 'PROMPT-CANARY [[sandbox:echo ANSWER-CANARY]]' }] }
  const receivedText = () => Buffer.concat(receiver.requests.map(({ body }) => body)).toString()
  await turnOn()
  await gateway.chat(prompt)
  await gateway.chat({ ...prompt, stream: true })
  await turnOff()
  expect(receivedText()).not.toMatch(/PROMPT-CANARY|ANSWER-CANARY/)
  await turnOn({ includePrompts: true })
  const plain = await gateway.chat(prompt)
  const stream = await gateway.chat({ ...prompt, stream: true })
  await turnOff()
  for (const { headers } of [plain, stream]) {
    const { attempts } = listSpans(headers.get('x-service-request-id') ?? '')
    const read = (name: string) => JSON.parse(String(attempts[0]?.attributes[name]))
    expect(read('gen_ai.input.messages')).toEqual([
      { role: 'user', parts: [{ type: 'text', content: prompt.messages[0]?.content }] },
    ])
    expect(read('gen_ai.output.messages')).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'ANSWER-CANARY' }], finish_reason: 'stop' },
    ])
  }
})
