import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { startTestUpstream, type TestUpstream } from '../upstream/testing/test-upstream.ts'
import { rejectForbiddenFields } from './inference.ts'

test.each([
  ['Model', 'write "model"'],
  ['MAX_TOKENS', 'write "max_tokens"'],
  // Uses the kelvin sign and the long s, which fold to ASCII letters.
  ['max_to\u212Aens', 'write "max_tokens"'],
  ['me\u017F\u017Fages', 'write "messages"'],
  ['API_BASE', 'set under Providers'],
  ['baseurl', 'set under Providers'],
  ['extra_body', 'set under Providers'],
  ['user_config', 'set under Providers'],
])('refuses %s, which some servers read as another name', (name, reason) => {
  expect(() => rejectForbiddenFields({ model: 'a', [name]: 'b' })).toThrow(reason)
})

test('accepts exact names and unknown ones', () => {
  const names = ['model', 'n', 'N1', 'max_tokens', 'maxTokens', 'Metadata', 'stream_options']
  expect(() => rejectForbiddenFields(Object.fromEntries(names.map((name) => [name, 1])))).not.toThrow()
})

let gateway: TestGateway
let upstream: TestUpstream
beforeAll(async () => {
  gateway = await startTestGateway()
  upstream = await startTestUpstream((context) => context.reply(200, { input_tokens: 1, totalTokens: 1 }))
  const address = `${upstream.url}/v1`
  await gateway.addProvider('one', address, ['claude'], { apiFormat: 'anthropic-messages' })
  await gateway.addProvider('three', address, ['gpt'], { apiFormat: 'openai-responses' })
  await gateway.addProvider('two', address, ['gemini'], { apiFormat: 'gemini-generate' })
})
afterAll(async () => {
  await gateway.close()
  await upstream.close()
})

const messages = [{ role: 'user', content: 'Hi' }]
const contents = [{ parts: [{ text: 'Hi' }] }]

test.each([
  ['/v1/messages', { model: 'claude', max_tokens: 1, messages, Model: 'x' }],
  ['/v1/messages/count_tokens', { model: 'claude', messages, Model: 'x' }],
  ['/v1/messages/count_tokens', { model: 'claude', messages, api_base: 'http://x' }],
  ['/v1/responses', { model: 'claude', input: 'Hi', MODEL: 'x' }],
  ['/v1beta/models/gemini:generateContent', { contents, Model: 'x' }],
  ['/v1beta/models/gemini:countTokens', { contents, Model: 'x' }],
  ['/v1beta/models/gemini:countTokens', { generateContentRequest: { contents, api_base: 'http://x' } }],
  [
    '/v1beta/models/gemini:generateContent',
    { contents, generationConfig: { maxOutputTokens: 1 }, generation_config: { maxOutputTokens: 60_000 } },
  ],
  [
    '/v1beta/models/gemini:generateContent',
    { contents, generationConfig: { candidateCount: 1, candidate_count: 8 } },
  ],
])('a request to %s that could be read in two ways is rejected and not sent', async (path, body) => {
  const before = upstream.requests.length
  const answer = await gateway.call('POST', path, { body })
  expect(answer.status).toBe(400)
  expect(answer.json.error.message).toMatch(/not accepted|twice/)
  expect(upstream.requests).toHaveLength(before)
})

test.each([
  [
    '/v1/messages?beta=true&api_key=x&key=y',
    { model: 'claude', max_tokens: 1, messages },
    '/v1/messages?beta=true',
  ],
  ['/v1/responses?api_key=x&route=y', { model: 'gpt', input: 'Hi' }, '/v1/responses'],
  ['/v1beta/models/gemini:generateContent?%24alt=x', { contents }, '/v1/models/gemini:generateContent'],
])('only parameters that the vendor defines go along from %s', async (path, body, sent) => {
  await gateway.call('POST', path, { body })
  expect(upstream.requests.at(-1)?.path).toBe(sent)
})
