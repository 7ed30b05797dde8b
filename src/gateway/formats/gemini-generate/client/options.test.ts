import { expect, test } from 'vitest'
import { ChatRequest } from '../../../../shared/formats/chat.ts'
import { decodeSchema } from './options.ts'
import { decode, hello } from './testing/decode.ts'

function getOptions(body: object) {
  const { request } = decode({ contents: hello, ...body })
  const { model: _, messages: __, stream: ___, ...options } = ChatRequest.parse(request)
  return options
}

const functions = (...names: string[]) => [{ functionDeclarations: names.map((name) => ({ name })) }]

test('every option with a counterpart', () => {
  const generationConfig = {
    maxOutputTokens: 100,
    temperature: 0.5,
    topP: 0.9,
    topK: 40,
    seed: 7,
    presencePenalty: 0.1,
    frequencyPenalty: 0.2,
    stopSequences: ['a', 'b'],
    candidateCount: 2,
    responseMimeType: 'application/json',
    responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
    responseModalities: ['TEXT'],
    responseLogprobs: true,
    logprobs: 3,
    mediaResolution: 'MEDIA_RESOLUTION_LOW',
  }
  expect(getOptions({ generationConfig, safetySettings: [{}], labels: { a: 'b' } })).toEqual({
    max_completion_tokens: 100,
    temperature: 0.5,
    top_p: 0.9,
    seed: 7,
    presence_penalty: 0.1,
    frequency_penalty: 0.2,
    stop: ['a', 'b'],
    n: 2,
    logprobs: true,
    top_logprobs: 3,
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'response', schema: { type: 'object', properties: { a: { type: 'string' } } } },
    },
  })
})

test.each([
  [{ thinkingLevel: 'MINIMAL' }, 'minimal'],
  [{ thinkingLevel: 'high', includeThoughts: true }, 'high'],
  [{ thinkingBudget: 0 }, 'none'],
  [{ thinkingBudget: 512 }, 'low'],
  [{ thinkingBudget: 8192, includeThoughts: true }, 'medium'],
  [{ thinkingBudget: 24_576 }, 'high'],
  [{ thinkingBudget: 100_000 }, 'high'],
  [{ thinkingBudget: -1, includeThoughts: true }, undefined],
  [{ includeThoughts: true }, undefined],
])('the thinking of %j is the effort %s', (thinkingConfig, effort) => {
  expect(getOptions({ generationConfig: { thinkingConfig } }).reasoning_effort).toBe(effort)
})

test('an unknown level or mode is refused', () => {
  expect(() => getOptions({ generationConfig: { thinkingConfig: { thinkingLevel: 'ENORMOUS' } } })).toThrow(
    /level/,
  )
  const toolConfig = { functionCallingConfig: { mode: 'SOMETIMES' } }
  expect(() => getOptions({ tools: functions('f'), toolConfig })).toThrow(/mode/)
})

test('JSON without a schema', () => {
  expect(getOptions({ generationConfig: { responseMimeType: 'application/json' } })).toEqual({
    response_format: { type: 'json_object' },
  })
})

test('functions with both kinds of schema', () => {
  const schema = { type: 'object', properties: { snake_case: { type: 'string' } }, $defs: {} }
  const tools = [
    { functionDeclarations: [{ name: 'a', description: 'A', parameters: { type: 'OBJECT' } }] },
    { functionDeclarations: [{ name: 'b', parametersJsonSchema: schema, response: {} }, { name: 'c' }] },
  ]
  expect(getOptions({ tools })).toEqual({
    tools: [
      { type: 'function', function: { name: 'a', description: 'A', parameters: { type: 'object' } } },
      { type: 'function', function: { name: 'b', parameters: schema } },
      { type: 'function', function: { name: 'c' } },
    ],
  })
})

const named = (name: string) => ({ type: 'function', function: { name } })
test.each([
  [{ mode: 'AUTO' }, undefined],
  [{ mode: 'NONE' }, 'none'],
  [{ mode: 'ANY' }, 'required'],
  [{ mode: 'VALIDATED' }, undefined],
  [{ mode: 'ANY', allowedFunctionNames: ['f'] }, named('f')],
  [
    { mode: 'ANY', allowedFunctionNames: ['f', 'g'] },
    { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [named('f'), named('g')] } },
  ],
  [
    { mode: 'VALIDATED', allowedFunctionNames: ['g'] },
    { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named('g')] } },
  ],
])('the mode %j is the tool choice %j', (functionCallingConfig, choice) => {
  expect(
    getOptions({ tools: functions('f', 'g'), toolConfig: { functionCallingConfig } }).tool_choice,
  ).toEqual(choice)
})

test.each([
  [{ tools: [{ googleSearch: {} }] }, 'tools[0].googleSearch'],
  [{ tools: [{ url_context: {} }] }, 'tools[0].urlContext'],
  [{ tools: [...functions('f'), { computerUse: {} }] }, 'tools[1].computerUse'],
  [{ cachedContent: 'cachedContents/abc' }, 'cachedContent'],
  [{ generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } }, 'generationConfig.responseModalities'],
  [{ generationConfig: { responseMimeType: 'text/x.enum' } }, 'generationConfig.responseMimeType'],
])('%j can only be sent to Google', (body, param) => {
  expect(decode({ contents: hello, ...body }).unsupported).toMatchObject({ status: 400, param })
})

test('a search together with functions is left out for other providers', () => {
  const decoded = decode({ contents: hello, tools: [...functions('f'), { googleSearch: {} }] })
  expect(decoded).toMatchObject({ unsupported: null })
  expect(decoded.request.tools).toHaveLength(1)
})

test('converts types, counts, enumerations and nullable schemas at every depth', () => {
  expect(
    decodeSchema({
      type: 'OBJECT',
      description: 'Options',
      property_ordering: ['tags', 'type'],
      required: ['tags'],
      properties: {
        type: { type: 'STRING', format: 'enum', enum: ['A', 'B'], nullable: true },
        tags: { type: 'ARRAY', min_items: '1', maxItems: '5', items: { type: 'INTEGER', enum: ['1', '2'] } },
        any_of: { anyOf: [{ type: 'NUMBER' }, { type: 'BOOLEAN' }], nullable: true, example: 1 },
        nested: { type: 'OBJECT', properties: { at: { type: 'STRING', format: 'date-time' } } },
      },
    }),
  ).toEqual({
    type: 'object',
    description: 'Options',
    required: ['tags'],
    properties: {
      type: { type: ['string', 'null'], enum: ['A', 'B', null] },
      tags: { type: 'array', minItems: 1, maxItems: 5, items: { type: 'integer', enum: [1, 2] } },
      any_of: { anyOf: [{ type: 'number' }, { type: 'boolean' }, { type: 'null' }], examples: [1] },
      nested: { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } },
    },
  })
})

test('a JSON Schema stays as it is', () => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    properties: { a: { type: ['string', 'null'], const: 'x' }, b: { $ref: '#/$defs/B' } },
    $defs: { B: { type: 'integer', exclusiveMinimum: 0 } },
  }
  expect(decodeSchema(schema)).toEqual(schema)
})
