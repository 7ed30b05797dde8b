// The answers and events of every endpoint have the types of the vendors' own packages, whatever a provider of whichever
// API format answers. The providers replay the recordings of the codecs' tests.

import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import { startTestGateway } from '../gateway/testing/gateway.ts'
import { forFile } from '../gateway/testing/lifetime.ts'
import { startTestUpstream } from '../gateway/upstream/testing/test-upstream.ts'
import { API_FORMATS, type ApiFormat } from '../shared/api/providers.ts'
import { findTypeErrors, type Sample } from './testing/check-types.ts'
import { rule } from './testing/rule.ts'
import type { Section } from './testing/rule-name.ts'
import type { WireTypes } from './testing/wire-types.ts'

const FORMATS = resolve(import.meta.dirname, '../gateway/formats')

/** The path of a provider's base URL is `/FORMAT/RECORDING`. */
const upstream = await forFile(
  startTestUpstream(({ request, response }) => {
    const [, format = '', recording = ''] = request.path.split('/')
    const type = recording.startsWith('stream') ? 'text/event-stream' : 'application/json'
    response.writeHead(200, { 'content-type': type })
    response.end(readFileSync(join(FORMATS, format, 'fixtures', `${recording}.txt`)))
  }),
)
const tollgate = await forFile(startTestGateway())

interface Recording {
  apiFormat: ApiFormat
  model: string
  stream: boolean
}

/** A provider and a model for each recorded answer. */
const recordings: Recording[] = []
const setups: Promise<void>[] = []
for (const apiFormat of API_FORMATS) {
  for (const file of readdirSync(join(FORMATS, apiFormat, 'fixtures'))) {
    const [, name = '', kind = ''] = /^((plain|stream)[\w-]*)\.txt$/.exec(file) ?? []
    if (name === '') continue
    const model = `${apiFormat}-${name}`
    setups.push(tollgate.addProvider(model, `${upstream.url}/${apiFormat}/${name}`, [model], { apiFormat }))
    recordings.push({ apiFormat, model, stream: kind === 'stream' })
  }
}

await Promise.all(setups)

const schema = { type: 'object', properties: { city: { type: 'string' } } }
const names = ['get_weather', 'get_time']

interface Client {
  section: Section
  endpoint: string
  packageName: string
  /** The answers of providers of this format are not written here but passed through. */
  native: ApiFormat | null
  types: { plain: keyof WireTypes; event: keyof WireTypes; error: keyof WireTypes }
  request(model: string, stream: boolean): { path: string; body: object }
}

const clients: readonly Client[] = [
  {
    section: 'Chat answers',
    endpoint: '/v1/chat/completions',
    packageName: 'openai',
    // These are rewritten for providers of the same format, too.
    native: null,
    types: { plain: 'chat completion', event: 'chat chunk', error: 'openai error' },
    request: (model, stream) => ({
      path: '/v1/chat/completions',
      body: {
        model,
        messages: [{ role: 'user', content: 'Hi' }],
        tools: names.map((name) => ({ type: 'function', function: { name, parameters: schema } })),
        ...(stream && { stream, stream_options: { include_usage: true } }),
      },
    }),
  },
  {
    section: 'Client libraries',
    endpoint: '/v1/responses',
    packageName: 'openai',
    native: 'openai-responses',
    types: { plain: 'response', event: 'response event', error: 'openai error' },
    request: (model, stream) => ({
      path: '/v1/responses',
      body: {
        model,
        input: 'Hi',
        stream,
        tools: names.map((name) => ({ type: 'function', name, parameters: schema, strict: false })),
        reasoning: { summary: 'auto' },
        include: ['reasoning.encrypted_content'],
      },
    }),
  },
  {
    section: 'Client libraries',
    endpoint: '/v1/messages',
    packageName: '@anthropic-ai/sdk',
    native: 'anthropic-messages',
    types: { plain: 'message', event: 'message event', error: 'anthropic error' },
    request: (model, stream) => ({
      path: '/v1/messages',
      body: {
        model,
        max_tokens: 500,
        messages: [{ role: 'user', content: 'Hi' }],
        stream,
        tools: names.map((name) => ({ name, input_schema: schema })),
      },
    }),
  },
  {
    section: 'Client libraries',
    endpoint: '/v1beta/models',
    packageName: '@google/genai',
    native: 'gemini-generate',
    types: { plain: 'generated content', event: 'generated content', error: 'google error' },
    request: (model, stream) => ({
      path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      body: {
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
        tools: [{ functionDeclarations: names.map((name) => ({ name, parametersJsonSchema: schema })) }],
        generationConfig: { thinkingConfig: { includeThoughts: true } },
      },
    }),
  },
]

async function callAsClient({ native, types, request }: Client): Promise<Sample[]> {
  const translated = recordings.filter(({ apiFormat }) => apiFormat !== native)
  const samples = await Promise.all(
    translated.map(async ({ model, stream }) => {
      const { path, body } = request(model, stream)
      const { text } = await tollgate.call('POST', path, { body })
      return listValues(text).map((value): Sample => {
        const isError = 'error' in value && value.object !== 'response' && !('sequence_number' in value)
        const type = isError ? types.error : stream ? types.event : types.plain
        return { from: model, type, value }
      })
    }),
  )
  return samples.flat()
}

/** The JSON of a plain answer, or of each event. */
function listValues(text: string) {
  const data = [...text.matchAll(/^data: (.*)$/gm)].map(([, value = '']) => value)
  return (data.length > 0 ? data : [text])
    .filter((value) => value !== '[DONE]')
    .map((value) => JSON.parse(value))
}

async function causeErrors(): Promise<Sample[]> {
  const { secret } = await tollgate.createKey({ name: 'spent', scope: 'completions-only', spendLimitUsd: 0 })
  const limited = await tollgate.createKey({ name: 'limited', scope: 'completions-only', rpmLimit: 1 })
  await tollgate.chat({}, { as: limited.secret })
  const answers = await Promise.all([
    tollgate.chat({ messages: [] }),
    tollgate.chat({}, { as: 'tg-unknown' }),
    tollgate.chat({ model: 'openai-chat-plain' }, { as: secret }),
    tollgate.call('GET', '/v1/keys', { as: secret }),
    tollgate.chat({ model: 'unknown' }),
    tollgate.call('DELETE', '/v1/chat/completions'),
    tollgate.chat({}, { as: limited.secret }),
  ])
  return answers.map(({ json, status }) => ({ from: String(status), type: 'openai error', value: json }))
}

async function listModels(): Promise<Sample[]> {
  const { json } = await tollgate.call('GET', '/v1/models')
  return (['openai models', 'anthropic models'] as const).map((type) => ({
    from: 'the list',
    type,
    value: json,
  }))
}

const answers = await Promise.all(clients.map(callAsClient))
const errors = await causeErrors()
const models = await listModels()
const found = await findTypeErrors([...answers.flat(), ...errors, ...models])

function listErrors(samples: readonly Sample[]): string[] {
  return found.filter(({ sample }) => sample === null || samples.includes(sample)).map(({ text }) => text)
}

for (const [index, { section, endpoint, packageName }] of clients.entries()) {
  const text = `Every answer, event and error of ${endpoint} has the types of the package ${packageName}`
  rule(section, text, () => {
    const samples = answers[index] ?? []
    expect(samples.length).toBeGreaterThan(recordings.length / 2)
    expect(listErrors(samples)).toEqual([])
  })
}

rule('Errors', 'Each status has an error with the type of the `openai` package', () => {
  expect(errors.map(({ from }) => from)).toEqual(['400', '401', '402', '403', '404', '405', '429'])
  expect(listErrors(errors)).toEqual([])
})

rule('Models', 'The list and each model have the types of the `openai` and Anthropic packages', () => {
  expect(listErrors(models)).toEqual([])
})
