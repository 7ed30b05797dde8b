// The row of a request is written while the request is sent upstream. Here this write is delayed, or fails.
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { type Store, StoreError } from '../store/store.ts'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { forTest } from '../testing/lifetime.ts'
import { impatient } from '../testing/short-waits.ts'
import {
  startTestUpstream,
  type TestExchange,
  testChunk,
  testCompletion,
} from '../upstream/testing/test-upstream.ts'

/** Called before a row is inserted. */
let beforeOpening: () => Promise<void> = async () => {}
/** Writes are made in order. */
let last: Promise<unknown> = Promise.resolve()

vi.mock(import('../store/store.ts'), async (importOriginal) => {
  const original = await importOriginal()
  return {
    ...original,
    async openStore(options) {
      const store = await original.openStore(options)
      const write: Store['write'] = async (operation, ...args) => {
        const earlier = last.catch(() => undefined)
        const inserts = operation === 'openRequest' || operation === 'recordSettled'
        const written = earlier
          .then(inserts ? beforeOpening : undefined)
          .then(() => store.write(operation, ...args))
        last = written
        return written
      }
      return { ...store, write, writeSoon: write }
    },
  }
})

const fullDisk = async () => {
  throw new StoreError('full', 'database or disk is full')
}

afterEach(() => {
  beforeOpening = async () => {}
})

interface World {
  /** Monotonic milliseconds that pass in addition to the real ones. A test sets it. */
  clock: { ahead: number }
  tollgate: TestGateway
  /** The exchanges with the provider. */
  received: TestExchange[]
}

/** `respond`: how the provider answers. */
async function start(respond: (exchange: TestExchange) => void): Promise<World> {
  const received: TestExchange[] = []
  const upstream = await startTestUpstream((exchange) => {
    received.push(exchange)
    respond(exchange)
  })
  const clock = { ahead: 0 }
  onTestFinished(() => upstream.close())
  const tollgate = await forTest(
    startTestGateway({ clock: { ...impatient, monotonic: () => performance.now() + clock.ahead } }),
  )
  await tollgate.addProvider('acme', upstream.url, ['fine'])
  return { clock, tollgate, received }
}

const answer = (exchange: TestExchange) => exchange.reply(200, testCompletion('Hi'))
const stream = (exchange: TestExchange) =>
  exchange
    .begin()
    .data(testChunk({ role: 'assistant', content: 'Hello' }), testChunk({}, 'stop'), '[DONE]')
    .end()

test.each([
  ['a plain answer', answer, {}],
  ['the first byte of a stream', stream, { stream: true }],
  ['an error', (exchange: TestExchange) => exchange.reply(400, { error: { message: 'no' } }), {}],
])('%s waits until the row is durable, though the request is sent before', async (_, respond, body) => {
  const { tollgate, received } = await start(respond)
  const { promise, resolve } = Promise.withResolvers<void>()
  beforeOpening = () => promise
  let answered = false
  const chat = fetch(`${tollgate.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tollgate.admin}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'fine', messages: [{ role: 'user', content: 'Hi' }], ...body }),
  }).finally(() => {
    answered = true
  })
  await vi.waitFor(() => expect(received[0]?.response.writableFinished).toBe(true))
  // The provider's answer is here long before another call is served.
  for (let i = 0; i < 3; i++) expect((await tollgate.call('GET', '/v1/account')).status).toBe(200)
  expect(answered).toBe(false)
  expect(await tollgate.records()).toEqual([])
  resolve()
  await (await chat).text()
  expect(await tollgate.records()).toHaveLength(1)
})

test('when the row cannot be written, the upstream call is aborted, and what it may cost is recorded later', async () => {
  const { tollgate, received } = await start(() => undefined)
  const sent = Promise.withResolvers<void>()
  beforeOpening = async () => {
    await sent.promise
    return fullDisk()
  }
  const chat = tollgate.chat({ model: 'fine' })
  await vi.waitFor(() => expect(received).toHaveLength(1))
  const closed = new Promise((resolve) => received[0]?.response.once('close', resolve))
  sent.resolve()
  const { status, json } = await chat
  expect([status, json.error.code]).toEqual([503, 'ledger_unavailable'])
  expect(json.error.message).toContain('The request was canceled: the disk is full')
  await closed
  beforeOpening = async () => {}
  const [record] = await vi.waitFor(async () => {
    const records = await tollgate.records()
    expect(records).toHaveLength(1)
    return records
  })
  expect(record).toMatchObject({
    status: 'failed',
    httpStatus: 503,
    costStatus: 'unsettled',
    error: { code: 'ledger_unavailable' },
  })
  const { spendUsd, reservedUsd } = await tollgate.getAccount()
  expect([spendUsd, reservedUsd]).toEqual([record?.costUsd, 0])
})

test.each([
  ['a plain answer', answer, {}],
  ['a stream', stream, { stream: true }],
])('%s that came before its row failed is not passed on', async (_, respond, body) => {
  const { tollgate, received } = await start(respond)
  const sent = Promise.withResolvers<void>()
  beforeOpening = async () => {
    await sent.promise
    return fullDisk()
  }
  const chat = tollgate.chat({ model: 'fine', ...body })
  await vi.waitFor(() => expect(received[0]?.response.writableFinished).toBe(true))
  await tollgate.call('GET', '/v1/account')
  sent.resolve()
  const { status, json } = await chat
  expect([status, json.error.code]).toEqual([503, 'ledger_unavailable'])
})

test('a stream that came before its row failed is charged by what the provider has reported', async () => {
  const usage = { prompt_tokens: 500, completion_tokens: 300, total_tokens: 800 }
  const { tollgate, received } = await start((exchange) =>
    exchange
      .begin()
      .data(testChunk({ role: 'assistant', content: 'Hello' }), testChunk({}, 'stop'))
      .data({ ...testChunk({}), choices: [], usage }, '[DONE]')
      .end(),
  )
  const sent = Promise.withResolvers<void>()
  beforeOpening = async () => {
    await sent.promise
    return fullDisk()
  }
  const chat = tollgate.chat({ model: 'fine', stream: true })
  await vi.waitFor(() => expect(received[0]?.response.writableFinished).toBe(true))
  await tollgate.call('GET', '/v1/account')
  beforeOpening = fullDisk
  sent.resolve()
  expect((await chat).status).toBe(503)
  beforeOpening = async () => {}
  const [record] = await vi.waitFor(async () => {
    const records = await tollgate.records()
    expect(records).toHaveLength(1)
    return records
  })
  expect(record).toMatchObject({ tokensIn: 500, tokensOut: 300, httpStatus: 503, status: 'failed' })
})

test('after a row could not be written, nothing is sent before one is', async () => {
  const { tollgate, received } = await start(answer)
  beforeOpening = fullDisk
  await tollgate.chat({ model: 'fine' })
  const before = received.length
  for (let i = 0; i < 3; i++) {
    const { status, json } = await tollgate.chat({ model: 'fine' })
    expect(status).toBe(503)
    expect(json.error.message).toContain('The request was not sent: the disk is full')
  }
  expect(received).toHaveLength(before)
  beforeOpening = async () => {}
  expect((await tollgate.chat({ model: 'fine' })).status).toBe(200)
})

test('in strict mode, nothing is sent before its row is durable', async () => {
  const { tollgate, received } = await start(answer)
  await tollgate.call('PATCH', '/v1/settings', { body: { durability: 'strict' } })
  const { promise, resolve } = Promise.withResolvers<void>()
  beforeOpening = () => promise
  const chat = tollgate.chat({ model: 'fine' })
  for (let i = 0; i < 3; i++) await tollgate.call('GET', '/v1/account')
  expect(received).toHaveLength(0)
  resolve()
  expect((await chat).status).toBe(200)
  beforeOpening = fullDisk
  const { json } = await tollgate.chat({ model: 'fine' })
  expect(json.error.message).toContain('The request was not sent: the disk is full')
  expect(received).toHaveLength(1)
})

test.each([{}, { stream: true }])(
  'while a row has been written for 50 ms, nothing more is sent before its own row is durable',
  async (body) => {
    const { clock, tollgate, received } = await start((exchange) =>
      exchange.request.json().stream ? stream(exchange) : answer(exchange),
    )
    const { promise, resolve } = Promise.withResolvers<void>()
    beforeOpening = () => promise
    const ask = () => tollgate.chat({ model: 'fine', ...body })
    const early = [ask(), ask()]
    await vi.waitFor(() => expect(received).toHaveLength(2))
    clock.ahead = 51
    const late = [ask(), ask()]
    for (let i = 0; i < 5; i++) await tollgate.call('GET', '/v1/account')
    expect(received).toHaveLength(2)
    resolve()
    for (const each of [...early, ...late]) expect((await each).status).toBe(200)
    expect(received).toHaveLength(4)
    // Later requests are sent while their rows are written again.
    const again = Promise.withResolvers<void>()
    beforeOpening = () => again.promise
    const last = ask()
    await vi.waitFor(() => expect(received).toHaveLength(5))
    again.resolve()
    expect((await last).status).toBe(200)
  },
)

test('a row that cannot be written any more holds up nothing', async () => {
  const { clock, tollgate, received } = await start(answer)
  const { promise, reject } = Promise.withResolvers<void>()
  beforeOpening = () => promise
  const failed = tollgate.chat({ model: 'fine' })
  await vi.waitFor(() => expect(received).toHaveLength(1))
  reject(new StoreError('locked', 'database is locked'))
  expect((await failed).status).toBe(503)
  beforeOpening = async () => {}
  clock.ahead = 51
  expect((await tollgate.chat({ model: 'fine' })).status).toBe(200)
  const again = Promise.withResolvers<void>()
  beforeOpening = () => again.promise
  const last = tollgate.chat({ model: 'fine' })
  await vi.waitFor(() => expect(received).toHaveLength(3))
  again.resolve()
  expect((await last).status).toBe(200)
})
