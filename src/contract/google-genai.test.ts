import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { ApiError, GoogleGenAI } from '@google/genai'
import { APICallError, generateText, isStepCount, streamText, tool } from 'ai'
import { expect } from 'vitest'
import { z } from 'zod'
import { forFile } from '../gateway/testing/lifetime.ts'
import { startTestUpstream } from '../gateway/upstream/testing/test-upstream.ts'
import { getRejection } from './testing/rejection.ts'
import { rule } from './testing/rule.ts'
import { breaks, fails, shareForFile } from './testing/upstream.ts'

const { test, tollgate, upstream } = await shareForFile('Client libraries')
await upstream.model('vendor/fails:503', fails(503))
await upstream.model('vendor/breaks:free', breaks)
const google = await forFile(
  startTestUpstream(({ request, ...exchange }) => {
    const isStream = request.path.includes('stream')
    const hasResult = request.body.includes('functionResponse')
    const part = hasResult
      ? { text: 'It is sunny.' }
      : {
          functionCall: { id: 'fc_1', name: 'get_weather', args: { city: 'Rome' } },
          thoughtSignature: 'U0lHTkVE',
        }
    const answer = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: 1000,
        cachedContentTokenCount: 400,
        candidatesTokenCount: 150,
        thoughtsTokenCount: 50,
      },
      modelVersion: 'gemini-x',
    }
    exchange.response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
    exchange.response.end(isStream ? `data: ${JSON.stringify(answer)}\r\n\r\n` : JSON.stringify(answer))
  }),
)
await tollgate.addProvider('google', `${google.url}/v1beta`, ['gemini-x'], { apiFormat: 'gemini-generate' })

const client = (apiVersion: string, apiKey = tollgate.admin) =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: tollgate.baseUrl, apiVersion } })
const sdk = client('v1beta')
const ai = createGoogleGenerativeAI({ baseURL: `${tollgate.baseUrl}/v1beta`, apiKey: tollgate.admin })
const question = 'What is the weather in Rome? [[sandbox:tool get_weather]]'

for (const version of ['v1', 'v1beta']) {
  test(`@google/genai (${version}): plain and streamed content, counts and models`, async () => {
    const { models } = client(version)
    const request = { model: 'sandbox-small', contents: 'Hello' }
    const plain = await models.generateContent(request)
    expect(plain.text?.length).toBeGreaterThan(0)
    expect(plain.usageMetadata).toMatchObject({
      promptTokenCount: expect.any(Number),
      cost: expect.any(Number),
    })
    let text = ''
    let last: typeof plain | undefined
    for await (const chunk of await models.generateContentStream(request)) {
      text += chunk.text ?? ''
      last = chunk
    }
    expect(text).toBe(plain.text)
    expect(last?.candidates?.[0]?.finishReason).toBe('STOP')
    expect(last?.usageMetadata).toEqual(plain.usageMetadata)
    expect((await models.countTokens(request)).totalTokens).toBeGreaterThan(0)
    const listed = []
    for await (const { name } of await models.list()) listed.push(name)
    expect(listed).toContain('models/sandbox-small')
    expect(listed).toContain('models/vendor/fails:503')
    expect(await models.get({ model: 'sandbox-large' })).toMatchObject({
      name: 'models/sandbox-large',
      inputTokenLimit: expect.any(Number),
    })
  })
}

test('@google/genai: errors have the status and message; an interrupted stream throws', async () => {
  const generate = (model: string, from = sdk) => from.models.generateContent({ model, contents: 'Hi' })
  const unknown = await getRejection(generate('nothing/like:this'))
  expect(unknown).toBeInstanceOf(ApiError)
  expect(unknown).toMatchObject({ status: 404, message: expect.stringContaining('nothing/like:this') })
  const badKey = await getRejection(generate('sandbox-small', client('v1', 'tg-wrong')))
  expect(badKey).toMatchObject({ status: 401, message: expect.stringContaining('UNAUTHENTICATED') })
  expect(await getRejection(generate('vendor/fails:503'))).toMatchObject({ status: 503 })
  const stream = await sdk.models.generateContentStream({ model: 'vendor/breaks:free', contents: 'Hi' })
  let text = ''
  const broken = await getRejection(
    (async () => {
      for await (const chunk of stream) text += chunk.text ?? ''
    })(),
  )
  expect(text).toBe('Half')
  expect(broken).toBeInstanceOf(ApiError)
  expect(broken).toMatchObject({ message: expect.stringContaining('it broke') })
})

test('@google/genai: a reached cap is 402 with its sentence', async () => {
  const key = await tollgate.createKey({ name: 'capped', scope: 'completions-only', spendLimitUsd: 0.001 })
  const { models } = client('v1beta', key.secret)
  const generate = async () => {
    for (let nth = 0; nth < 2; nth += 1) await models.generateContent({ model: 'gemini-x', contents: 'Hi' })
  }
  const error = await getRejection(generate())
  expect(error).toMatchObject({ status: 402, message: expect.stringContaining('capped') })
  const stream = await getRejection(models.generateContentStream({ model: 'gemini-x', contents: 'Hi' }))
  expect(stream).toMatchObject({ status: 402, message: expect.stringContaining('capped') })
})

test('AI SDK for Google: text, streams and a tool loop', async () => {
  const cities: string[] = []
  const tools = {
    get_weather: tool({
      description: 'Weather of a city',
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => {
        cities.push(city)
        return `Sunny in ${city}`
      },
    }),
  }
  for (const model of ['sandbox-small', 'gemini-x']) {
    const plain = await generateText({ model: ai(model), prompt: question, tools, stopWhen: isStepCount(3) })
    expect(plain.text.length).toBeGreaterThan(0)
    const streamed = streamText({ model: ai(model), prompt: question, tools, stopWhen: isStepCount(3) })
    expect(await streamed.text).toBe(plain.text)
    expect((await streamed.usage).totalTokens).toBeGreaterThan(0)
  }
  expect(cities).toHaveLength(4)
  const error = await getRejection(generateText({ model: ai('none'), prompt: 'Hi', maxRetries: 0 }))
  expect(APICallError.isInstance(error)).toBe(true)
  expect(error).toMatchObject({ statusCode: 404, message: expect.stringContaining('no model "none"') })
})

rule('Charges', 'A request in Gemini’s format costs the same as any other, to the last digit', async () => {
  const key = await tollgate.createKey({ name: 'exact', scope: 'full' })
  const { models } = client('v1beta', key.secret)
  const plain = await models.generateContent({ model: 'gemini-x', contents: 'Hi' })
  // 1000 tokens in at 1 USD per million, 200 out at 2 USD.
  expect(plain.usageMetadata).toMatchObject({ candidatesTokenCount: 150, cost: 0.0014 })
  let last: object | undefined
  for await (const chunk of await models.generateContentStream({ model: 'gemini-x', contents: 'Hi' }))
    last = chunk.usageMetadata
  expect(last).toMatchObject({ cost: 0.0014 })
  const { json } = await tollgate.call('GET', `/v1/keys/${key.id}`)
  expect(json.spendUsd).toBe(0.0028)
})
