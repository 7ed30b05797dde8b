import type OpenAI from 'openai'
import { expect } from 'vitest'
import { forFile } from '../gateway/testing/lifetime.ts'
import { startTestUpstream } from '../gateway/upstream/testing/test-upstream.ts'
import { openaiFor } from './testing/openai-client.ts'
import { getRejection } from './testing/rejection.ts'
import { rule } from './testing/rule.ts'
import { says, shareSection, startScriptedUpstream } from './testing/upstream.ts'

const { test, tollgate } = await shareSection('Client libraries')
const chat = await forFile(startScriptedUpstream(tollgate))
await chat.model('chatty', says('a + b'))
/** An upstream with completions: a known local server, and Mistral. */
const upstream = await forFile(startTestUpstream())
const pricing = { inputPerMillion: 1, outputPerMillion: 2 }
await tollgate.addProvider('vllm', `${upstream.url}/v1`, ['coder'])
await tollgate.addProvider('mistral', `${upstream.url}/v1`, ['codestral-latest'])

const openai = openaiFor(tollgate)
const usage = { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 }
const completion = (text: string, finish: string | null = 'stop') => ({
  id: 'cmpl-1',
  object: 'text_completion',
  created: 1_760_000_000,
  model: 'coder-v1',
  system_fingerprint: 'fp_1',
  choices: [{ text, index: 0, logprobs: { tokens: [text] }, finish_reason: finish }],
})

test('openai completions: a chat model completes a text, plain and streamed', async () => {
  const { completions } = openai()
  for (const model of ['chatty', 'sandbox-small']) {
    const plain = await completions.create({ model, prompt: 'return ' })
    expect(plain).toMatchObject({ object: 'text_completion', model, usage: { cost: expect.any(Number) } })
    expect(plain.choices[0]?.text.length).toBeGreaterThan(0)
    let text = ''
    let last: OpenAI.Completion | undefined
    const options = { include_usage: true }
    for await (const chunk of await completions.create({
      model,
      prompt: 'return ',
      stream: true,
      stream_options: options,
    })) {
      text += chunk.choices[0]?.text ?? ''
      last = chunk
    }
    expect(text).toBe(plain.choices[0]?.text)
    expect(last?.usage).toEqual(plain.usage)
  }
  expect(chat.calls('chatty')[0]?.json()).toMatchObject({
    messages: [{ role: 'user', content: 'return ' }],
    max_tokens: 16,
  })
})

test('openai completions: what a chat model cannot do is 400 with the field', async () => {
  const { completions } = openai()
  const cases: [Pick<OpenAI.CompletionCreateParams, 'prompt' | 'echo' | 'logprobs'>, string][] = [
    [{ prompt: ['a', 'b'] }, 'prompt'],
    [{ prompt: [1, 2] }, 'prompt'],
    [{ prompt: 'a', echo: true }, 'echo'],
    [{ prompt: 'a', logprobs: 1 }, 'logprobs'],
  ]
  for (const [fields, param] of cases) {
    const error = await getRejection(completions.create({ model: 'chatty', ...fields }))
    expect(error).toMatchObject({ status: 400, param, code: 'not_supported_by_provider' })
  }
})

rule(
  'Chat requests',
  'A text completion passes through to a provider that has them, with exact cost',
  async () => {
    const key = await tollgate.createKey({ name: 'editor', scope: 'completions-only' })
    const { completions } = openai(key.secret)
    upstream.handler = (exchange) => exchange.reply(200, { ...completion('x + y'), usage })
    const body = `{"model":"coder",  "prompt":["a", "b"], "echo":true,"logprobs":2, "min_p": 0.10}`
    const raw = await tollgate.call('POST', '/v1/completions', { as: key.secret, body })
    expect(upstream.requests.at(-1)).toMatchObject({
      path: '/v1/completions',
      body: body.replace('}', ',"max_tokens":16}'),
    })
    expect(raw.json).toEqual({
      ...completion('x + y'),
      id: raw.headers.get('x-service-request-id'),
      model: 'coder',
      usage: { ...usage, cost: 0.0014 },
    })
    expect(raw.headers.get('x-service-cost-usd')).toBe('0.001400')

    upstream.handler = (exchange) =>
      exchange
        .begin()
        .data(completion('x', null), completion(' + y'), { ...completion(''), choices: [], usage }, '[DONE]')
        .end()
    let text = ''
    let chunks = 0
    for await (const chunk of await completions.create({
      model: 'coder',
      prompt: 'a',
      max_tokens: 100,
      stream: true,
    })) {
      text += chunk.choices[0]?.text ?? ''
      chunks += 1
      expect(chunk.usage).toBeUndefined()
    }
    expect([text, chunks]).toEqual(['x + y', 2])
    expect(upstream.requests.at(-1)?.json()).toMatchObject({
      max_tokens: 100,
      stream_options: { include_usage: true },
    })
    const { json } = await tollgate.call('GET', `/v1/keys/${key.id}`)
    expect(json.spendUsd).toBe(0.0028)
  },
)

test('An editor fills in the middle by /v1/completions and /v1/fim/completions', async () => {
  const fim = {
    model: 'codestral-latest',
    prompt: 'def f(',
    suffix: '\n',
    max_tokens: 64,
    temperature: 0,
    stop: ['\n\n'],
  }
  const answer = {
    id: 'a',
    object: 'chat.completion',
    created: 1,
    model: 'codestral-2508',
    choices: [{ index: 0, message: { role: 'assistant', content: 'x):' }, finish_reason: 'stop' }],
    usage,
  }
  upstream.handler = (exchange) => exchange.reply(200, answer)
  const mistral = await tollgate.call('POST', '/v1/fim/completions', { body: { ...fim, random_seed: 1 } })
  expect(upstream.requests.at(-1)?.path).toBe('/v1/fim/completions')
  expect(upstream.requests.at(-1)?.json()).toEqual({ ...fim, random_seed: 1 })
  expect(mistral.json).toMatchObject({ choices: [{ message: { content: 'x):' } }], usage: { cost: 0.0014 } })
  const openaiFormat = await openai().completions.create({ ...fim, seed: 1, n: 1, user: 'u' })
  expect(upstream.requests.at(-1)?.json()).toEqual({ ...fim, random_seed: 1 })
  expect(openaiFormat.choices[0]?.text).toBe('x):')

  const chunk = (delta: object, finish: string | null) => ({
    ...answer,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
    usage: finish === null ? undefined : usage,
  })
  upstream.handler = (exchange) =>
    exchange
      .begin()
      .data(chunk({ role: 'assistant', content: 'x' }, null), chunk({ content: '):' }, 'stop'), '[DONE]')
      .end()
  const streamed = await tollgate.call('POST', '/v1/fim/completions', { body: { ...fim, stream: true } })
  const texts = [...streamed.text.matchAll(/"content":"([^"]*)"/g)].map(([, text]) => text)
  expect(texts.join('')).toBe('x):')
  expect(streamed.text).toContain('"cost":0.0014')

  await tollgate.call('PUT', '/v1/models/editor-chat', {
    body: { provider: 'acme', upstreamModel: 'chatty', pricing },
  })
  const translated = await tollgate.call('POST', '/v1/fim/completions', {
    body: { ...fim, model: 'editor-chat' },
  })
  expect(translated.json.choices[0].message.content).toBe('a + b')
  expect(chat.calls('chatty').at(-1)?.body).toContain('<before_cursor>def f(</before_cursor>')
})
