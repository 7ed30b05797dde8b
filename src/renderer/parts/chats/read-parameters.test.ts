import { expect, test } from 'vitest'
import { DEFAULT_PARAMETERS } from './parameters.ts'
import { adoptExtraFields, readParameters, writeParameters } from './read-parameters.ts'

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

test('further fields of earlier versions that have a control move to it', () => {
  const before = { ...DEFAULT_PARAMETERS, temperature: '1', extra: '{"top_p":0.5,"top_k":3}' }
  expect(adoptExtraFields(before)).toEqual({
    ...DEFAULT_PARAMETERS,
    temperature: '1',
    topP: '0.5',
    extra: JSON.stringify({ top_k: 3 }, null, 2),
  })
  const unfinished = { ...DEFAULT_PARAMETERS, extra: '{"top_p"' }
  expect(adoptExtraFields(unfinished)).toBe(unfinished)
})
