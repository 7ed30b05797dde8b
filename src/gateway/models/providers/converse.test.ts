// Clients of all formats at a scripted Bedrock that checks every signature and every field.
import { describe, expect, test } from 'vitest'
import {
  ACCESS_KEY,
  API_KEY,
  type ScriptedAnswer,
  ScriptedConverse,
} from '../../formats/bedrock-converse/testing/vendor.ts'
import { PIXEL } from '../../formats/testing/replay.ts'
import { readData, startTestGateway } from '../../testing/gateway.ts'
import { forFile } from '../../testing/lifetime.ts'
import { startTestUpstream } from '../../upstream/testing/test-upstream.ts'

const MODEL = 'us.amazon.nova-2-lite-v1:0'
const SIGNATURE = 'ErUBCkYIBRgCIkD0b5'
const usage = {
  inputTokens: 562,
  outputTokens: 100,
  totalTokens: 4_740,
  cacheReadInputTokens: 100,
  cacheWriteInputTokens: 3_978,
  cacheDetails: [
    { ttl: '1h' as const, inputTokens: 3_000 },
    { ttl: '5m' as const, inputTokens: 978 },
  ],
}
const calling: ScriptedAnswer = {
  content: [
    { reasoningContent: { reasoningText: { text: 'I need both.', signature: SIGNATURE } } },
    { toolUse: { toolUseId: 'tooluse_1', name: 'get_weather', input: { city: 'Rome' } } },
    { toolUse: { toolUseId: 'tooluse_2', name: 'get_time', input: {} } },
  ],
  stopReason: 'tool_use',
  usage,
}
const answering: ScriptedAnswer = { content: [{ text: 'Sunny at noon. 🚆' }], usage }
/** 562, 100, 978, 3,000 and 100 tokens at these prices, in USD. */
const pricing = {
  inputPerMillion: 1,
  outputPerMillion: 4,
  cacheReadPerMillion: 0.1,
  cacheWritePerMillion: 1.25,
  cacheWriteHourPerMillion: 2,
}
const COST = (562 + 400 + 10 + 1222.5 + 6000) / 1e6

const vendor = new ScriptedConverse(({ body }) =>
  JSON.stringify(body).includes('toolResult') ? answering : calling,
)
const upstream = await forFile(startTestUpstream(vendor.handler))
const gateway = await forFile(startTestGateway())

async function signIn(authorization: string, credential: string): Promise<void> {
  const body = { baseUrl: upstream.url, credential, authorization }
  expect((await gateway.call('PUT', '/v1/providers/bedrock', { body })).status).toBe(200)
}
await signIn('aws-access-key', ACCESS_KEY)
await gateway.call('PUT', `/v1/models/${encodeURIComponent(MODEL)}`, {
  body: { provider: 'bedrock', pricing, capabilities: ['vision', 'tools', 'json', 'reasoning', 'streaming'] },
})

const schema = { type: 'object', properties: { city: { type: 'string' } } }
const names = ['get_weather', 'get_time']
const PDF = 'JVBERi0='
const results = ['sunny', 'noon']

interface Dialog {
  /** The path and the body of a request; `turn`: what the first answer has added. */
  request(stream: boolean, turn?: readonly object[]): [path: string, body: object]
  /** What the client adds to its history: the answer, and the results of its calls. */
  addTurn(text: string, stream: boolean): object[]
  /** The text and the cost of an answer. */
  read(text: string, stream: boolean): { text: string; cost: number }
}

/** The JSON of each event, with or without a name. */
const readEvents = (text: string) => readData(text.replace(/^event: .*\n/gm, ''))
type Json = ReturnType<typeof readData>[number]

const takeLast = (events: readonly Json[], name: string) => events.findLast((event) => event[name])?.[name]

const chat: Dialog = {
  request: (stream, turn = []) => [
    '/v1/chat/completions',
    {
      model: MODEL,
      stream,
      ...(stream && { stream_options: { include_usage: true } }),
      tools: names.map((name) => ({ type: 'function', function: { name, parameters: schema } })),
      messages: [
        {
          role: 'system',
          content: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Weather and time?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
            { type: 'file', file: { filename: 'a_b.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
          ],
        },
        ...turn,
      ],
    },
  ],
  addTurn(text, stream) {
    const deltas = readData(text).flatMap(({ choices }) => choices?.[0]?.delta ?? [])
    const calls = stream
      ? names.map((_, index) => {
          const parts = deltas
            .flatMap(({ tool_calls: all }) => all ?? [])
            .filter((call) => call.index === index)
          const args = parts.map((call) => call.function.arguments).join('')
          return { ...parts[0], function: { ...parts[0].function, arguments: args } }
        })
      : JSON.parse(text).choices[0].message.tool_calls
    const outputs = results.map((content, at) => ({ role: 'tool', tool_call_id: calls[at].id, content }))
    return [{ role: 'assistant', content: null, tool_calls: calls }, ...outputs]
  },
  read(text, stream) {
    if (!stream) {
      const { choices, usage: given } = JSON.parse(text)
      return { text: choices[0].message.content, cost: given.cost }
    }
    const events = readData(text)
    const pieces = events.map(({ choices }) => choices?.[0]?.delta?.content ?? '')
    return { text: pieces.join(''), cost: takeLast(events, 'usage').cost }
  },
}

const responses: Dialog = {
  request: (stream, turn = []) => [
    '/v1/responses',
    {
      model: MODEL,
      stream,
      store: false,
      include: ['reasoning.encrypted_content'],
      instructions: 'Be brief.',
      tools: names.map((name) => ({ type: 'function', name, parameters: schema, strict: false })),
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Weather and time?' },
            { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` },
            { type: 'input_file', filename: 'a_b.pdf', file_data: `data:application/pdf;base64,${PDF}` },
          ],
        },
        ...turn,
      ],
    },
  ],
  addTurn(text, stream) {
    const { output } = stream ? takeLast(readEvents(text), 'response') : JSON.parse(text)
    const calls = output.filter(({ type }: { type: string }) => type === 'function_call')
    const outputs = results.map((result, at) => ({
      type: 'function_call_output',
      call_id: calls[at].call_id,
      output: result,
    }))
    return [...output, ...outputs]
  },
  read(text, stream) {
    const { output, usage: given } = stream ? takeLast(readEvents(text), 'response') : JSON.parse(text)
    return { text: output.at(-1).content[0].text, cost: given.cost }
  },
}

const messages: Dialog = {
  request: (stream, turn = []) => [
    '/v1/messages',
    {
      model: MODEL,
      stream,
      max_tokens: 4_000,
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      tools: names.map((name) => ({ name, input_schema: schema })),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Weather and time?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
            {
              type: 'document',
              title: 'a_b.pdf',
              source: { type: 'base64', media_type: 'application/pdf', data: PDF },
            },
          ],
        },
        ...turn,
      ],
    },
  ],
  addTurn(text, stream) {
    const content = stream ? joinBlocks(readEvents(text)) : JSON.parse(text).content
    const calls = content.filter(({ type }: { type: string }) => type === 'tool_use')
    const outputs = results.map((result, at) => ({
      type: 'tool_result',
      tool_use_id: calls[at].id,
      content: result,
    }))
    return [
      { role: 'assistant', content },
      { role: 'user', content: outputs },
    ]
  },
  read(text, stream) {
    const events = stream ? readEvents(text) : []
    const content = stream ? joinBlocks(events) : JSON.parse(text).content
    const given = stream ? takeLast(events, 'usage') : JSON.parse(text).usage
    return { text: content.at(-1).text, cost: given.cost }
  },
}

/** The content of a stream of messages. */
function joinBlocks(events: readonly Json[]) {
  const blocks: Json[] = []
  for (const { type, index, content_block: block, delta } of events) {
    const open = blocks[index]
    if (type === 'content_block_start') blocks[index] = { ...block, json: '' }
    if (type !== 'content_block_delta' || !open) continue
    open.text = delta.text === undefined ? open.text : open.text + delta.text
    open.thinking = delta.thinking === undefined ? open.thinking : open.thinking + delta.thinking
    open.signature = delta.signature ?? open.signature
    open.json += delta.partial_json ?? ''
  }
  return blocks.map(({ json, input, ...block }) =>
    block.type === 'tool_use' ? { ...block, input: json === '' ? input : JSON.parse(json) } : block,
  )
}

const gemini: Dialog = {
  request: (stream, turn = []) => [
    `/v1beta/models/${encodeURIComponent(MODEL)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      generationConfig: { thinkingConfig: { includeThoughts: true } },
      tools: [{ functionDeclarations: names.map((name) => ({ name, parameters: schema })) }],
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'Weather and time?' },
            { inlineData: { mimeType: 'image/png', data: PIXEL } },
            { inlineData: { mimeType: 'application/pdf', data: PDF } },
          ],
        },
        ...turn,
      ],
    },
  ],
  addTurn(text, stream) {
    const parts = listParts(text, stream)
    const calls = parts.flatMap(({ functionCall }) => functionCall ?? [])
    const outputs = results.map((output, at) => ({
      functionResponse: { id: calls[at].id, name: calls[at].name, response: { output } },
    }))
    return [
      { role: 'model', parts },
      { role: 'user', parts: outputs },
    ]
  },
  read(text, stream) {
    const shown = listParts(text, stream).flatMap((part) => (part.thought ? [] : (part.text ?? [])))
    const given = stream ? takeLast(readData(text), 'usageMetadata') : JSON.parse(text).usageMetadata
    return { text: shown.join(''), cost: given.cost }
  },
}

const listParts = (text: string, stream: boolean): Json[] =>
  (stream ? readData(text) : [JSON.parse(text)]).flatMap(
    ({ candidates }) => candidates?.[0]?.content?.parts ?? [],
  )

const dialogs = Object.entries({ chat, responses, messages, gemini }).flatMap(([name, dialog]) =>
  [false, true].map((stream) => [name, stream ? 'streamed' : 'plain', dialog, stream] as const),
)

describe('a dialog with an image, a document, parallel calls and signed reasoning', () => {
  test.each(dialogs)(
    'of a client of %s, %s, has all of it and its exact cost',
    async (_, __, dialog, stream) => {
      const key = await gateway.createKey({ name: 'dialog', scope: 'full' })
      const ask = async (turn?: readonly object[]) => {
        const [path, body] = dialog.request(stream, turn)
        const answer = await gateway.call('POST', path, { body, as: key.secret })
        expect(answer.status, answer.text).toBe(200)
        return answer.text
      }
      const turn = dialog.addTurn(await ask(), stream)
      const answer = dialog.read(await ask(turn), stream)
      expect(answer.text).toBe('Sunny at noon. 🚆')
      expect(answer.cost).toBeCloseTo(COST, 12)
      const [first, second] = vendor.calls.slice(-2)
      expect([first?.modelId, first?.isStream]).toEqual([MODEL, stream])
      expect(first?.body.system?.[0]).toEqual({ text: 'Be brief.' })
      expect(first?.body.messages[0]?.content.slice(0, 3)).toEqual([
        { text: 'Weather and time?' },
        { image: { format: 'png', source: { bytes: PIXEL } } },
        {
          document: {
            format: 'pdf',
            name: expect.stringMatching(/^(a-b|file)$/),
            source: { bytes: PDF },
          },
        },
      ])
      expect(second?.body.messages.slice(1).map(({ content }) => content)).toEqual([
        [
          calling.content[0],
          { toolUse: { toolUseId: 'tooluse_1', name: 'get_weather', input: { city: 'Rome' } } },
          { toolUse: { toolUseId: 'tooluse_2', name: 'get_time', input: {} } },
        ],
        [
          { toolResult: { toolUseId: 'tooluse_1', content: [{ text: expect.stringContaining('sunny') }] } },
          { toolResult: { toolUseId: 'tooluse_2', content: [{ text: expect.stringContaining('noon') }] } },
          ...(second?.body.messages[2]?.content.slice(2) ?? []),
        ],
      ])
      const [record] = await gateway.records()
      expect(record).toMatchObject({
        status: 'succeeded',
        costStatus: 'exact',
        costUsd: Number(COST.toFixed(10)),
      })
    },
  )
})

describe('a failure', () => {
  const script = vendor.script
  const request = { model: MODEL, messages: [{ role: 'user', content: 'Hi' }] }
  const fail = async (answer: Partial<ScriptedAnswer>, body: object = {}) => {
    vendor.script = () => ({ ...answering, ...answer })
    const before = vendor.calls.length
    const failed = await gateway.chat({ ...request, ...body })
    vendor.script = script
    return { ...failed, calls: vendor.calls.length - before }
  }

  test.each([
    [400, 'ValidationException', {}, [400, 1, null]],
    [400, 'ServiceQuotaExceededException', {}, [503, 3, null]],
    [403, 'AccessDeniedException', {}, [502, 1, null]],
    [408, 'ModelTimeoutException', {}, [408, 3, null]],
    [424, 'ModelErrorException', {}, [502, 3, null]],
    [429, 'ThrottlingException', { 'retry-after': '30' }, [503, 1, '30']],
    [500, 'InternalServerException', {}, [502, 3, null]],
    [503, 'ServiceUnavailableException', { 'retry-after': '20' }, [503, 1, '20']],
  ])('with status %s and type %s', async (status, type, headers, expected) => {
    const answer = await fail({ error: { status, type, message: 'No.', headers } })
    expect([answer.status, answer.calls, answer.headers.get('retry-after')]).toEqual(expected)
    expect(answer.json.error.message).toContain('No.')
    const [record] = await gateway.records()
    expect(record).toMatchObject({ status: 'failed', costUsd: 0 })
  })

  test('within a stream is the client’s error, and what was seen is charged', async () => {
    const exception = { type: 'throttlingException', after: 3 }
    const content = [{ text: 'Once upon a time there was' }]
    const answer = await fail({ content, exception }, { stream: true })
    const events = readData(answer.text)
    expect(events.map(({ choices }) => choices?.[0]?.delta?.content ?? '').join('')).toBe('Once upon a ')
    expect(events.at(-1)).toMatchObject({ error: { message: 'It broke.' } })
    const [record] = await gateway.records()
    expect(record).toMatchObject({ status: 'failed', costStatus: 'estimated' })
    expect(record?.costUsd).toBeGreaterThan(0)
  })
})

test('a strict key reserves the whole context window for a document', async () => {
  const key = await gateway.createKey({ name: 'strict', scope: 'full', strict: true, spendLimitUsd: 0.5 })
  const ask = (...more: object[]) => {
    const content = [{ type: 'text', text: 'Sum it up.' }, ...more]
    const body = { model: MODEL, max_tokens: 100, messages: [{ role: 'user', content }] }
    return gateway.chat(body, { as: key.secret })
  }
  const file = { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` }
  expect((await ask({ type: 'file', file })).status).toBe(402)
  expect((await ask()).status).toBe(200)
})

test('an API key of Bedrock is a bearer token', async () => {
  await signIn('bearer', API_KEY)
  const answer = await gateway.chat({ model: MODEL, messages: [{ role: 'user', content: 'Hi' }] })
  expect(answer.json.choices[0].finish_reason).toBe('tool_calls')
  await signIn('aws-access-key', ACCESS_KEY)
})

test('a profile of one’s own is called by its ARN, signed', async () => {
  const upstreamModel = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2'
  await gateway.call('PUT', '/v1/models/ours', { body: { provider: 'bedrock', upstreamModel, pricing } })
  const answer = await gateway.chat({ model: 'ours', messages: [{ role: 'user', content: 'Hi' }] })
  expect(answer.status).toBe(200)
  expect(vendor.calls.at(-1)?.modelId).toBe(upstreamModel)
})
