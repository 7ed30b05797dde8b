import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, vi } from 'vitest'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { fails, neverResponds, says, startScriptedUpstream } from './testing/upstream.ts'

let tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

const withKey = (key: string, as?: string) => ({ headers: { 'idempotency-key': key }, ...(as ? { as } : {}) })
const getSpend = async (id: string) => (await tollgate.call('GET', `/v1/keys/${id}`)).json.spendUsd

rule(
  'Idempotency',
  '400, 402, 403, 404 and 429 are not stored, so a corrected request can use the key',
  async () => {
    const reader = await tollgate.createKey({ name: 'reader', scope: 'read-only' })
    expect((await tollgate.chat({}, withKey('k-fix', reader.secret))).status).toBe(403)
    expect((await tollgate.chat({ temperature: 9 }, withKey('k-fix'))).status).toBe(400)
    expect((await tollgate.chat({ model: 'none' }, withKey('k-fix'))).status).toBe(404)
    expect((await tollgate.chat({}, withKey('k-fix'))).status).toBe(200)
    const capped = await tollgate.createKey({ name: 'capped', scope: 'full', spendLimitUsd: 0, rpmLimit: 1 })
    expect((await tollgate.chat({}, withKey('k-cap', capped.secret))).status).toBe(402)
    await tollgate.call('PATCH', `/v1/keys/${capped.id}`, { body: { spendLimitUsd: 1 } })
    expect((await tollgate.chat({}, withKey('k-cap', capped.secret))).status).toBe(200)
    expect((await tollgate.chat({}, withKey('k-rate', capped.secret))).status).toBe(429)
    await tollgate.call('PATCH', `/v1/keys/${capped.id}`, { body: { rpmLimit: null } })
    expect((await tollgate.chat({ n: 2 }, withKey('k-rate', capped.secret))).status).toBe(200)
  },
)

rule('Idempotency', 'Answers of an upstream are stored, failures included', async () => {
  await upstream.model('fails', fails(503))
  const first = await tollgate.chat({ model: 'fails' }, withKey('k-fails'))
  const second = await tollgate.chat({ model: 'fails' }, withKey('k-fails'))
  expect([second.status, second.text]).toEqual([503, first.text])
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  expect(upstream.calls('fails')).toHaveLength(3)
})

rule(
  'Idempotency',
  'An answer above 4 MiB is not stored: a repetition gets 502 answer_too_large and is neither run nor charged',
  async () => {
    await tollgate.call('PATCH', '/v1/settings', { body: { storeBodies: true } })
    await upstream.model('long', says('x'.repeat(5 * 1024 * 1024)))
    const key = await tollgate.createKey({ name: 'long', scope: 'full' })
    for (const stream of [false, true]) {
      const first = await tollgate.chat({ model: 'long', stream }, withKey(`k-long-${stream}`, key.secret))
      expect([first.status, first.text.length > 5 * 1024 * 1024]).toEqual([200, true])
      const spent = await getSpend(key.id)
      const second = await tollgate.chat({ model: 'long', stream }, withKey(`k-long-${stream}`, key.secret))
      expect([second.status, second.json.error.code]).toEqual([502, 'answer_too_large'])
      expect(second.json.error.message).toContain('too large')
      expect(await getSpend(key.id)).toBe(spent)
      const id = String(first.headers.get('x-service-request-id'))
      expect((await tollgate.call('GET', `/v1/requests/${id}`)).json.bodiesKept).toBe(false)
    }
    expect(upstream.calls('long')).toHaveLength(2)
    await tollgate.call('PATCH', '/v1/settings', { body: { storeBodies: false } })
  },
)

rule('Idempotency', 'Errors of the request itself are not stored, for any operation', async () => {
  const broken = { name: 'fixed', scope: 'nonsense' }
  const right = { name: 'fixed', scope: 'full' }
  expect((await tollgate.call('POST', '/v1/keys', { body: broken, ...withKey('k-ops') })).status).toBe(400)
  expect((await tollgate.call('POST', '/v1/keys', { body: right, ...withKey('k-ops') })).status).toBe(201)
  const estimate = { model: 'none', monthlyInputTokens: 1, monthlyOutputTokens: 1 }
  const ask = (body: object) => tollgate.call('POST', '/v1/pricing/estimate', { body, ...withKey('k-est') })
  expect((await ask(estimate)).status).toBe(404)
  expect((await ask({ ...estimate, model: 'sandbox-small' })).status).toBe(200)
  const restore = () => tollgate.call('POST', '/v1/backups/none/restore', withKey('k-restore'))
  for (const { status, headers } of [await restore(), await restore()]) {
    expect([status, headers.get('idempotency-replayed')]).toEqual([404, null])
  }
})

rule('Idempotency', 'Replays survive a restart', async () => {
  const first = await tollgate.chat({}, withKey('k-restart'))
  const created = await tollgate.call('POST', '/v1/keys', {
    body: { name: 'r', scope: 'full' },
    ...withKey('k-restart'),
  })
  await tollgate.terminate()
  tollgate = await startProgram(tollgate)
  await upstream.follow(tollgate)
  const again = await tollgate.chat({}, withKey('k-restart'))
  expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true'])
  const key = await tollgate.call('POST', '/v1/keys', {
    body: { name: 'r', scope: 'full' },
    ...withKey('k-restart'),
  })
  expect(key.json).toEqual(created.json)
})

rule(
  'Idempotency',
  'After kill -9 stored answers are available; what was in flight is 502 outcome_unknown and not run again',
  async () => {
    const first = await tollgate.chat({}, withKey('k-stored'))
    const quiet = neverResponds()
    await upstream.model('in-flight', quiet.handler)
    const running = tollgate.chat({ model: 'in-flight' }, withKey('k-crash')).catch(() => null)
    await quiet.received
    const recorded = '/v1/requests?status=running'
    await vi.waitFor(
      async () => expect((await tollgate.call('GET', recorded)).json.data).toHaveLength(1),
      5_000,
    )
    await tollgate.kill()
    await running
    tollgate = await startProgram(tollgate)
    await upstream.follow(tollgate)
    expect((await tollgate.chat({}, withKey('k-stored'))).text).toBe(first.text)
    for (let turn = 0; turn < 2; turn++) {
      const { status, json } = await tollgate.chat({ model: 'in-flight' }, withKey('k-crash'))
      expect([status, json.error.type, json.error.code]).toEqual([502, 'upstream_error', 'outcome_unknown'])
    }
    expect(upstream.calls('in-flight')).toHaveLength(1)
    const [record] = (await tollgate.call('GET', '/v1/requests?model=in-flight')).json.data
    expect(record).toMatchObject({ status: 'failed', costStatus: 'unsettled' })
  },
)

rule(
  'Idempotency',
  'Stored answers are encrypted: no file contains a prompt, an answer or a secret',
  async () => {
    await upstream.model('sentinel', says('sentinel-answer-4711'))
    const messages = [{ role: 'user', content: 'sentinel-prompt-4711' }]
    await tollgate.chat({ model: 'sentinel', messages }, withKey('k-sentinel'))
    await tollgate.chat({ model: 'sentinel', messages, stream: true }, withKey('k-sentinel-stream'))
    for (const entry of readdirSync(tollgate.dataDir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const bytes = readFileSync(join(entry.parentPath, entry.name))
      for (const sentinel of [
        'sentinel-answer-4711',
        'sentinel-prompt-4711',
        tollgate.admin,
        'secret-of-acme',
      ]) {
        expect([entry.name, sentinel, bytes.includes(sentinel)]).toEqual([entry.name, sentinel, false])
      }
    }
  },
)
