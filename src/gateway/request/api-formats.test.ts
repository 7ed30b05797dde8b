import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_FORMATS } from '../../shared/api/providers.ts'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { converse, expectValid, models, replayTurns, serveFormat } from './testing/conversation.ts'
import { createWeatherMock, expectWeatherTurns } from './testing/weather-mock.ts'

const gateway = await forFile(startTestGateway())

describe('a conversation of three turns with two parallel calls and an image, streamed', () => {
  const { mock, forward } = createWeatherMock()
  beforeAll(() => mock.start())
  afterAll(() => mock.stop())

  it.each(API_FORMATS)('through the %s format to a third-party mock', async (format) => {
    const upstream = await serveFormat(gateway, format, forward)
    const turns = await converse(gateway, models[format])
    expectWeatherTurns(turns)
    expect(turns[0]?.reasoning).toBe('I have tools for both.')
    expect(upstream.requests).toHaveLength(4)
    for (const request of upstream.requests) expectValid(format, request)
    const [first, second] = upstream.requests
    expect(first?.body).toContain('iVBORw0KGgo')
    if (format === 'anthropic-messages') {
      expect(first?.json()).toMatchObject({
        max_tokens: 1000,
        thinking: { type: 'adaptive' },
        output_config: { effort: 'low' },
      })
      expect(second?.body).toContain('"signature":"c2lnbmVk"')
    }
    if (format === 'gemini-generate') expect(first?.body).toContain('"thinkingLevel":"LOW"')
    if (format === 'openai-responses') {
      expect(first?.json()).toMatchObject({ reasoning: { effort: 'low' }, store: false })
      expect(second?.body).toContain('"encrypted_content":')
    }
  })

  it.each(API_FORMATS)('through the %s format to recorded answers', async (format) => {
    const upstream = await serveFormat(gateway, format, replayTurns(format))
    const turns = await converse(gateway, models[format])
    expect(turns.slice(1).map(({ text }) => text)).toEqual(Array(3).fill('Grüße aus 東京 🚆'))
    expect(turns[0]?.calls.length).toBeGreaterThan(1)
    for (const request of upstream.requests) expectValid(format, request)
    const last = upstream.requests.at(-1)?.body
    if (format === 'gemini-generate') expect(last).toContain('CiQBveKPe1nQ0Yt4Ys6Yz5sQ0mVn')
    if (format === 'openai-responses') expect(last).toContain('gAAAAABo5c2xHq0c')
  })
})

describe('a provider with another API format', () => {
  it.each(['openai-responses', 'anthropic-messages', 'gemini-generate'] as const)(
    '%s is called once for each of n choices',
    async (format) => {
      const plain = readFileSync(new URL(`../formats/${format}/fixtures/plain.txt`, import.meta.url), 'utf8')
      const upstream = await serveFormat(gateway, format, (exchange) => exchange.reply(200, plain))
      const answer = await gateway.chat({ model: models[format], n: 3 })
      expect(answer.json.choices).toHaveLength(3)
      expect(answer.json.usage).toMatchObject({ prompt_tokens: 36, completion_tokens: 21 })
      expect(upstream.requests).toHaveLength(3)
    },
  )

  it.each([
    ['anthropic-messages', 'claude-opus-5', '/v1/models?limit=1000'],
    ['gemini-generate', 'gemini-2.5-flash', '/v1beta/models?pageSize=1000'],
  ] as const)('%s lists its models, page after page', async (format, model, path) => {
    const first = readFileSync(new URL(`../formats/${format}/fixtures/models.txt`, import.meta.url), 'utf8')
    const last =
      format === 'anthropic-messages'
        ? { data: [{ id: 'claude-last' }] }
        : { models: [{ name: 'models/gemini-last' }] }
    const upstream = await serveFormat(gateway, format, ({ request, ...exchange }) => {
      exchange.response.setHeader('content-type', 'application/json')
      exchange.response.end(/after_id|pageToken/.test(request.path) ? JSON.stringify(last) : first)
    })
    const listed = (await gateway.call('POST', '/v1/providers/acme/models')).json.data
    const ids = listed.map((row: { id: string }) => row.id)
    expect(ids).toContain(model)
    expect(ids.at(-1)).toBe(format === 'anthropic-messages' ? 'claude-last' : 'gemini-last')
    expect(upstream.requests.map((request) => request.path)).toEqual([
      path,
      expect.stringContaining(`${path}&`),
    ])
  })

  it('rejects what its format cannot express with 400, without a call', async () => {
    const upstream = await serveFormat(gateway, 'anthropic-messages', (exchange) => exchange.reply(500, {}))
    const answer = await gateway.chat({
      model: models['anthropic-messages'],
      tools: [{ type: 'custom', custom: { name: 'x' } }],
    })
    expect(answer.status).toBe(400)
    expect(answer.json.error).toMatchObject({ type: 'invalid_request_error', param: 'tools' })
    expect(upstream.requests).toHaveLength(0)
  })
})
