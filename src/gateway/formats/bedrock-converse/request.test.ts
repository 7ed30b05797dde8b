import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { UpstreamFailure } from '../chat/failure.ts'
import { hello, PIXEL, toolCall } from '../testing/replay.ts'
import { CLAUDE, encode, GPT, LLAMA, NOVA, replay } from './testing/encode.ts'

type Messages = ChatRequest['messages']

const weather = { type: 'function' as const, function: { name: 'get_weather', description: 'Weather' } }
const time = {
  type: 'function' as const,
  function: { name: 'get_time', parameters: { properties: { city: {} } } },
}
const image = (type = 'png') => ({
  type: 'image_url' as const,
  image_url: { url: `data:image/${type};base64,${PIXEL}` },
})
const document = (filename: string, type = 'application/pdf') => ({
  type: 'file' as const,
  file: { filename, file_data: `data:${type};base64,JVBERi0=` },
})
const asked: Messages = [
  { role: 'user', content: 'Weather and time?' },
  {
    role: 'assistant',
    content: 'I look.',
    tool_calls: [toolCall('a.1', 'get_weather', '{"city":"Rome"}'), toolCall('b', 'get_time', '')],
  },
  { role: 'tool', tool_call_id: 'b', content: 'noon' },
  { role: 'tool', tool_call_id: 'a.1', content: [{ type: 'text', text: '' }] },
  { role: 'user', content: 'Go on.' },
]

function refusal(request: Partial<ChatRequest>, model = NOVA): unknown {
  try {
    return encode(request, model)
  } catch (error) {
    if (error instanceof UpstreamFailure) return error
    throw error
  }
}

describe('the call', () => {
  test.each([
    [NOVA, '/model/us.amazon.nova-2-lite-v1%3A0'],
    [
      'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2',
      '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Aapplication-inference-profile%2Fa1b2',
    ],
  ])('names %s in its path', (upstreamModel, path) => {
    const call = (stream: boolean) => replay.call({ messages: hello, stream }, { upstreamModel })
    expect(call(false)).toMatchObject({ path: `${path}/converse`, headers: { accept: 'application/json' } })
    expect(call(true)).toMatchObject({
      path: `${path}/converse-stream`,
      headers: { accept: 'application/vnd.amazon.eventstream', 'content-type': 'application/json' },
    })
  })

  test('has nothing but the message where the request has nothing else', () => {
    expect(encode({ messages: hello })).toEqual({ messages: [{ role: 'user', content: [{ text: 'Hi' }] }] })
  })
})

describe('the conversation', () => {
  test('has its instructions apart, and one turn for successive messages of a role, without blank texts', () => {
    const messages: Messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: ' \n' },
          { type: 'text', text: 'Hi' },
        ],
      },
      { role: 'user', content: 'there' },
      { role: 'assistant', content: 'Hello' },
      { role: 'system', content: 'Now in French.' },
    ]
    expect(encode({ messages })).toEqual({
      system: [{ text: 'Be brief.' }, { text: 'Be kind.' }],
      messages: [
        { role: 'user', content: [{ text: 'Hi' }, { text: 'there' }] },
        { role: 'assistant', content: [{ text: 'Hello' }] },
        { role: 'user', content: [{ text: '<system>\nNow in French.\n</system>' }] },
      ],
    })
    expect(encode({ messages: [{ role: 'system', content: 'Go' }] })).toEqual({
      messages: [{ role: 'user', content: [{ text: 'Go' }] }],
    })
  })

  test('has the results of parallel calls at the start of one turn, with ids that AWS accepts', () => {
    const { messages } = encode({ messages: asked, tools: [weather, time] })
    expect(messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { text: 'I look.' },
          { toolUse: { toolUseId: 'a_1', name: 'get_weather', input: { city: 'Rome' } } },
          { toolUse: { toolUseId: 'b', name: 'get_time', input: {} } },
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'b', content: [{ text: 'noon' }] } },
          { toolResult: { toolUseId: 'a_1', content: [{ text: '(no output)' }] } },
          { text: 'Go on.' },
        ],
      },
    ])
  })

  test('has images, sounds and videos as data', () => {
    const content = [
      { type: 'text' as const, text: 'See' },
      ...['png', 'jpeg', 'jpg', 'gif', 'webp'].map(image),
      { type: 'input_audio' as const, input_audio: { data: 'UklGRg==', format: 'wav' } },
      document('a.mp4', 'video/mp4'),
    ]
    const { messages } = encode({ messages: [{ role: 'user', content }] })
    expect(messages[0]?.content.slice(1)).toEqual([
      ...['png', 'jpeg', 'jpeg', 'gif', 'webp'].map((format) => ({
        image: { format, source: { bytes: PIXEL } },
      })),
      { audio: { format: 'wav', source: { bytes: 'UklGRg==' } } },
      { video: { format: 'mp4', source: { bytes: 'JVBERi0=' } } },
    ])
  })

  test('has documents with different names of legal characters, and a text next to them', () => {
    const types = [
      ['text/csv', 'csv'],
      ['text/markdown', 'md'],
      ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
    ] as const
    const content = [
      document('Q3_report  (v2.1).final.pdf'),
      document('Q3 report: (v2/1) final'),
      document('a.pdf'),
      document('a.PDF'),
      document('.pdf'),
      ...types.map(([type]) => document('größe.x', type)),
    ]
    const { messages } = encode({ messages: [{ role: 'user', content }] })
    const blocks = messages[0]?.content ?? []
    expect(blocks.at(-1)).toEqual({ text: 'The document is attached.' })
    const documents = blocks.flatMap((block) => ('document' in block ? [block.document] : []))
    expect(documents.map(({ name }) => name)).toEqual([
      'Q3-report (v2-1)-final',
      'Q3 report- (v2-1) final',
      'a',
      'a (2)',
      'document',
      'größe',
      'größe (2)',
      'größe (3)',
    ])
    expect(documents.map(({ format }) => format).slice(-3)).toEqual(types.map(([, format]) => format))
  })

  test.each([
    [
      'an image by its address',
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }] }],
    ],
    ['an image of another type', [{ role: 'user', content: [image('tiff')] }]],
    ['a function’s message', [{ role: 'function', name: 'f', content: 'x' }]],
  ])('is refused with %s', (_, messages) => {
    expect(refusal({ messages: messages as Messages })).toMatchObject({
      status: 400,
      sent: false,
      param: 'messages',
    })
  })
})

describe('tools', () => {
  const tools = [weather, time]

  test('have a description and a schema', () => {
    expect(encode({ messages: hello, tools }).toolConfig).toEqual({
      tools: [
        {
          toolSpec: {
            name: 'get_weather',
            description: 'Weather',
            inputSchema: { json: { type: 'object', properties: {} } },
          },
        },
        {
          toolSpec: { name: 'get_time', inputSchema: { json: { type: 'object', properties: { city: {} } } } },
        },
      ],
    })
  })

  const named = { type: 'function' as const, function: { name: 'get_time' } }
  test.each([
    ['auto', NOVA, 'auto', { auto: {} }, undefined],
    ['required', NOVA, 'required', { any: {} }, undefined],
    ['a named one', NOVA, named, { tool: { name: 'get_time' } }, undefined],
    [
      'a named one',
      'mistral.mistral-large-3-675b-instruct',
      named,
      { any: {} },
      'Answer only by calling the tool "get_time".',
    ],
    ['required', LLAMA, 'required', undefined, 'Answer only by calling one of the tools.'],
    ['a named one', LLAMA, named, undefined, 'Answer only by calling the tool "get_time".'],
  ] as const)('with the choice %s of %s', (_, model, choice, toolChoice, instruction) => {
    const body = encode({ messages: hello, tools, tool_choice: choice }, model)
    expect([body.toolConfig?.toolChoice, body.system?.[0]]).toEqual([
      toolChoice,
      instruction === undefined ? undefined : { text: instruction },
    ])
  })

  test('are left out with the choice none, unless the conversation has calls', () => {
    expect(encode({ messages: hello, tools, tool_choice: 'none' })).not.toHaveProperty('toolConfig')
    const body = encode({ messages: asked, tools, tool_choice: 'none' })
    expect(body.toolConfig?.tools).toHaveLength(2)
    expect(body.system).toEqual([{ text: 'Answer with text only: do not call any tool.' }])
  })

  test('of the calls in the conversation stand in for those that are not given', () => {
    const { toolConfig, system } = encode({ messages: asked })
    expect(toolConfig?.tools).toEqual(
      ['get_weather', 'get_time'].map((name) => ({
        toolSpec: { name, inputSchema: { json: { type: 'object' } } },
      })),
    )
    expect(system).toHaveLength(1)
  })
})

describe('inference', () => {
  test('has the limits of the model and of Converse', () => {
    const request = {
      messages: hello,
      max_completion_tokens: 9_000,
      temperature: 1.6,
      top_p: 0.9,
      stop: 'END',
      seed: 7,
    }
    expect(encode(request, NOVA, { maxOutputTokens: 5_000 }).inferenceConfig).toEqual({
      maxTokens: 5_000,
      temperature: 1,
      topP: 0.9,
      stopSequences: ['END'],
    })
    expect(encode(request, CLAUDE, { enforcedOutputTokens: 300 }).inferenceConfig).toEqual({
      maxTokens: 300,
      temperature: 1,
      stopSequences: ['END'],
    })
  })

  const plain = 'eu.anthropic.claude-sonnet-4-6'
  test.each([
    [NOVA, 'low', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } }],
    [NOVA, 'high', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } }],
    [NOVA, 'none', undefined],
    ['openai.gpt-oss-120b-1:0', 'max', { reasoning_effort: 'high' }],
    ['moonshot.kimi-k2-thinking', 'minimal', { reasoning_effort: 'low' }],
    [GPT, 'xhigh', { reasoning: { effort: 'xhigh' } }],
    [GPT, 'none', { reasoning: { effort: 'none' } }],
    [
      plain,
      'medium',
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'medium' } },
    ],
    [LLAMA, 'high', undefined],
    ['deepseek.v3.2', 'high', undefined],
  ])('of %s with the effort %s', (model, reasoning_effort, fields) => {
    const request = { messages: hello, reasoning_effort, max_tokens: 2_000, temperature: 0.5 }
    const body = encode(request, model)
    expect(body.additionalModelRequestFields).toEqual(fields)
    const excluded = fields !== undefined && ('reasoningConfig' in fields || 'thinking' in fields)
    expect('temperature' in (body.inferenceConfig ?? {})).toBe(!excluded)
  })

  test('of Nova 2 reasons most where no limit of the output is sent', () => {
    expect(encode({ messages: hello, reasoning_effort: 'high' }).additionalModelRequestFields).toEqual({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' },
    })
  })

  test.each([
    ['with a forced call', { tools: [weather], tool_choice: 'required' as const, messages: hello }],
    [
      'if the reasoning before the last calls is lost',
      { tools: [weather, time], messages: asked.slice(0, 4) },
    ],
  ])('of an older Claude does not think %s', (_, request) => {
    const quirks = { thinking: 'budget' as const }
    const body = encode({ ...request, reasoning_effort: 'low', max_tokens: 4_000 }, CLAUDE, { quirks })
    expect(body).not.toHaveProperty('additionalModelRequestFields')
  })
})

describe('the format of the answer', () => {
  const json_schema = {
    name: 'place',
    schema: { type: 'object', properties: { city: { type: 'string', minLength: 1 } } },
  }

  test('is a schema where the model can be held to one', () => {
    const body = encode({ messages: hello, response_format: { type: 'json_schema', json_schema } }, GPT)
    expect(body.outputConfig).toMatchObject({
      textFormat: { type: 'json_schema', structure: { jsonSchema: { name: 'place' } } },
    })
    expect(JSON.parse(body.outputConfig?.textFormat.structure.jsonSchema.schema ?? '')).toEqual({
      type: 'object',
      properties: { city: { type: 'string', description: '(minLength: 1)' } },
      additionalProperties: false,
    })
  })

  test('is an instruction elsewhere', () => {
    const schema = encode({ messages: hello, response_format: { type: 'json_schema', json_schema } })
    expect(schema).not.toHaveProperty('outputConfig')
    expect(schema.system?.[0]).toMatchObject({ text: expect.stringContaining('"minLength":1') })
    const object = encode({ messages: hello, response_format: { type: 'json_object' } }, GPT)
    expect(object.system?.[0]).toMatchObject({ text: expect.stringContaining('single JSON object') })
  })
})

describe('marks for the cache', () => {
  const mark = (ttl?: '5m' | '1h') => ({ cache_control: { type: 'ephemeral', ...(ttl && { ttl }) } })
  const point = (ttl?: '1h') => ({ cachePoint: { type: 'default', ...(ttl && { ttl }) } })
  const marked: Partial<ChatRequest> = {
    tools: [weather, { ...time, ...mark('1h') }],
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Long', ...mark('1h') }] },
      { role: 'user', content: [{ type: 'text', text: 'Hi', ...mark() }] },
      { role: 'assistant', content: null, tool_calls: [toolCall('a', 'get_time')] },
      { role: 'tool', tool_call_id: 'a', content: 'noon', ...mark('1h') },
    ],
  }

  test('of the client are points after what they mark; none for an hour follows one for five minutes', () => {
    const body = encode(marked, CLAUDE)
    expect(body.toolConfig?.tools[2]).toEqual(point('1h'))
    expect(body.system).toEqual([{ text: 'Long' }, point('1h')])
    expect(body.messages[0]?.content).toEqual([{ text: 'Hi' }, point()])
    expect(body.messages[2]?.content).toEqual([
      expect.objectContaining({ toolResult: expect.anything() }),
      point(),
    ])
  })

  test('are after texts only and for five minutes with Nova', () => {
    const body = encode(marked, NOVA)
    expect(body.toolConfig?.tools).toHaveLength(2)
    expect(body.system).toEqual([{ text: 'Long' }, point()])
    expect(body.messages.map(({ content }) => content.length)).toEqual([2, 1, 1])
  })

  test('are left out where the maker’s models reject them, and forwarded where the maker is not known', () => {
    expect(JSON.stringify(encode(marked, LLAMA))).not.toContain('cache')
    const profile = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2'
    expect(encode(marked, profile).system).toEqual([{ text: 'Long' }, point('1h')])
  })

  test('of the gateway are in the prompts of Claude and Nova, if their maker is known', () => {
    const cache = { session: 's', lifetime: '5m' as const }
    const request = {
      messages: [...asked, { role: 'assistant' as const, content: 'Done.' }, ...hello],
      tools: [time, weather],
    }
    const count = (model: string) =>
      JSON.stringify(encode(request, model, { cache })).split('cachePoint').length - 1
    expect(
      [CLAUDE, NOVA, LLAMA, GPT, 'arn:aws:bedrock:us-east-1:1:application-inference-profile/a'].map(count),
    ).toEqual([3, 2, 0, 0, 0])
  })
})

describe('reasoning', () => {
  const data = (model: string) => ({
    model,
    reasoningContent: { reasoningText: { text: '17 × 3', signature: 'ErUB' } },
  })
  const turn = (model: string, format = 'bedrock-converse'): Messages => [
    ...hello,
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [toolCall('a', 'get_time')],
      signed_reasoning: [{ format, data: data(model), call_id: 'a' }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'noon' },
  ]

  test('that the model signed goes back to it, before the call', () => {
    const { messages } = encode({ messages: turn(CLAUDE), tools: [time] }, CLAUDE)
    expect(messages[1]?.content).toEqual([
      { text: 'I look.' },
      { reasoningContent: { reasoningText: { text: '17 × 3', signature: 'ErUB' } } },
      expect.objectContaining({ toolUse: expect.anything() }),
    ])
  })

  test.each([
    ['another model', turn(GPT)],
    ['another format', turn(CLAUDE, 'anthropic-messages')],
  ])('of %s is left out', (_, messages) => {
    expect(JSON.stringify(encode({ messages, tools: [time] }, CLAUDE))).not.toContain('ErUB')
  })

  test('is remembered for clients that drop it', () => {
    const upstreamModel = replay.target.upstreamModel
    expect(replay.stream('stream-reasoning-tools').at(-1)).toEqual({ type: 'done' })
    const messages: Messages = [
      ...hello,
      {
        role: 'assistant',
        content: null,
        tool_calls: [toolCall('tooluse_9HhZK1', 'get_weather'), toolCall('tooluse_b2QxL7', 'get_time')],
      },
      ...['tooluse_9HhZK1', 'tooluse_b2QxL7'].map((id) => ({
        role: 'tool' as const,
        tool_call_id: id,
        content: 'x',
      })),
    ]
    const body = encode({ messages, tools: [weather, time] }, upstreamModel)
    expect(body.messages[1]?.content.slice(0, 2)).toEqual([
      { reasoningContent: { reasoningText: { text: 'I need both.', signature: 'ErUBCkYIBR' } } },
      { reasoningContent: { redactedContent: 'c2VjcmV0' } },
    ])
  })
})

test.each([
  ['audio', { voice: 'alloy' }],
  ['functions', [{ name: 'f' }]],
  ['web_search_options', {}],
])('the field %s is refused', (field, value) => {
  expect(refusal({ messages: hello, [field]: value })).toMatchObject({ status: 400, param: field })
})
