// The charge of a request is written before the last bytes of its answer are sent. Here this write fails.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { createFailingStore, type FailingStore } from '../testing/failing-store.ts'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { forTest } from '../testing/lifetime.ts'
import { impatient } from '../testing/short-waits.ts'
import { billing, startTestUpstream, type TestExchange } from '../upstream/testing/test-upstream.ts'

let disk: FailingStore

vi.mock(import('../store/store.ts'), async (importOriginal) => {
  const original = await importOriginal()
  return {
    ...original,
    async openStore(options) {
      disk = createFailingStore(await original.openStore(options))
      return disk.store
    },
  }
})

afterEach(() => disk.recover())

/** The provider bills this for each answer: 1 USD and 2 USD per million tokens. */
const BILLED_USD = (500 * 1 + 300 * 2) / 1e6
const chat = billing(500, 300)

const messages = (exchange: TestExchange) =>
  exchange.answer('anthropic-messages', {
    texts: ['Hi'],
    usage: { input_tokens: 500, output_tokens: 300 },
  })

interface World {
  tollgate: TestGateway
  calls(): number
}

async function start(): Promise<World> {
  const upstream = await startTestUpstream((exchange) =>
    exchange.request.path.endsWith('/messages') ? messages(exchange) : chat(exchange),
  )
  onTestFinished(() => upstream.close())
  const tollgate = await forTest(startTestGateway({ clock: impatient }))
  await tollgate.addProvider('acme', upstream.url, ['fine'])
  await tollgate.addProvider('beta', upstream.url, ['native'], { apiFormat: 'anthropic-messages' })
  return { tollgate, calls: () => upstream.requests.length }
}

const getSpend = async (tollgate: TestGateway) => {
  const { spendUsd, reservedUsd } = await tollgate.getAccount()
  return { spendUsd, reservedUsd }
}

/** The state that a gateway finds after a crash at this moment. */
async function spendAfterCrash({ dataDir, admin }: TestGateway): Promise<unknown> {
  const copy = mkdtempSync(join(tmpdir(), 'tollgate-crash-'))
  cpSync(dataDir, copy, { recursive: true, filter: (path) => !path.endsWith('.lock') })
  const again = await startTestGateway({ dataDir: copy, admin })
  const { spendUsd } = await getSpend(again)
  await again.close()
  rmSync(copy, { recursive: true })
  return spendUsd
}

const settledRecord = (tollgate: TestGateway) =>
  vi.waitFor(async () => {
    const [record] = await tollgate.records()
    expect(record?.status).not.toBe('running')
    return record
  })

test('a plain answer whose charge cannot be written is withheld, and its charge is written later', async () => {
  const { tollgate, calls } = await start()
  const headers = { 'idempotency-key': 'same' }
  disk.fail('settleRequest')
  const answer = await tollgate.chat({ model: 'fine' }, { headers })
  expect([answer.status, answer.json.error.code]).toEqual([503, 'ledger_unavailable'])
  expect(answer.json.error.message).toContain('the disk is full')
  expect([...answer.headers.keys()].filter((name) => /cost|tokens/.test(name))).toEqual([])
  // The charge counts already, but the client knows of no cost that a crash could undo.
  expect(await getSpend(tollgate)).toEqual({ spendUsd: BILLED_USD, reservedUsd: 0 })
  const repeated = await tollgate.chat({ model: 'fine' }, { headers })
  expect([repeated.status, repeated.json.error.code]).toEqual([502, 'outcome_unknown'])
  disk.recover()
  const record = await settledRecord(tollgate)
  expect(record).toMatchObject({
    ...{ status: 'failed', httpStatus: 503, costUsd: BILLED_USD, costStatus: 'exact' },
    error: { code: 'ledger_unavailable' },
  })
  expect(await getSpend(tollgate)).toEqual({ spendUsd: BILLED_USD, reservedUsd: 0 })
  const replayed = await tollgate.chat({ model: 'fine' }, { headers })
  expect([replayed.status, replayed.json.error.code]).toEqual([502, 'outcome_unknown'])
  expect(calls()).toBe(1)
  expect(await spendAfterCrash(tollgate)).toBe(BILLED_USD)
})

test.each([
  ['of the same format', '/v1/chat/completions', 'fine'],
  ['that is translated', '/v1/responses', 'fine'],
  ['of another vendor', '/v1/messages', 'native'],
])('a stream %s whose charge cannot be written ends with an error', async (_, path, model) => {
  const { tollgate, calls } = await start()
  const prompt = [{ role: 'user', content: 'Hi' }]
  const body = { model, stream: true, max_tokens: 1000, messages: prompt, input: prompt }
  const { max_tokens: _limit, messages: _messages, ...ofResponses } = body
  const { input: _input, ...ofOthers } = body
  const call = () =>
    fetch(tollgate.baseUrl + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tollgate.admin}`,
        'content-type': 'application/json',
        'idempotency-key': 'same',
      },
      body: JSON.stringify(path === '/v1/responses' ? ofResponses : ofOthers),
    }).then((response) => response.text())
  disk.fail('settleRequest')
  const text = await call()
  expect(text).toMatch(/"(content|delta|text)":"Hi"/)
  expect(text).toContain('the disk is full')
  expect(text).not.toMatch(/\[DONE\]|message_stop|response\.completed|"cost"/)
  disk.recover()
  expect(await settledRecord(tollgate)).toMatchObject({
    ...{ status: 'failed', httpStatus: 200, costUsd: BILLED_USD, costStatus: 'exact' },
    error: { code: 'ledger_unavailable' },
  })
  expect(await call()).toContain('outcome_unknown')
  expect(calls()).toBe(1)
})

test('a stream of bytes whose charge cannot be written is cut', async () => {
  const upstream = await startTestUpstream((exchange) =>
    exchange.begin({ 'content-type': 'audio/mpeg' }).raw('sound').end(),
  )
  onTestFinished(() => upstream.close())
  const tollgate = await forTest(startTestGateway({ clock: impatient }))
  await tollgate.addProvider('acme', `${upstream.url}/v1`, [])
  const pricing = { inputPerMillion: 0, outputPerMillion: 0, perMillionCharacters: 15 }
  await tollgate.call('PUT', '/v1/models/voice', { body: { provider: 'acme', pricing } })
  const speak = () =>
    tollgate.call('POST', '/v1/audio/speech', { body: { model: 'voice', input: 'Hello', voice: 'alloy' } })
  expect((await speak()).text).toBe('sound')
  disk.fail('settleRequest')
  await expect(speak()).rejects.toThrow()
})

test('a limit that is set meanwhile counts the charge in its session, and not in another that runs', async () => {
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const upstream = await startTestUpstream(async (exchange) => {
    if (exchange.request.body.includes('Wait')) {
      arrived.resolve()
      await released.promise
    }
    return chat(exchange)
  })
  onTestFinished(() => upstream.close())
  const tollgate = await forTest(startTestGateway({ clock: impatient }))
  await tollgate.addProvider('acme', upstream.url, ['fine'])
  const { id, secret } = await tollgate.createKey({ name: 'agents', scope: 'full' })
  const ask = async (session: string, content = 'Hi') => {
    const headers = { 'x-tollgate-session': session }
    const messages = [{ role: 'user', content }]
    return (await tollgate.chat({ model: 'fine', messages, max_tokens: 300 }, { as: secret, headers })).status
  }
  const waiting = ask('other', 'Wait')
  await arrived.promise
  disk.fail('settleRequest')
  expect(await ask('first')).toBe(503)
  // More than one request, and less than two.
  const spendLimits = [{ usd: BILLED_USD * 1.5, per: 'session' }]
  expect((await tollgate.call('PATCH', `/v1/keys/${id}`, { body: { spendLimits } })).status).toBe(200)
  disk.recover()
  expect([await ask('first'), await ask('first')]).toEqual([200, 402])
  released.resolve()
  expect(await waiting).toBe(200)
  const spentUsd = async () => (await tollgate.getKey(id)).spendLimits[0].spentUsd
  await expect.poll(spentUsd).toBe(BILLED_USD)
  expect([await ask('other'), await ask('other')]).toEqual([200, 402])
})
