import { describe, expect, test } from 'vitest'
import { decode, image, mark } from './testing/decode.ts'

const request = (more: object) => decode(more).request

describe('tools', () => {
  const input_schema = { type: 'object', properties: {} }

  test('are functions', () => {
    const tools = [
      { name: 'a', description: 'A', input_schema, strict: true, ...mark },
      { type: 'custom', name: 'b', input_schema },
    ]
    expect(request({ tools }).tools).toEqual([
      {
        type: 'function',
        function: { name: 'a', description: 'A', parameters: input_schema, strict: true },
        ...mark,
      },
      { type: 'function', function: { name: 'b', parameters: input_schema } },
    ])
  })

  test.each([
    [
      { type: 'auto', disable_parallel_tool_use: true },
      { tool_choice: 'auto', parallel_tool_calls: false },
    ],
    [{ type: 'any' }, { tool_choice: 'required' }],
    [{ type: 'none' }, { tool_choice: 'none' }],
    [{ type: 'tool', name: 'a' }, { tool_choice: { type: 'function', function: { name: 'a' } } }],
  ])('are chosen by %j', (tool_choice, expected) => {
    expect(request({ tools: [{ name: 'a', input_schema }], tool_choice })).toMatchObject(expected)
  })

  test.each([
    ['web_search_20250305', true],
    ['code_execution_20260120', true],
    ['bash_20250124', false],
    ['text_editor_20250728', false],
    ['computer_20251124', false],
    ['memory_20250818', false],
  ])('%s of Anthropic is named', (type, external) => {
    const { untranslatable, externalContent } = decode({ tools: [{ type, name: 'x' }] })
    expect(untranslatable?.message).toContain(`the tool "${type}"`)
    expect(untranslatable).toMatchObject({ status: 400, param: 'tools[0].type' })
    expect(externalContent).toBe(external)
  })
})

describe('options', () => {
  test.each([
    [{ thinking: { type: 'disabled' }, output_config: { effort: 'high' } }, { reasoning_effort: 'none' }],
    [{ thinking: { type: 'enabled', budget_tokens: 1_024 } }, { reasoning_effort: 'low' }],
    [{ thinking: { type: 'enabled', budget_tokens: 10_000 } }, { reasoning_effort: 'medium' }],
    [{ thinking: { type: 'enabled', budget_tokens: 31_999 } }, { reasoning_effort: 'high' }],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } }, { reasoning_effort: 'xhigh' }],
    [{ stop_sequences: ['a', 'b'] }, { stop: ['a', 'b'] }],
    [
      { temperature: 0.5, top_p: 0.9 },
      { temperature: 0.5, top_p: 0.9 },
    ],
    [{ metadata: { user_id: 'u'.repeat(100) } }, { user: 'u'.repeat(64) }],
    [{ stream: true }, { stream: true }],
  ])('%j', (given, expected) => {
    expect(request(given)).toMatchObject(expected)
  })

  test('that only Anthropic has are left out if the result means the same without them', () => {
    const more = {
      top_k: 5,
      context_management: { edits: [] },
      service_tier: 'auto',
      speed: 'fast',
      thinking: { type: 'adaptive' },
      cache_control: { type: 'ephemeral' },
    }
    expect(decode(more)).toEqual(decode({}))
    expect(request({})).toEqual({
      model: 'x',
      messages: [{ role: 'user', content: 'Hi' }],
      max_completion_tokens: 100,
    })
  })

  test.each(['thread', 'container', 'mcp_servers', 'compaction'])('%s is refused elsewhere', (name) => {
    const { untranslatable, externalContent } = decode({ [name]: { type: 'create' } })
    expect(untranslatable).toMatchObject({ status: 400, param: name })
    expect(externalContent).toBe(true)
    expect(decode({ [name]: null }).untranslatable).toBeNull()
  })

  test('for the cache alone are refused elsewhere', () => {
    expect(decode({ max_tokens: 0 }).untranslatable).toMatchObject({ status: 400, param: 'max_tokens' })
  })

  test('the output follows a schema, in strict mode if the schema allows it', () => {
    const schema = { type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: false }
    const format = (value: object) => ({ output_config: { format: { type: 'json_schema', schema: value } } })
    expect(request(format(schema)).response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', schema, strict: true },
    })
    const open = { type: 'object', properties: { a: schema } }
    expect(request(format(open)).response_format).toMatchObject({ json_schema: { strict: false } })
    const earlier = { output_format: { type: 'json_schema', schema } }
    expect(request(earlier).response_format).toEqual(request(format(schema)).response_format)
  })
})

test.each([
  [
    { messages: [{ role: 'user', content: [{ type: 'tool_use', id: 'a', name: 'f' }] }] },
    'messages[0].content[0]',
  ],
  [{ messages: [{ role: 'assistant', content: [image] }] }, 'messages[0].content[0]'],
  [{ messages: [{ role: 'system', content: [image] }] }, 'messages[0].content[0]'],
  [{ tools: [{ input_schema: {} }] }, 'tools[0].name'],
  [{ tools: [{ name: 'a' }], tool_choice: { type: 'tool' } }, 'tool_choice.name'],
  [{ tools: [{ name: 'a' }], tool_choice: { type: 'maybe' } }, 'tool_choice.type'],
])('%j is rejected with the path of the field', (more, param) => {
  expect(() => decode(more)).toThrow(
    expect.objectContaining({ status: 400, body: expect.objectContaining({ param }) }),
  )
})
