import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../../shared/chat.ts'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import { type JsonObject, parseJson } from '../json.ts'
import type { Quirks } from '../target.ts'
import { readGeminiRequest } from '../testing/gemini-format.ts'
import { Replay } from '../testing/replay.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { geminiGenerate } from './codec.ts'

const replay = new Replay(geminiGenerate, 'gemini-generate')
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const hello: ChatRequest['messages'] = [{ role: 'user', content: 'Hi' }]
const named = (name: string, parameters?: JsonObject) => ({
  type: 'function' as const,
  function: { name, ...(parameters && { parameters }) },
})

/** The body that is sent, valid in the vendor's own types. */
function sent(request: Partial<ChatRequest>, quirks: Quirks = {}, maxOutputTokens: number | null = null) {
  const target = testTarget('http://127.0.0.1:1/v1beta', { quirks, maxOutputTokens })
  const { body } = geminiGenerate.chatRequest({ model: 'x', messages: hello, ...request }, target)
  const value = parseJson(body)
  readGeminiRequest(value)
  return value
}

function call(id: string, name: string, args = '{}', more = {}) {
  return { id, type: 'function', function: { name, arguments: args }, ...more }
}

/** The narrow schema made of a function's parameters. */
function declared(parameters: JsonObject): unknown {
  const value = sent({ tools: [named('f', parameters)] })
  return readGeminiRequest(value).tools?.[0]?.functionDeclarations?.[0]?.parameters
}

describe('a request', () => {
  it.each([
    ['gemini-2.5-flash', false, '/models/gemini-2.5-flash:generateContent'],
    ['gemini-2.5-flash', true, '/models/gemini-2.5-flash:streamGenerateContent?alt=sse'],
    ['tunedModels/mine 1', false, '/tunedModels/mine%201:generateContent'],
  ])('for %s, streamed %s, goes to %s', (upstreamModel, stream, path) => {
    const target = testTarget('http://127.0.0.1:1/v1beta', { upstreamModel })
    expect(geminiGenerate.chatRequest({ model: 'x', messages: hello, stream }, target)).toMatchObject({
      path,
    })
    expect(geminiGenerate.authorization('k')).toEqual({ 'x-goog-api-key': 'k' })
  })

  it('passes on only what Gemini knows, under its names', () => {
    const unknown = { logprobs: true, store: true, user: 'u', verbosity: 'low', parallel_tool_calls: false }
    const known = {
      temperature: 1.5,
      top_p: 0.9,
      seed: 3,
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      max_tokens: 99,
      stop: ['END'],
    }
    expect(sent({ ...unknown, ...known })).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      generationConfig: {
        temperature: 1.5,
        topP: 0.9,
        seed: 3,
        presencePenalty: 0.1,
        frequencyPenalty: 0.2,
        maxOutputTokens: 99,
        stopSequences: ['END'],
      },
    })
    expect(sent({ max_tokens: 99_999 }, {}, 8192)).toMatchObject({
      generationConfig: { maxOutputTokens: 8192 },
    })
  })

  it('asks for no more than is reserved where the client says nothing', () => {
    const target = testTarget('http://127.0.0.1:1', { enforcedOutputTokens: 900 })
    const made = (fields: object) =>
      parseJson(geminiGenerate.chatRequest({ model: 'x', messages: hello, ...fields }, target).body)
    expect(made({})).toMatchObject({ generationConfig: { maxOutputTokens: 900 } })
    expect(made({ max_tokens: 2_000, max_completion_tokens: 50 })).toMatchObject({
      generationConfig: { maxOutputTokens: 50 },
    })
  })

  it('puts system and developer messages into the instruction', () => {
    const messages: ChatRequest['messages'] = [
      { role: 'system', content: 'One.' },
      ...hello,
      { role: 'developer', content: 'Two.' },
    ]
    expect(sent({ messages })).toEqual({
      systemInstruction: { parts: [{ text: 'One.\nTwo.' }] },
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    })
    expect(sent({ messages: messages.slice(0, 1) })).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'One.' }] }],
    })
  })

  it('names every result by its call, and keeps parallel ones together', () => {
    const messages: ChatRequest['messages'] = [
      ...hello,
      {
        role: 'assistant',
        content: 'Both.',
        tool_calls: [call('a', 'get_weather', '{"city":"Rom"}'), call('b', 'get_time', '')],
      },
      { role: 'tool', tool_call_id: 'b', content: '{"time":"12:00"}' },
      { role: 'tool', tool_call_id: 'a', content: 'sunny' },
      { role: 'user', content: 'And?' },
    ]
    expect(sent({ messages }, { thinking: 'none' })).toEqual({
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        {
          role: 'model',
          parts: [
            { text: 'Both.' },
            { functionCall: { id: 'a', name: 'get_weather', args: { city: 'Rom' } } },
            { functionCall: { id: 'b', name: 'get_time', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'b', name: 'get_time', response: { time: '12:00' } } },
            { functionResponse: { id: 'a', name: 'get_weather', response: { result: 'sunny' } } },
            { text: 'And?' },
          ],
        },
      ],
    })
  })

  it('sends images by data or by address, and audio', () => {
    const content: ChatRequest['messages'][number]['content'] = [
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
      { type: 'image_url', image_url: { url: 'https://example.org/a.JPG?x=1' } },
      { type: 'image_url', image_url: { url: 'https://example.org/a' } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    ]
    expect(sent({ messages: [{ role: 'user', content }] })).toMatchObject({
      contents: [
        {
          parts: [
            { inlineData: { mimeType: 'image/png', data: PIXEL } },
            { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.org/a.JPG?x=1' } },
            { fileData: { fileUri: 'https://example.org/a' } },
            { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
          ],
        },
      ],
    })
  })

  it.each([
    ['auto', { mode: 'AUTO' }],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [named('f'), { mode: 'ANY', allowedFunctionNames: ['f'] }],
  ])('with tool_choice %j asks so', (choice, functionCallingConfig) => {
    const request = { tools: [named('f'), named('g')], tool_choice: choice } as Partial<ChatRequest>
    expect(sent(request)).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }] }],
      toolConfig: { functionCallingConfig },
    })
  })

  it('asks for JSON, of a schema where there is one', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer', exclusiveMinimum: 0 } } }
    expect(sent({ response_format: { type: 'json_object' } })).toMatchObject({
      generationConfig: { responseMimeType: 'application/json' },
    })
    expect(
      sent({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } }),
    ).toMatchObject({
      generationConfig: {
        responseMimeType: 'application/json',
        responseJsonSchema: { properties: { n: { type: 'integer', description: '(exclusiveMinimum: 0)' } } },
      },
    })
  })

  it.each([
    ['minimal', {}, { thinkingLevel: 'MINIMAL', includeThoughts: true }],
    ['none', {}, { thinkingLevel: 'MINIMAL' }],
    ['none', { efforts: ['low', 'high'] }, { thinkingLevel: 'LOW' }],
    ['medium', { efforts: ['low', 'high'] }, { thinkingLevel: 'LOW', includeThoughts: true }],
    ['max', {}, { thinkingLevel: 'HIGH', includeThoughts: true }],
    ['none', { thinking: 'budget' }, { thinkingBudget: 0 }],
    ['none', { thinking: 'budget', efforts: ['minimal'] }, { thinkingBudget: 1024, includeThoughts: true }],
    ['max', { thinking: 'budget' }, { thinkingBudget: 24_576, includeThoughts: true }],
  ] as const)('with reasoning_effort %s and %j thinks so', (effort, quirks, thinkingConfig) => {
    expect(sent({ reasoning_effort: effort }, quirks)).toMatchObject({ generationConfig: { thinkingConfig } })
  })

  it('does not speak of thinking where the client does not, or the model cannot', () => {
    expect(sent({})).not.toHaveProperty('generationConfig')
    expect(sent({ reasoning_effort: 'high' }, { thinking: 'none' })).not.toHaveProperty('generationConfig')
  })

  it.each([
    ['a result of no call', { messages: [...hello, { role: 'tool', tool_call_id: 'x', content: 'y' }] }],
    [
      'arguments that are no object',
      { messages: [...hello, { role: 'assistant', tool_calls: [call('a', 'f', 'x')] }] },
    ],
    ['a custom tool', { tools: [{ type: 'custom', custom: { name: 'x' } }] }],
    [
      'a data URL that is not in base64',
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png,abc' } }] },
        ],
      },
    ],
  ])('with %s is refused as the client’s fault', (_, request) => {
    const failure = (() => {
      try {
        return sent(request as Partial<ChatRequest>)
      } catch (error) {
        return error
      }
    })()
    expect(failure).toBeInstanceOf(UpstreamFailure)
    expect(failure).toMatchObject({ kind: 'status', status: 400 })
  })
})

describe('the signature of a call', () => {
  const history = (id: string, more = {}): ChatRequest['messages'] => [
    ...hello,
    { role: 'assistant', tool_calls: [call(id, 'f', '{}', more), call(`${id}-2`, 'f')] },
    { role: 'tool', tool_call_id: id, content: '1' },
    { role: 'tool', tool_call_id: `${id}-2`, content: '2' },
  ]
  const signed = (thoughtSignature: string) => ({
    contents: [{}, { parts: [{ functionCall: {}, thoughtSignature }, { functionCall: {} }] }, {}],
  })

  it('comes back as the client carries it', () => {
    const carried = { extra_content: { google: { thought_signature: 'c2ln' } } }
    expect(sent({ messages: history('a', carried) })).toMatchObject(signed('c2ln'))
  })

  it('comes back for a client that dropped it', () => {
    replay.stream('stream-tools')
    expect(sent({ messages: history('fc_9f2') })).toMatchObject(signed('CiQBveKPe1nQ0Yt4Ys6Yz5sQ0mVn'))
  })

  it('is stood in for where nobody has it and the model insists', () => {
    expect(sent({ messages: history('b') })).toMatchObject(signed('skip_thought_signature_validator'))
    expect(JSON.stringify(sent({ messages: history('b') }, { thinking: 'budget' }))).not.toContain(
      'Signature',
    )
  })
})

describe('a function’s schema', () => {
  it('keeps what the narrow format knows', () => {
    expect(
      declared({
        type: 'object',
        description: 'd',
        properties: {
          s: { type: 'string', enum: ['a', 'b'], minLength: 1, pattern: '^a' },
          n: { type: 'number', minimum: 0, maximum: 1, format: 'float' },
          l: { type: 'array', items: { type: 'integer' }, maxItems: 3 },
        },
        required: ['s', 'gone'],
      }),
    ).toEqual({
      type: 'OBJECT',
      description: 'd',
      properties: {
        s: { type: 'STRING', enum: ['a', 'b'], minLength: '1', pattern: '^a' },
        n: { type: 'NUMBER', minimum: 0, maximum: 1, format: 'float' },
        l: { type: 'ARRAY', items: { type: 'INTEGER' }, maxItems: '3' },
      },
      required: ['s'],
    })
  })

  it('drops or tells in words what Gemini rejects', () => {
    expect(
      declared({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        additionalProperties: false,
        propertyNames: { pattern: '^x' },
        properties: {
          a: { type: 'integer', exclusiveMinimum: 0, multipleOf: 5, description: 'How many' },
          b: { type: 'array', items: { type: 'string', format: 'email' }, uniqueItems: true },
          c: { type: 'integer', enum: [1, 2] },
          d: { const: 'fixed' },
        },
      }),
    ).toEqual({
      type: 'OBJECT',
      properties: {
        a: { type: 'INTEGER', description: 'How many (multipleOf: 5, exclusiveMinimum: 0)' },
        b: { type: 'ARRAY', items: { type: 'STRING' }, description: '(uniqueItems: true)' },
        c: { type: 'INTEGER', description: '(enum: [1,2])' },
        d: { type: 'STRING', enum: ['fixed'] },
      },
    })
  })

  it('turns types, alternatives, references and unions into what there is', () => {
    const made = declared({
      type: 'object',
      $defs: { name: { $ref: '#/$defs/text' }, text: { type: 'string', description: 'A name' } },
      properties: {
        a: { type: ['string', 'null'] },
        b: { anyOf: [{ type: 'integer' }, { type: 'null' }], description: 'maybe' },
        c: { oneOf: [{ type: 'string' }, { type: 'number' }] },
        d: { $ref: '#/$defs/name' },
        e: { type: ['string', 'number'] },
        f: {
          allOf: [
            { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] },
            { properties: { y: { type: 'string' } } },
          ],
        },
      },
    })
    expect(made).toMatchObject({
      properties: {
        a: { type: 'STRING', nullable: true },
        b: { type: 'INTEGER', nullable: true, description: 'maybe' },
        c: { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] },
        d: { type: 'STRING', description: 'A name' },
        e: { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] },
        f: {
          type: 'OBJECT',
          properties: { x: { type: 'STRING' }, y: { type: 'STRING' } },
          required: ['x'],
        },
      },
    })
  })

  it('ends where a schema holds itself, and does not grow without bound', () => {
    const node = {
      type: 'object',
      properties: { left: { $ref: '#/$defs/node' }, right: { $ref: '#/$defs/node' } },
    }
    expect(
      declared({ type: 'object', $defs: { node }, properties: { n: { $ref: '#/$defs/node' } } }),
    ).toEqual({
      type: 'OBJECT',
      properties: {
        n: { type: 'OBJECT', properties: { left: { type: 'OBJECT' }, right: { type: 'OBJECT' } } },
      },
    })
    const defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => {
        const next = { $ref: `#/$defs/d${at + 1}` }
        return [`d${at}`, { type: 'object', properties: { a: next, b: next }, allOf: [next, next] }]
      }),
    )
    const made = declared({ type: 'object', $defs: defs, properties: { n: { $ref: '#/$defs/d0' } } })
    expect(JSON.stringify(made).length).toBeLessThan(200_000)
  })

  it('is left out for a function without parameters', () => {
    expect(sent({ tools: [named('f', { type: 'object', properties: {} }), named('g')] })).toEqual({
      contents: expect.anything(),
      tools: [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }] }],
    })
  })
})
