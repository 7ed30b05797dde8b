import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import { parseJson } from '../json/json.ts'
import { hello, toolCall } from '../testing/replay.ts'
import { geminiGenerate } from './codec.ts'
import { encode, functionTool } from './testing/encode.ts'

describe('a request', () => {
  test.each([
    ['gemini-2.5-flash', false, '/models/gemini-2.5-flash:generateContent'],
    ['gemini-2.5-flash', true, '/models/gemini-2.5-flash:streamGenerateContent?alt=sse'],
    ['tunedModels/mine 1', false, '/tunedModels/mine%201:generateContent'],
  ])('for %s with stream %s is sent to %s', (upstreamModel, stream, path) => {
    const target = testTarget('http://127.0.0.1:1/v1beta', { upstreamModel })
    expect(geminiGenerate.chatRequest({ model: 'x', messages: hello, stream }, target)).toMatchObject({
      path,
    })
    expect(geminiGenerate.authorization).toBe('x-goog-api-key')
  })

  test('forwards only fields that Gemini supports, under its names', () => {
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
    expect(encode({ ...unknown, ...known })).toEqual({
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
    expect(encode({ max_tokens: 99_999 }, {}, 8192)).toMatchObject({
      generationConfig: { maxOutputTokens: 8192 },
    })
  })

  test('limits the output to what is reserved if the client sets no limit', () => {
    const target = testTarget('http://127.0.0.1:1', { enforcedOutputTokens: 900 })
    const made = (fields: object) =>
      parseJson(geminiGenerate.chatRequest({ model: 'x', messages: hello, ...fields }, target).body)
    expect(made({})).toMatchObject({ generationConfig: { maxOutputTokens: 900 } })
    expect(made({ max_tokens: 2_000, max_completion_tokens: 50 })).toMatchObject({
      generationConfig: { maxOutputTokens: 50 },
    })
  })

  test.each([
    ['auto', { mode: 'AUTO' }],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [functionTool('f'), { mode: 'ANY', allowedFunctionNames: ['f'] }],
  ])('maps tool_choice %j', (choice, functionCallingConfig) => {
    const request = {
      tools: [functionTool('f'), functionTool('g')],
      tool_choice: choice,
    } as Partial<ChatRequest>
    expect(encode(request)).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }] }],
      toolConfig: { functionCallingConfig },
    })
  })

  test('requests JSON, with the schema if there is one', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer', exclusiveMinimum: 0 } } }
    expect(encode({ response_format: { type: 'json_object' } })).toMatchObject({
      generationConfig: { responseMimeType: 'application/json' },
    })
    expect(
      encode({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } }),
    ).toMatchObject({
      generationConfig: {
        responseMimeType: 'application/json',
        responseJsonSchema: { properties: { n: { type: 'integer', description: '(exclusiveMinimum: 0)' } } },
      },
    })
  })

  test.each([
    ['minimal', {}, { thinkingLevel: 'MINIMAL', includeThoughts: true }],
    ['none', {}, { thinkingLevel: 'MINIMAL' }],
    ['none', { efforts: ['low', 'high'] }, { thinkingLevel: 'LOW' }],
    ['medium', { efforts: ['low', 'high'] }, { thinkingLevel: 'LOW', includeThoughts: true }],
    ['max', {}, { thinkingLevel: 'HIGH', includeThoughts: true }],
    ['none', { thinking: 'budget' }, { thinkingBudget: 0 }],
    ['none', { thinking: 'budget', efforts: ['minimal'] }, { thinkingBudget: 1024, includeThoughts: true }],
    ['max', { thinking: 'budget' }, { thinkingBudget: 24_576, includeThoughts: true }],
  ] as const)('maps reasoning_effort %s with %j', (effort, quirks, thinkingConfig) => {
    expect(encode({ reasoning_effort: effort }, quirks)).toMatchObject({
      generationConfig: { thinkingConfig },
    })
  })

  test('omits thinking without an effort, or for a model that cannot reason', () => {
    expect(encode({})).not.toHaveProperty('generationConfig')
    expect(encode({ reasoning_effort: 'high' }, { thinking: 'none' })).not.toHaveProperty('generationConfig')
  })

  test.each([
    ['a result of no call', { messages: [...hello, { role: 'tool', tool_call_id: 'x', content: 'y' }] }],
    [
      'arguments other than an object',
      { messages: [...hello, { role: 'assistant', tool_calls: [toolCall('a', 'f', 'x')] }] },
    ],
    ['a custom tool', { tools: [{ type: 'custom', custom: { name: 'x' } }] }],
    [
      'a data URL without base64',
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png,abc' } }] },
        ],
      },
    ],
  ])('with %s is rejected with 400', (_, request) => {
    const refused = expect.objectContaining({ kind: 'status', status: 400 })
    expect(() => encode(request as Partial<ChatRequest>)).toThrow(refused)
  })
})
