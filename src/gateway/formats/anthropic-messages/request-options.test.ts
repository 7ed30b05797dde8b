import { describe, expect, test } from 'vitest'
import { encode, weather } from './testing/encode.ts'

describe('a request', () => {
  test.each([
    ['auto', undefined, { type: 'auto' }],
    ['auto', false, { type: 'auto', disable_parallel_tool_use: true }],
    ['none', undefined, { type: 'none' }],
    ['required', false, { type: 'any', disable_parallel_tool_use: true }],
    [
      { type: 'function', function: { name: 'get_weather' } },
      undefined,
      { type: 'tool', name: 'get_weather' },
    ],
  ] as const)('maps tool_choice %j with parallel_tool_calls %j', (choice, parallel, expected) => {
    const request = {
      tools: [weather],
      tool_choice: choice,
      ...(parallel !== undefined && { parallel_tool_calls: parallel }),
    }
    expect(encode(request)).toMatchObject({
      tools: [{ name: 'get_weather', input_schema: { type: 'object', properties: { city: {} } } }],
      tool_choice: expected,
    })
  })

  test('sends only the allowed tools', () => {
    const other = { type: 'function' as const, function: { name: 'other' } }
    const allowed = { mode: 'required', tools: [{ type: 'function', function: { name: 'other' } }] }
    expect(
      encode({ tools: [weather, other], tool_choice: { type: 'allowed_tools', allowed_tools: allowed } }),
    ).toMatchObject({
      tools: [{ name: 'other', input_schema: { type: 'object' } }],
      tool_choice: { type: 'any' },
    })
  })

  test('instructs the model if a forced call is rejected, and drops thinking for a forced call', () => {
    const forced = { tools: [weather], tool_choice: 'required' as const }
    expect(encode(forced, { noForcedTools: true })).toMatchObject({
      tool_choice: { type: 'auto' },
      system: expect.stringContaining('calling one of the tools'),
    })
    expect(encode({ ...forced, reasoning_effort: 'high' })).not.toHaveProperty('thinking')
  })

  test('sends a JSON schema closed and narrowed, and an instruction for json_object', () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 1, description: 'Count' }, u: { oneOf: [{}, {}] } },
      required: ['n'],
    }
    expect(
      encode({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } }),
    ).toMatchObject({
      output_config: {
        format: {
          type: 'json_schema',
          schema: {
            properties: { n: { type: 'integer', description: 'Count (minimum: 1)' }, u: { anyOf: [{}, {}] } },
            additionalProperties: false,
          },
        },
      },
    })
    const jsonObject = encode({ response_format: { type: 'json_object' } })
    expect(jsonObject).toMatchObject({ system: expect.stringContaining('single JSON object') })
  })

  test.each([
    ['low', {}, { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }],
    ['minimal', {}, { output_config: { effort: 'low' } }],
    ['none', {}, { thinking: { type: 'disabled' } }],
    ['none', { efforts: ['low', 'high'] }, { output_config: { effort: 'low' } }],
    ['xhigh', { efforts: ['none', 'low', 'high', 'max'] }, { output_config: { effort: 'high' } }],
    ['high', { thinking: 'budget' }, { thinking: { type: 'enabled', budget_tokens: 15_360 } }],
    ['low', { thinking: 'budget' }, { thinking: { type: 'enabled', budget_tokens: 1024 } }],
  ] as const)('maps reasoning_effort %s with %j', (effort, quirks, expected) => {
    expect(encode({ reasoning_effort: effort, temperature: 0.5 }, quirks)).toMatchObject(expected)
  })

  test.each([
    [{ reasoning_effort: 'none' }, { thinking: 'budget' }],
    [{ reasoning_effort: 'high' }, { thinking: 'none' }],
    [{ reasoning_effort: 'high', max_tokens: 1500 }, { thinking: 'budget' }],
    [{}, {}],
  ] as const)('%j with %j does not ask for thinking', (request, quirks) => {
    expect(encode(request, quirks)).not.toHaveProperty('thinking')
  })
})
