// The answers and events of every endpoint have the types of the vendors' own packages, whatever a provider of whichever
// API format answers. The providers replay the recordings of the codecs' tests.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, expect } from 'vitest'
import { dataOf, startTestGateway } from '../gateway/testing/gateway.ts'
import { startTestUpstream } from '../gateway/upstream/testing/test-upstream.ts'
import { API_FORMATS } from '../shared/providers.ts'
import { findTypeErrors, type Sample } from './testing/check-types.ts'
import { rule } from './testing/rule.ts'

const FORMATS = resolve(import.meta.dirname, '../gateway/formats')

/** The path of a provider's base URL is `/FORMAT/RECORDING`. */
const upstream = await startTestUpstream(({ request, response }) => {
  const [, format = '', recording = ''] = request.path.split('/')
  const type = recording.startsWith('stream') ? 'text/event-stream' : 'application/json'
  response.writeHead(200, { 'content-type': type })
  response.end(readFileSync(join(FORMATS, format, 'fixtures', `${recording}.txt`)))
})
const tollgate = await startTestGateway()
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

interface Recording {
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
    recordings.push({ model, stream: kind === 'stream' })
  }
}

await Promise.all(setups)

const tools = ['get_weather', 'get_time'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { city: { type: 'string' } } } },
}))

rule(
  'Chat answers',
  'Every plain answer, chunk and error has the types of the `openai` package',
  async () => {
    const samples = await Promise.all(
      recordings.map(async ({ model, stream }) => {
        const options = stream ? { stream, stream_options: { include_usage: true } } : {}
        const { text } = await tollgate.chat({ model, tools, ...options })
        const values = text.startsWith('data: ') ? dataOf(text) : [JSON.parse(text)]
        return values
          .filter((value) => value !== '[DONE]')
          .map((value): Sample => {
            const type = value.error ? 'openai error' : stream ? 'chat chunk' : 'chat completion'
            return { from: model, type, value }
          })
      }),
    )
    expect(await findTypeErrors(samples.flat())).toEqual([])
  },
)

rule('Errors', 'Each status has an error with the type of the `openai` package', async () => {
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
  expect(answers.map(({ status }) => status)).toEqual([400, 401, 402, 403, 404, 405, 429])
  const samples = answers.map(({ json, status }): Sample => {
    return { from: String(status), type: 'openai error', value: json }
  })
  expect(await findTypeErrors(samples)).toEqual([])
})

rule('Models', 'The list and each model have the types of the `openai` and Anthropic packages', async () => {
  const { json } = await tollgate.call('GET', '/v1/models')
  const samples: Sample[] = [
    { from: 'the list', type: 'openai models', value: json },
    { from: 'the list', type: 'anthropic models', value: json },
  ]
  expect(await findTypeErrors(samples)).toEqual([])
})
