// Turns that go to a provider over a WebSocket of its own. Each reports 1,000 tokens in and 200 out, at 1 and 2 USD per million:
// $0.0014.
import { once } from 'node:events'
import { beforeEach, expect } from 'vitest'
import type { WebSocket } from 'ws'
import { forEachTest } from '../gateway/testing/lifetime.ts'
import { nano } from '../gateway/testing/money.ts'
import { listEvents } from '../gateway/upstream/testing/vendor-formats.ts'
import { startSocketVendor } from './testing/socket-vendor.ts'
import { openTurns } from './testing/turns.ts'
import { shareSection } from './testing/upstream.ts'

const { test, tollgate } = await shareSection('Plans and agents')

const COST_USD = 0.0014
const USAGE = { input_tokens: 1000, output_tokens: 200, total_tokens: 1200 }

/** `hidden`: items before the text. */
const createEvents = (id: string, usage: object = USAGE, hidden: readonly object[] = []) => {
  const answer = { id, texts: [`Answer ${id}`], usage, model: 'turns' }
  return listEvents('openai-responses', answer).toSpliced(
    1,
    0,
    ...hidden.map((item) => ({ type: 'response.output_item.done', output_index: 0, item })),
  )
}

let turn = 0
const nextEvents = () => createEvents(`resp_${++turn}`)
const sendAll = (ws: WebSocket, events: readonly object[] = nextEvents()) => {
  for (const event of events) ws.send(JSON.stringify(event))
}
const vendor = forEachTest(() =>
  startSocketVendor(
    (exchange) => {
      if (exchange.request.method === 'GET') return exchange.reply(200, { object: 'list', data: [] })
      exchange.begin().data(...nextEvents())
      exchange.end()
    },
    (ws) => sendAll(ws),
  ),
)
beforeEach(async () => {
  const body = { apiFormat: 'openai-responses', webSocket: true }
  await tollgate.call('DELETE', '/v1/providers/vendor')
  await tollgate.addProvider('vendor', vendor.url, [], body)
  const pricing = { inputPerMillion: 1, outputPerMillion: 2 }
  await tollgate.call('PUT', '/v1/models/turns', {
    body: { provider: 'vendor', pricing, maxOutputTokens: 1000 },
  })
})

const createKey = (more: object = {}) => tollgate.createKey({ name: 'sockets', scope: 'full', ...more })
const open = (secret = tollgate.admin) => openTurns(tollgate.baseUrl, { authorization: `Bearer ${secret}` })
const listRecords = async (keyId: string) =>
  (await tollgate.call('GET', `/v1/requests?key=${keyId}`)).json.data
const HI = { model: 'turns', input: 'Hi' }

test('Turns go to a provider with WebSockets over one of its own, each recorded and charged exactly', async () => {
  const key = await createKey()
  const turns = await open(key.secret)
  const events = await turns.create({ ...HI, instructions: 'Be brief.', store: false })
  expect(events.slice(0, -1)).toEqual(createEvents(`resp_${turn}`).slice(0, -1))
  expect(events.at(-1).response.usage).toEqual({ ...USAGE, cost: COST_USD })
  await turns.create(HI)
  expect(vendor.posts).toEqual([])
  expect(vendor.handshakes).toHaveLength(1)
  const [{ headers } = {}] = vendor.handshakes
  expect(headers).toMatchObject({ authorization: 'Bearer secret-of-vendor' })
  expect(JSON.stringify(headers)).not.toContain(key.secret)
  expect(vendor.messages.map(({ message }) => message)).toEqual([
    { type: 'response.create', ...HI, instructions: 'Be brief.', store: false },
    { type: 'response.create', ...HI },
  ])
  for (const record of await listRecords(key.id))
    expect(record).toMatchObject({
      provider: 'vendor',
      status: 'succeeded',
      costUsd: COST_USD,
      costStatus: 'exact',
    })
  expect(nano((await tollgate.getKey(key.id)).spendUsd)).toBe(nano(2 * COST_USD))
  turns.ws.close()
})

test('A turn that continues one sends its provider the new items alone, and all if it has forgotten', async () => {
  const turns = await open()
  const first = await turns.create({ ...HI, input: 'One', store: false })
  const continued = { model: 'turns', store: false, previous_response_id: first.at(-1).response.id }
  const two = { type: 'message', role: 'user', content: 'Two' }
  const second = await turns.create({ ...continued, input: [two] })
  expect(vendor.messages.at(-1)?.message).toEqual({ type: 'response.create', ...continued, input: [two] })
  let isForgotten = true
  vendor.answer = (ws) => {
    const error = {
      type: 'error',
      status: 400,
      error: { code: 'previous_response_not_found', message: 'Not found.' },
    }
    if (isForgotten) ws.send(JSON.stringify(error))
    else sendAll(ws)
    isForgotten = false
  }
  const three = { type: 'message', role: 'user', content: 'Three' }
  const id = second.at(-1).response.id
  const third = await turns.create({ ...continued, previous_response_id: id, input: [three] })
  expect(third.at(-1).type).toBe('response.completed')
  const [short, whole] = vendor.messages.slice(-2).map(({ message }) => message)
  expect(short.input).toEqual([three])
  expect(whole.previous_response_id).toBeUndefined()
  expect(whole.input.map(({ content }: { content: unknown }) => content)).toEqual([
    'One',
    [expect.objectContaining({ text: expect.stringMatching(/^Answer/) })],
    'Two',
    [expect.objectContaining({ text: expect.stringMatching(/^Answer/) })],
    'Three',
  ])
  turns.ws.close()
})

test('What a provider remembers of a turn and the client cannot send back is not continued, so that a strict cap holds', async () => {
  let billedUsd = 0
  // It bills what it remembers: reasoning that is in no item, or in one without its content.
  vendor.answer = (ws, message) => {
    const inputTokens = 'previous_response_id' in message ? 60_000 : 1000
    billedUsd += (inputTokens + 2 * 200) / 1e6
    const details = { output_tokens_details: { reasoning_tokens: 150 } }
    const id = `resp_${++turn}`
    const reasoning = { type: 'reasoning', id: `rs_${id}`, summary: [] }
    const usage = { ...USAGE, input_tokens: inputTokens, ...details }
    sendAll(ws, createEvents(id, usage, turn % 2 === 0 ? [reasoning] : []))
  }
  const key = await createKey({ spendLimitUsd: 0.05, strict: true })
  const turns = await open(key.secret)
  let { response } = (await turns.create({ ...HI, store: false })).at(-1)
  for (let at = 0; at < 4; at++) {
    const next = { ...HI, store: false, previous_response_id: response.id }
    response = (await turns.create(next)).at(-1).response
  }
  expect(billedUsd).toBeLessThanOrEqual(0.05)
  expect((await tollgate.getKey(key.id)).spendUsd).toBeCloseTo(billedUsd, 9)
  expect(vendor.messages.at(-1)?.message.input).toHaveLength(9)
  turns.ws.close()
})

test('A provider that refuses the WebSocket gets its turns by HTTP', async () => {
  vendor.refusal = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'
  const key = await createKey()
  const turns = await open(key.secret)
  for (let at = 0; at < 2; at++) expect((await turns.create(HI)).at(-1).type).toBe('response.completed')
  const others = await open(key.secret)
  expect((await others.create(HI)).at(-1).type).toBe('response.completed')
  expect([vendor.handshakes.length, vendor.posts.length]).toEqual([1, 3])
  expect((await listRecords(key.id)).map(({ costUsd }: { costUsd: number }) => costUsd)).toEqual(
    Array(3).fill(COST_USD),
  )
  turns.ws.close()
  others.ws.close()
})

test('A redirect of the handshake is not followed, and its credential sent nowhere else', async () => {
  const other = await startSocketVendor(
    (exchange) => exchange.reply(200, {}),
    (ws) => sendAll(ws),
  )
  vendor.refusal = `HTTP/1.1 307 Temporary Redirect\r\nlocation: ${other.url}/responses\r\ncontent-length: 0\r\n\r\n`
  const turns = await open()
  expect((await turns.create(HI)).at(-1).type).toBe('response.completed')
  expect([other.handshakes, other.posts, vendor.posts.length]).toEqual([[], [], 1])
  turns.ws.close()
  await other.close()
})

test('A refused turn has the status, the error and the headers of its provider, and costs nothing', async () => {
  vendor.answer = (ws) =>
    ws.send(
      JSON.stringify({
        ...{ type: 'error', status: 400 },
        headers: {
          'OpenAI-Version': '2020-10-01',
          'x-ratelimit-reset': 'soon\r\nset-cookie: a=b',
          '\n': 'x',
        },
        error: { type: 'invalid_request_error', code: 'unknown_tool', message: 'There is no such tool.' },
      }),
    )
  const key = await createKey()
  const turns = await open(key.secret)
  const [refused] = await turns.create(HI)
  expect(refused).toMatchObject({
    type: 'error',
    status: 400,
    error: { message: expect.stringContaining('no such tool') },
    // A provider can write what no header may be.
    headers: { 'openai-version': '2020-10-01', 'x-ratelimit-reset': 'soon%0D%0Aset-cookie: a=b' },
  })
  expect((await tollgate.getKey(key.id)).spendUsd).toBe(0)
  vendor.answer = (ws) => sendAll(ws)
  expect((await turns.create(HI)).at(-1).type).toBe('response.completed')
  expect(vendor.handshakes).toHaveLength(1)
  turns.ws.close()
})

test('What is no event ends a turn, and the next one has a new WebSocket', async () => {
  const key = await createKey()
  const turns = await open(key.secret)
  const garbage = ['no JSON', '[1]', Buffer.from([0xff, 0])]
  const sockets = [turns, await open(key.secret), await open(key.secret)]
  let answers = 0
  vendor.answer = (ws) => ws.send(garbage[answers++ % garbage.length] ?? '')
  for (const events of await Promise.all(sockets.map((each) => each.create(HI))))
    expect(events.at(-1)).toMatchObject({ type: 'error', status: 502 })
  vendor.answer = (ws) => sendAll(ws)
  const before = vendor.handshakes.length
  expect((await turns.create(HI)).at(-1).type).toBe('response.completed')
  expect(vendor.handshakes.length).toBe(before + 1)
  for (const { ws } of sockets) ws.close()
})

test('Events that come late belong to the turn before: the next one has its own answer and its own charge', async () => {
  const key = await createKey()
  const turns = await open(key.secret)
  let late: object[] = []
  vendor.answer = (ws) => {
    const events = nextEvents()
    sendAll(ws, [...late, ...events])
    late = [
      ...events.slice(2),
      { type: 'response.failed', response: { id: `resp_${turn}`, status: 'failed' } },
    ]
  }
  for (let at = 0; at < 3; at++) {
    const events = await turns.create(HI)
    expect(events.slice(0, -1)).toEqual(createEvents(`resp_${turn}`).slice(0, -1))
    expect(events.at(-1).response.id).toBe(`resp_${turn}`)
  }
  turns.ws.close()
})

test('If the WebSocket of the provider ends before a turn has begun, the turn is tried again; after that, it has failed', async () => {
  const key = await createKey()
  const turns = await open(key.secret)
  await turns.create(HI)
  let answers = 0
  vendor.answer = (ws) => {
    if (++answers === 1) ws.terminate()
    else sendAll(ws)
  }
  expect((await turns.create(HI)).at(-1).type).toBe('response.completed')
  vendor.answer = (ws) => {
    sendAll(ws, nextEvents().slice(0, 4))
    ws.close()
  }
  const broken = await turns.create(HI)
  expect(broken.map(({ type }) => type).slice(0, 4)).toEqual(
    createEvents('')
      .slice(0, 4)
      .map((event) => Reflect.get(event, 'type')),
  )
  expect(['error', 'response.failed']).toContain(broken.at(-1).type)
  const [failed] = await listRecords(key.id)
  expect(failed).toMatchObject({ status: 'failed', costStatus: 'estimated' })
  expect(failed.costUsd).toBeGreaterThan(0)
  turns.ws.close()
})

test('When a limit is reached, the next turn is refused, and its provider is sent nothing', async () => {
  const key = await createKey({ spendLimitUsd: 0.002 })
  const turns = await open(key.secret)
  for (let at = 0; at < 2; at++) expect((await turns.create(HI)).at(-1).type).toBe('response.completed')
  const [refused] = await turns.create(HI)
  expect(refused).toMatchObject({ type: 'error', status: 402, error: { code: 'spend_limit_reached' } })
  expect(vendor.messages).toHaveLength(2)
  expect(nano((await tollgate.getKey(key.id)).spendUsd)).toBe(nano(2 * COST_USD))
  turns.ws.close()
})

test('A canceled turn, and a client that leaves, end the WebSocket of the provider', async () => {
  const key = await createKey()
  const begun = () =>
    new Promise<WebSocket>((resolve) => {
      vendor.answer = (ws) => {
        sendAll(ws, nextEvents().slice(0, 4))
        resolve(ws)
      }
    })
  for (const end of ['cancel', 'leave']) {
    const turns = await open(key.secret)
    const answering = begun()
    turns.send({ type: 'response.create', ...HI })
    for (let at = 0; at < 4; at++) await turns.next()
    const ws = await answering
    const closed = once(ws, 'close')
    if (end === 'cancel') turns.send({ type: 'response.cancel' })
    else turns.ws.terminate()
    await closed
    await expect.poll(async () => (await listRecords(key.id))[0].status).not.toBe('running')
    turns.ws.terminate()
  }
  const idle = await open(key.secret)
  vendor.answer = (ws) => sendAll(ws)
  await idle.create(HI)
  const [kept] = vendor.open
  const closed = kept && once(kept, 'close')
  idle.ws.close()
  await closed
  expect((await tollgate.getKey(key.id)).reservedUsd).toBe(0)
})
