import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { findFamily } from '../../models/catalog/model-families.ts'
import { encode } from './testing/encode.ts'

const lookUp = { name: 'look_up', description: 'Looks up', parameters: { type: 'object', properties: {} } }

describe('a request', () => {
  test('asks the provider to store nothing and to return its reasoning encrypted', () => {
    expect(encode({})).toEqual({
      model: 'acme-large',
      input: [{ type: 'message', role: 'user', content: 'Hi' }],
      include: ['reasoning.encrypted_content'],
      store: false,
    })
    expect(encode({ store: true, stream: true, stream_options: { include_usage: true } })).toMatchObject({
      store: true,
      stream: true,
    })
  })

  test('has the fields of both APIs unchanged', () => {
    const fields = {
      metadata: { team: 'a' },
      prompt_cache_key: 'k',
      prompt_cache_retention: '24h',
      safety_identifier: 's',
      service_tier: 'flex',
      temperature: 0.5,
      top_p: 0.9,
      user: 'u',
    } as const
    expect(encode({ ...fields, seed: 7, prediction: {}, unknown_field: 1 })).toMatchObject(fields)
    expect(encode({ ...fields, seed: 7 })).not.toHaveProperty('seed')
    expect(encode({ stream: true, stream_options: { include_obfuscation: false } })).toMatchObject({
      stream_options: { include_obfuscation: false },
    })
  })

  test.each<[Partial<ChatRequest>, number]>([
    [{ max_completion_tokens: 500, max_tokens: 9 }, 500],
    [{ max_tokens: 200 }, 200],
    [{ max_tokens: 1 }, 16],
  ])('with the limit %j has max_output_tokens %d', (request, limit) => {
    expect(encode(request)).toMatchObject({ max_output_tokens: limit })
  })

  test('has the enforced limit if the client sets none', () => {
    expect(encode({}, { enforcedOutputTokens: 900 })).toMatchObject({ max_output_tokens: 900 })
    expect(encode({})).not.toHaveProperty('max_output_tokens')
  })

  test('has the effort, and wants a summary of the reasoning', () => {
    expect(encode({ reasoning_effort: 'high' })).toMatchObject({
      reasoning: { effort: 'high', summary: 'auto' },
    })
    expect(encode({ reasoning_effort: 'none' }).reasoning).toEqual({ effort: 'none' })
    const quirks = { noReasoningSummary: true as const }
    expect(encode({ reasoning_effort: 'low' }, { quirks }).reasoning).toEqual({ effort: 'low' })
  })

  test('to a model that does not reason has nothing about reasoning', () => {
    const quirks = findFamily('gpt-4o')?.quirks ?? {}
    const body = encode({ reasoning_effort: 'high', temperature: 1 }, { quirks })
    expect(body).not.toHaveProperty('reasoning')
    expect(body).not.toHaveProperty('include')
    expect(body).toMatchObject({ temperature: 1 })
  })

  test('to a reasoning model lacks what it rejects', () => {
    const quirks = findFamily('gpt-5.5')?.quirks ?? {}
    const request = { temperature: 1, top_p: 1, logprobs: true, stop: ['x'], presence_penalty: 1 }
    const reasoning = encode(request, { quirks })
    for (const name of ['temperature', 'top_p', 'top_logprobs']) expect(reasoning).not.toHaveProperty(name)
    const { stop: _, ...others } = request
    expect(encode({ ...others, reasoning_effort: 'none' }, { quirks })).toMatchObject({ temperature: 1 })
  })

  test('has the response format and verbosity in text', () => {
    const schema = { name: 'city', schema: { type: 'object' }, strict: true }
    expect(
      encode({ response_format: { type: 'json_schema', json_schema: schema }, verbosity: 'low' }).text,
    ).toEqual({ format: { type: 'json_schema', ...schema }, verbosity: 'low' })
    expect(encode({ response_format: { type: 'json_object' } }).text).toEqual({
      format: { type: 'json_object' },
    })
  })

  test('asks for log probabilities', () => {
    expect(encode({ logprobs: true, top_logprobs: 3 })).toMatchObject({
      top_logprobs: 3,
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
    })
  })
})

describe('tools', () => {
  test('have their members next to the type, and are not strict by default', () => {
    const format = { type: 'grammar', grammar: { definition: '/a+/', syntax: 'regex' } }
    const { tools } = encode({
      tools: [
        { type: 'function', function: { ...lookUp, strict: true } },
        { type: 'function', function: { name: 'now' } },
        { type: 'custom', custom: { name: 'shell', description: 'Runs', format } },
      ],
    })
    expect(tools).toEqual([
      { type: 'function', ...lookUp, strict: true },
      {
        type: 'function',
        name: 'now',
        parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
        strict: false,
      },
      {
        type: 'custom',
        name: 'shell',
        description: 'Runs',
        format: { type: 'grammar', definition: '/a+/', syntax: 'regex' },
      },
    ])
  })

  const tools: ChatRequest['tools'] = [
    { type: 'function', function: lookUp },
    { type: 'custom', custom: { name: 'shell' } },
  ]
  test.each<[ChatRequest['tool_choice'], unknown]>([
    ['required', 'required'],
    [
      { type: 'function', function: { name: 'look_up' } },
      { type: 'function', name: 'look_up' },
    ],
    [
      { type: 'custom', custom: { name: 'shell' } },
      { type: 'custom', name: 'shell' },
    ],
    [
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'look_up' } }] },
      },
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'look_up' }] },
    ],
  ])('are chosen by %j', (choice, expected) => {
    expect(encode({ tools, tool_choice: choice, parallel_tool_calls: false })).toMatchObject({
      tool_choice: expected,
      parallel_tool_calls: false,
    })
  })

  test('include the search that chat completions has as an option', () => {
    const location = { type: 'approximate', approximate: { city: 'Rome' } }
    const options = { search_context_size: 'low', user_location: location }
    expect(encode({ web_search_options: options }).tools).toEqual([
      {
        type: 'web_search',
        search_context_size: 'low',
        user_location: { type: 'approximate', city: 'Rome' },
      },
    ])
  })

  test('of unknown types, and a choice without a name, are refused', () => {
    expect(() => encode({ tools: [{ type: 'browser' }] })).toThrow('tool type "browser"')
    expect(() => encode({ tools, tool_choice: { type: 'function' } })).toThrow('names no tool')
  })
})

describe('what the Responses API lacks', () => {
  test.each<Partial<ChatRequest>>([
    { stop: ['END'] },
    { presence_penalty: 0.5 },
    { frequency_penalty: -1 },
    { logit_bias: { 5: 10 } },
    { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
    { functions: [{ name: 'f' }] },
    { function_call: { name: 'f' } },
  ])('%j is refused by its name', (request) => {
    const [name = ''] = Object.keys(request)
    expect(() => encode(request)).toThrow(
      expect.objectContaining({ status: 400, sent: false, param: expect.stringMatching(/./) }),
    )
    expect(() => encode(request)).toThrow(name === 'modalities' ? /audio|modalities/ : `"${name}"`)
  })

  test('is no reason to refuse a request that asks for the default', () => {
    const request = { stop: [], presence_penalty: 0, frequency_penalty: 0, logit_bias: {}, logprobs: false }
    expect(encode({ ...request, modalities: ['text'], functions: [], audio: null, n: 1 })).toEqual(encode({}))
  })
})
