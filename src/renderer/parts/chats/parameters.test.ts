import { expect, test } from 'vitest'
import { DEFAULT_PARAMETERS, type ParameterName, readParameters, writeParameters } from './parameters.ts'

const fields = {
  temperature: 0,
  top_p: 0.5,
  max_tokens: 10,
  reasoning_effort: 'high',
  tools: [{ type: 'function', function: { name: 'f' } }],
  stop: ['END', 'a\nb'],
  response_format: { type: 'json_object' },
}

test('the fields of a request become parameters, and those the same fields', () => {
  const parameters = writeParameters({ ...fields, model: 'm', messages: [], stream: true, user: null })
  expect(JSON.parse(parameters.extra)).toEqual({ stop: fields.stop, response_format: fields.response_format })
  expect(readParameters(parameters)).toEqual({ fields, errors: new Map() })
})

test('parameters at their default send nothing', () => {
  expect(readParameters(DEFAULT_PARAMETERS)).toEqual({ fields: {}, errors: new Map() })
})

test.each<[ParameterName, string, string | RegExp]>([
  ['temperature', '3', 'Enter a number from 0 to 2.'],
  ['temperature', 'hot', 'Enter a number from 0 to 2.'],
  ['topP', '1.1', 'Enter a number from 0 to 1.'],
  ['maxTokens', '1.5', 'Enter a whole number greater than 0.'],
  ['tools', '[{', /^Invalid JSON/],
  ['tools', '{}', 'Enter a JSON array of tools: [ … ].'],
  ['tools', '[{"type":"function"}]', /^\[0\]\.function: /],
  ['tools', '[{"type":"function","function":{"name":""}}]', /^\[0\]\.function\.name: /],
  ['extra', '{', /^Invalid JSON/],
  ['extra', '[]', 'Enter a JSON object: { … }.'],
  ['extra', 'null', 'Enter a JSON object: { … }.'],
  ['extra', '{"temperature": 1}', 'Remove “temperature”: the playground sets it.'],
  ['extra', '{"stream": false}', 'Remove “stream”: the playground sets it.'],
])('%s does not accept %s', (name, text, message) => {
  const { errors, fields } = readParameters({ ...DEFAULT_PARAMETERS, topP: '1', [name]: text })
  expect([...errors]).toEqual([
    [name, typeof message === 'string' ? message : expect.stringMatching(message)],
  ])
  expect(fields).toEqual(name === 'topP' ? {} : { top_p: 1 })
})
