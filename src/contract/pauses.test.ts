import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { expect, vi } from 'vitest'
import { forFile } from '../gateway/testing/lifetime.ts'
import { startProgram } from './testing/program.ts'
import { rule, testSection } from './testing/rule.ts'

const test = testSection('Requests and usage')

const tollgate = await forFile(startProgram())

rule(
  'API keys',
  'A paused key is 403 key_paused with the reason; SDKs do not try again and show it',
  async () => {
    const { id, secret } = await tollgate.createKey({ name: 'Night agent', scope: 'full' })
    await tollgate.call('POST', `/v1/keys/${id}/pause`, { body: { reason: 'It loops.' } })
    const reason = /is paused: It loops\./
    const openai = new OpenAI({ baseURL: `${tollgate.baseUrl}/v1`, apiKey: secret })
    const messages = [{ role: 'user' as const, content: 'Hello' }]
    await expect(openai.chat.completions.create({ model: 'sandbox-small', messages })).rejects.toMatchObject({
      status: 403,
      code: 'key_paused',
      message: expect.stringMatching(reason),
    })
    const anthropic = new Anthropic({ baseURL: tollgate.baseUrl, apiKey: secret })
    const asked = anthropic.messages.create({ model: 'sandbox-small', max_tokens: 5, messages })
    await expect(asked).rejects.toMatchObject({ status: 403, message: expect.stringMatching(reason) })
    // One call of each: they are of different clients, so not one row.
    const { data } = (await tollgate.call('GET', `/v1/requests?key=${id}`)).json
    const counts = data.map(({ status, count }: { status: string; count: number }) => [status, count])
    expect(counts).toEqual([
      ['refused', 1],
      ['refused', 1],
    ])
  },
)

test('GET /v1/activity says who paused a key and when; it and what is unread survive kill -9', async () => {
  const { id } = await tollgate.createKey({ name: 'Night agent', scope: 'full' })
  const other = await tollgate.createKey({ name: 'Colleague', scope: 'admin' })
  await tollgate.call('POST', `/v1/keys/${id}/pause`, { as: other.secret, body: { reason: 'It loops.' } })
  const list = async () => (await tollgate.call('GET', '/v1/activity?kind=key-paused')).json
  const found = async () =>
    (await list()).data.find((entry: { subject: { id: string } }) => entry.subject.id === id)
  const entry = await vi.waitFor(async () => {
    const paused = await found()
    expect(paused).toMatchObject({
      actor: { kind: 'key', id: other.id, name: 'Colleague' },
      subject: { kind: 'key', id, name: 'Night agent' },
      reason: 'It loops.',
      unread: true,
    })
    return paused
  })
  await tollgate.call('POST', '/v1/activity/seen', { body: { until: entry.id } })
  await tollgate.call('POST', '/v1/pause')
  await tollgate.kill()
  await tollgate.start()
  expect(await found()).toEqual({ ...entry, unread: false })
  expect((await list()).unread).toBe(0)
})

rule('Account', 'A pause of everything survives kill -9', async () => {
  // It was paused before it was killed above.
  expect((await tollgate.chat({})).json.error.code).toBe('paused')
  await tollgate.call('POST', '/v1/resume')
  expect((await tollgate.chat({})).status).toBe(200)
})
