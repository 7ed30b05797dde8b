import { describe, expect, test } from 'vitest'
import { readData, startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { startTestUpstream, testChunk, testCompletion } from '../upstream/testing/test-upstream.ts'

const storeBodies = (on: boolean) => tollgate.call('PATCH', '/v1/settings', { body: { storeBodies: on } })

const tollgate = await forFile(startTestGateway())
const upstream = await forFile(
  startTestUpstream((exchange) => {
    if (exchange.request.path.endsWith('/embeddings')) {
      exchange.reply(200, { data: [], usage: { prompt_tokens: 1, total_tokens: 1 } })
    } else if (exchange.request.json().stream) {
      const usage = { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010 }
      const chunks = [
        testChunk({ content: 'Again' }),
        testChunk({}, 'stop'),
        { ...testChunk({}), choices: [], usage },
      ]
      exchange
        .begin()
        .data(...chunks, '[DONE]')
        .end()
    } else exchange.reply(200, testCompletion('Done'))
  }),
)
await tollgate.addProvider('mine', `${upstream.url}/v1`, ['first', 'second'])
await storeBodies(true)

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const USER = 'Weather in Rome?'
const SYSTEM = 'Be brief.'

/** One request in each API format: a system prompt, a question and a tool. */
const FORMATS: Record<string, [path: string, body: object]> = {
  chat: [
    '/v1/chat/completions',
    {
      model: 'first',
      ...{ n: 2, stream: false },
      messages: [
        { role: 'system', content: SYSTEM },
        { role: 'user', content: USER },
      ],
      tools: [{ type: 'function', function: { name: 'weather', parameters: SCHEMA } }],
    },
  ],
  messages: [
    '/v1/messages',
    {
      model: 'first',
      max_tokens: 200,
      system: SYSTEM,
      messages: [{ role: 'user', content: USER }],
      tools: [{ name: 'weather', input_schema: SCHEMA }],
    },
  ],
  responses: [
    '/v1/responses',
    {
      model: 'first',
      instructions: SYSTEM,
      input: USER,
      tools: [{ type: 'function', name: 'weather', parameters: SCHEMA }],
    },
  ],
  gemini: [
    '/v1beta/models/first:generateContent',
    {
      systemInstruction: { parts: [{ text: SYSTEM }] },
      contents: [{ role: 'user', parts: [{ text: USER }] }],
      tools: [{ functionDeclarations: [{ name: 'weather', parameters: SCHEMA }] }],
    },
  ],
}

async function send(path: string, body: object): Promise<string> {
  const { status, headers, text } = await tollgate.call('POST', path, { body })
  expect(status, text).toBe(200)
  return headers.get('x-service-request-id') ?? ''
}

const replay = (id: string, body: object) => tollgate.call('POST', `/v1/requests/${id}/replay`, { body })

describe.each(Object.entries(FORMATS))('a stored request of the format %s', (_, [path, body]) => {
  test('is sent to another model, answered as a chat completion, and billed', async () => {
    const id = await send(path, body)
    const { status, json, headers } = await replay(id, { model: 'second' })
    expect(status).toBe(200)
    expect(json).toMatchObject({ object: 'chat.completion', model: 'second' })
    expect(json.choices[0].message.content).toBe('Done')
    expect(json.usage.cost).toBe((5 * 1 + 3 * 2) / 1e6)
    const sent = upstream.requests.at(-1)?.json()
    expect(sent).toMatchObject({
      model: 'second',
      messages: [{ content: SYSTEM }, { role: 'user', content: USER }],
      tools: [{ type: 'function', function: { name: 'weather' } }],
    })
    expect(sent).not.toHaveProperty('n')
    const record = await tollgate.getRecord(headers.get('x-service-request-id'))
    expect(record).toMatchObject({
      status: 'succeeded',
      model: 'second',
      endpoint: 'POST /v1/requests/{id}/replay',
      costUsd: json.usage.cost,
      bodiesKept: true,
    })
    // A replay is itself a request that can be replayed.
    expect((await replay(record.id, { model: 'first' })).status).toBe(200)
  })
})

test('a replay can be streamed, with usage and cost, and with another output limit', async () => {
  const id = await send(...(FORMATS.messages ?? ['', {}]))
  const { text } = await replay(id, { model: 'second', stream: true, max_completion_tokens: 50 })
  const events = readData(text)
  expect(events.at(-1)).toBe('[DONE]')
  expect(events.find(({ usage }) => usage)?.usage.cost).toBe((1_000 * 1 + 10 * 2) / 1e6)
  const sent = upstream.requests.at(-1)?.json()
  expect([sent?.max_completion_tokens ?? sent?.max_tokens, sent?.stream]).toEqual([50, true])
})

test('a chosen key pays, and its cap holds', async () => {
  const id = await send(...(FORMATS.chat ?? ['', {}]))
  const payer = await tollgate.createKey({
    name: 'Payer',
    scope: 'completions-only',
    spendLimitUsd: 0.000001,
  })
  const paid = await replay(id, { model: 'second', key: payer.id })
  expect(paid.status).toBe(200)
  const spent = await tollgate.getKey(payer.id)
  expect(spent.spentUsd ?? spent.spendUsd).toBe(paid.json.usage.cost)
  const refused = await replay(id, { model: 'second', key: payer.id })
  expect([refused.status, refused.json.error.code]).toEqual([402, 'spend_limit_reached'])
  expect((await replay(id, { model: 'second', key: 'key_none' })).status).toBe(404)
})

test('what cannot be replayed is refused with the reason', async () => {
  const embedding = await send('/v1/embeddings', { model: 'first', input: 'x' })
  const noChat = await replay(embedding, { model: 'second' })
  expect([noChat.status, noChat.json.error.code]).toEqual([400, 'not_replayable'])
  const search = { type: 'web_search_20250305', name: 'web_search' }
  const body = { model: 'first', max_tokens: 9, messages: [{ role: 'user', content: 'x' }], tools: [search] }
  const own = await tollgate.call('POST', '/v1/messages', { body })
  const ownId = own.headers.get('x-service-request-id') ?? ''
  const refused = await replay(ownId, { model: 'second' })
  expect([refused.status, refused.json.error.code]).toEqual([400, 'not_supported_by_provider'])
  await storeBodies(false)
  const id = await send(...(FORMATS.chat ?? ['', {}]))
  await storeBodies(true)
  const notKept = await replay(id, { model: 'second' })
  expect([notKept.status, notKept.json.error.code]).toEqual([404, 'bodies_not_kept'])
  expect(notKept.json.error.message).toContain('Store prompts and answers')
})
