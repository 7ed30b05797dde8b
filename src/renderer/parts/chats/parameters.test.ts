import { expect, test } from 'vitest'
import {
  DEFAULT_PARAMETERS,
  EXAMPLE_TOOLS,
  type ParameterName,
  parseExtraFields,
  parseTools,
  readParameters,
  writeParameters,
} from './request-fields.ts'

const fields = {
  temperature: 0,
  top_p: 0.5,
  max_tokens: 10,
  reasoning_effort: 'high',
  seed: -3,
  stop: ['END', 'a\nb'],
  presence_penalty: -1,
  frequency_penalty: 1.5,
  tools: [{ type: 'function', function: { name: 'f' } }],
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'n', schema: { type: 'object' }, strict: true },
  },
}

test('the fields of a request become parameters, and those the same fields', () => {
  const { parameters, rest } = writeParameters({ ...fields, top_k: 3, user: null })
  expect(rest).toEqual({ top_k: 3 })
  expect(readParameters(parameters)).toEqual({ fields, extra: {}, errors: new Map() })
})

test('parameters at their default send nothing', () => {
  expect(readParameters(DEFAULT_PARAMETERS)).toEqual({ fields: {}, extra: {}, errors: new Map() })
})

test('a JSON Schema is named by its title', () => {
  const schema = '{"title":"My answer","type":"object"}'
  expect(readParameters({ ...DEFAULT_PARAMETERS, responseFormat: 'json_schema', schema }).fields).toEqual({
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'My_answer', schema: { title: 'My answer', type: 'object' } },
    },
  })
})

const number = (from: string, to: string) => `Enter a number from ${from} to ${to}.`

test.each<[ParameterName, string, string | RegExp]>([
  ['temperature', '3', number('0', '2')],
  ['temperature', 'hot', number('0', '2')],
  ['topP', '1.1', number('0', '1')],
  ['frequencyPenalty', '-3', number('−2', '2')],
  ['maxTokens', '1.5', 'Enter a whole number.'],
  ['seed', 'x', 'Enter a whole number.'],
  ['stop', 'a\nb\nc\nd\ne', 'Enter at most 4 sequences.'],
  ['tools', '[{', /^Invalid JSON/],
  ['tools', '{}', 'Enter a JSON array of tools: [ … ].'],
  ['tools', '[{"type":"function"}]', /^Tool 1, function:/],
  ['tools', '[{"type":"function","function":{"name":""}}]', /^Tool 1, function\.name/],
  ['extra', '{', /^Invalid JSON/],
  ['extra', '[]', 'Enter a JSON object: { … }.'],
  ['extra', 'null', 'Enter a JSON object: { … }.'],
  ['extra', '{"seed": 1}', 'Remove “seed”. Use the Seed field.'],
  ['extra', '{"temperature": 1}', 'Remove “temperature”. Use the Temperature field.'],
])('%s does not accept %s', (name, text, message) => {
  const { errors, fields, extra } = readParameters({ ...DEFAULT_PARAMETERS, [name]: text })
  expect([...errors]).toEqual([
    [name, typeof message === 'string' ? message : expect.stringMatching(message)],
  ])
  expect({ fields, extra }).toEqual({ fields: {}, extra: {} })
})

test('an object is a set of further fields', () => {
  expect(parseExtraFields(' ')).toEqual({ ok: true, fields: {} })
  expect(parseExtraFields('{"top_k": 0.5, "stop_token_ids": ["END"]}')).toEqual({
    ok: true,
    fields: { top_k: 0.5, stop_token_ids: ['END'] },
  })
  expect(parseExtraFields('{"__proto__": 1, "top_k": 2}')).toMatchObject({ ok: true })
})

test('blank text has no tools, and the example has one', () => {
  expect(parseTools('  ')).toEqual({ ok: true, tools: [] })
  expect(parseTools(EXAMPLE_TOOLS)).toMatchObject({ ok: true, tools: [{ type: 'function' }] })
})
