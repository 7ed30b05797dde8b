import { expect, test } from 'vitest'
import { clientName } from '../../shared/values/client-name.ts'
import { describeClient } from '../http/describe-client.ts'
import { rejectForbiddenFields } from '../http/forbidden-fields.ts'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { startTestUpstream } from '../upstream/testing/test-upstream.ts'

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

const gateway = await forFile(startTestGateway())
const upstream = await forFile(
  startTestUpstream((context) => context.reply(200, { input_tokens: 1, totalTokens: 1 })),
)
const address = `${upstream.url}/v1`
await gateway.addProvider('one', address, ['claude'], { apiFormat: 'anthropic-messages' })
await gateway.addProvider('three', address, ['gpt'], { apiFormat: 'openai-responses' })
await gateway.addProvider('two', address, ['gemini'], { apiFormat: 'gemini-generate' })

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

const kilo = 'Kilo-Code/7.7.9 ai-sdk/openai-compatible/2.0.1 (linux)'

test.each([
  // headers, stored client, name
  [{}, null, ''],
  [{ 'user-agent': 'curl/8.5.0' }, 'curl/8.5.0', 'curl'],
  [{ 'user-agent': '  ' }, null, ''],
  // SDKs whose class name was shortened by a bundler.
  [
    { 'user-agent': 'ls/JS 5.23.2', 'x-stainless-lang': 'js' },
    'OpenAI/JS 5.23.2 (sent as ls/JS 5.23.2)',
    'OpenAI/JS',
  ],
  [
    { 'user-agent': '$/JS 6.1.0', 'x-stainless-lang': 'js' },
    'OpenAI/JS 6.1.0 (sent as $/JS 6.1.0)',
    'OpenAI/JS',
  ],
  [
    { 'user-agent': 'aM/JS 1.11.0', 'x-stainless-lang': 'js', 'anthropic-version': '2023-06-01' },
    'Anthropic/JS 1.11.0 (sent as aM/JS 1.11.0)',
    'Anthropic/JS',
  ],
  [{ 'user-agent': 'Groq/JS 1.0.0', 'x-stainless-lang': 'js' }, 'Groq/JS 1.0.0', 'Groq/JS'],
  [{ 'user-agent': 'ls/JS 5.23.2' }, 'ls/JS 5.23.2', 'ls/JS'],
  // Apps that send their name in addition to that of their library.
  [
    { 'user-agent': kilo, 'x-title': 'Kilo Code' },
    'Kilo Code (Kilo-Code/7.7.9 ai-sdk/openai-compatible/2.0.1 [linux])',
    'Kilo Code',
  ],
  [
    { 'user-agent': 'ls/JS 5.23', 'x-stainless-lang': 'js', 'x-openrouter-title': 'Continue' },
    'Continue (OpenAI/JS 5.23 [sent as ls/JS 5.23])',
    'Continue',
  ],
  [{ 'x-title': 'Roo Code' }, 'Roo Code', 'Roo Code'],
  // The playground, in the app and in a browser.
  [
    { 'user-agent': 'Mozilla/5.0 (X11) Firefox/145.0', 'x-tollgate-bill-to': 'playground' },
    'Tollgate',
    'Tollgate',
  ],
  [{ 'x-title': 'My (own) app', 'user-agent': 'node' }, 'My [own] app (node)', 'My [own] app'],
  [{ 'x-title': '', 'user-agent': 'node' }, 'node', 'node'],
  // Agents by the name that users know.
  [
    { 'user-agent': 'codex_exec/0.169.0 (Debian 12; x86_64) unknown' },
    'Codex (codex_exec/0.169.0 [Debian 12; x86_64] unknown)',
    'Codex',
  ],
  [{ 'user-agent': 'codex_cli_rs/0.169.0' }, 'Codex (codex_cli_rs/0.169.0)', 'Codex'],
  [
    { 'user-agent': 'claude-cli/2.1.330 (external, sdk-cli)' },
    'Claude Code (claude-cli/2.1.330 [external, sdk-cli])',
    'Claude Code',
  ],
  [
    { 'user-agent': 'GeminiCLI/0.61.0/gemini-3-pro (linux; x64; terminal)' },
    'Gemini CLI (GeminiCLI/0.61.0/gemini-3-pro [linux; x64; terminal])',
    'Gemini CLI',
  ],
  [{ 'user-agent': 'QwenCode/0.24.4 (linux; x64)' }, 'Qwen Code (QwenCode/0.24.4 [linux; x64])', 'Qwen Code'],
  [{ 'user-agent': 'opencode/1.18.33' }, 'opencode/1.18.33', 'opencode'],
  // Invalid: control characters, characters that change the text direction, and excessive length.
  [{ 'user-agent': 'tool\u0085\u009b31m\t1.0' }, 'tool 31m 1.0', 'tool'],
  [{ 'x-title': Buffer.from('Übung \u202e東京').toString('latin1') }, 'Übung 東京', 'Übung 東京'],
  [{ 'x-title': 'x'.repeat(500) }, 'x'.repeat(60), 'x'.repeat(60)],
  [{ 'user-agent': '🙂'.repeat(300) }, '🙂'.repeat(200), '🙂'.repeat(60)],
])('%j is stored as %j and named %j', (headers, stored, name) => {
  expect(describeClient(headers)).toBe(stored)
  expect(clientName(stored)).toBe(name)
})
