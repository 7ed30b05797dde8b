import { describe, expect, test } from 'vitest'
import { ResponseRequest } from '../../../../shared/formats/responses.ts'
import { decodeRequest } from './codec.ts'
import { begins, continues, getResponse, stream } from './testing/stream.ts'
import { ToolTable } from './tools.ts'

const parse = (body: object) => ResponseRequest.parse({ model: 'm', input: 'Hi', ...body })
const decode = (body: object) => decodeRequest(parse(body)).request
const getNames = (body: object) => decode(body).tools?.map(({ function: called }) => Object(called).name)

const parameters = { type: 'object', properties: { q: { type: 'string' } } }
const look = { type: 'function', name: 'look', description: 'Looks', parameters, strict: true }
const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' }
const patch = { type: 'custom', name: 'apply_patch', description: 'Edits files', format: grammar }
const group = (name: string, ...tools: object[]) => ({ type: 'namespace', name, description: '', tools })

test('functions and custom tools are functions; tools of the provider are left out', () => {
  const tools = [look, patch, { type: 'web_search' }, { type: 'mcp', server_label: 'x' }]
  expect(decode({ tools, parallel_tool_calls: true, tool_choice: 'auto' })).toMatchObject({
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [
      { type: 'function', function: { name: 'look', description: 'Looks', parameters, strict: true } },
      {
        type: 'function',
        function: {
          name: 'apply_patch',
          description: 'Edits files',
          parameters: {
            type: 'object',
            properties: { input: { type: 'string', description: expect.stringContaining('start: "x"') } },
            required: ['input'],
            additionalProperties: false,
          },
        },
      },
    ],
  })
})

describe('a namespace', () => {
  const tools = [look, group('mcp__a', look), group('b!', { ...look, name: 'x'.repeat(70) })]

  test('is part of the names of its tools, which are unambiguous and allowed', () => {
    const names = getNames({ tools }) ?? []
    expect(names.slice(0, 2)).toEqual(['look', 'mcp__a__look'])
    expect(names[2]).toMatch(/^b___x+_[0-9a-f]{8}$/)
    expect(names[2]).toHaveLength(64)
    const clash = [{ ...look, name: 'a__look' }, group('a', look)]
    expect(new Set(getNames({ tools: clash })).size).toBe(2)
  })

  test('and the name are restored in answers, and converted in the history', () => {
    const table = new ToolTable(parse({ tools }))
    expect(table.findOrigin('mcp__a__look')).toMatchObject({ name: 'look', namespace: 'mcp__a' })
    expect(table.findOrigin('look')).toMatchObject({ name: 'look', namespace: null })
    expect(table.findOrigin('unknown')).toEqual({ call: 'function_call', name: 'unknown', namespace: null })
    const call = { type: 'function_call', call_id: 'a', name: 'look', namespace: 'gone', arguments: '{}' }
    const output = { type: 'function_call_output', call_id: 'a', output: '' }
    const { messages } = decode({ input: [{ role: 'user', content: 'Hi' }, call, output] })
    expect(messages[1]).toMatchObject({ tool_calls: [{ function: { name: 'gone__look' } }] })
  })

  test('may be left out by the model where the name is unique', () => {
    const table = new ToolTable(parse({ tools: [group('a', look)] }))
    expect(table.findOrigin('look')).toMatchObject({ name: 'look', namespace: 'a' })
  })
})

test('tools that the conversation adds are included', () => {
  const input = [
    { type: 'additional_tools', role: 'developer', tools: [look] },
    { role: 'user', content: 'Hi' },
    { type: 'tool_search_call', call_id: 'a', arguments: { query: 'edit' }, execution: 'client' },
    { type: 'tool_search_output', call_id: 'a', tools: [patch], execution: 'client' },
  ]
  expect(getNames({ input, tools: [{ type: 'tool_search', execution: 'client' }] })).toEqual([
    'tool_search',
    'look',
    'apply_patch',
  ])
})

describe('the tool choice', () => {
  const tools = [look, patch, group('mcp__a', { ...look, name: 'find' })]

  test.each([
    [{ type: 'function', name: 'look' }, 'look'],
    [{ type: 'custom', name: 'apply_patch' }, 'apply_patch'],
    [{ type: 'function', name: 'find', namespace: 'mcp__a' }, 'mcp__a__find'],
  ])('%j names a function', (choice, name) => {
    expect(decode({ tools, tool_choice: choice }).tool_choice).toEqual({
      type: 'function',
      function: { name },
    })
  })

  test('allowed tools are the only ones that are sent', () => {
    const allowed = [
      { type: 'custom', name: 'apply_patch' },
      { type: 'namespace', name: 'mcp__a' },
    ]
    const body = { tools, tool_choice: { type: 'allowed_tools', mode: 'required', tools: allowed } }
    expect(getNames(body)).toEqual(['apply_patch', 'mcp__a__find'])
    expect(decode(body).tool_choice).toBe('required')
  })

  test('is left out where no tools are', () => {
    const request = decode({
      tools: [{ type: 'web_search' }],
      tool_choice: 'auto',
      parallel_tool_calls: true,
    })
    expect(request).toEqual({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] })
  })
})

describe('a call of a custom tool', () => {
  const tools = [{ type: 'custom', name: 'apply_patch' }]
  const readCall = (pieces: string[], finish = 'tool_calls') =>
    stream([begins(0, 'a', 'apply_patch'), ...pieces.map((piece) => continues(0, piece))], finish, { tools })
  const input = '*** "é"\n\t\\ 😀\u2028/'

  test.each([
    ['as it is', JSON.stringify({ input })],
    ['with escapes', `{ "input" : "${[...input].map((char) => escapeAll(char)).join('')}" }`],
  ])('has the text %s, split anywhere', (_, args) => {
    for (let at = 0; at <= args.length; at += 1) {
      const events = readCall([args.slice(0, at), args.slice(at)])
      const deltas = events.filter(({ type }) => type === 'response.custom_tool_call_input.delta')
      expect(deltas.map(({ delta }) => delta).join('')).toBe(input)
      expect(getResponse(events).output).toEqual([
        {
          id: 'ctc_1_0',
          type: 'custom_tool_call',
          status: 'completed',
          call_id: 'a',
          name: 'apply_patch',
          input,
        },
      ])
    }
  })

  test.each([
    ['{"patch":"x"}', 'x'],
    ['plain text', 'plain text'],
    ['"x"', 'x'],
    ['{"a":"x","input":"y"}', 'y'],
    ['{"input":"cut', 'cut'],
    ['', ''],
  ])('has the text of the arguments %s', (args, expected) => {
    expect(getResponse(readCall([args])).output[0].input).toBe(expected)
  })
})

test('a call of a tool that runs at the client is its own type of item', () => {
  const body = { tools: [{ type: 'local_shell' }, { type: 'tool_search', execution: 'client' }] }
  const deltas = [
    begins(0, 'a', 'local_shell', '{"command":["ls"]}'),
    begins(1, 'b', 'tool_search', '{"query":"x"}'),
  ]
  const events = stream(deltas, 'tool_calls', body)
  expect(getResponse(events).output).toEqual([
    {
      ...{ id: 'lsh_1_0', type: 'local_shell_call', status: 'completed', call_id: 'a' },
      action: { type: 'exec', command: ['ls'], env: {} },
    },
    {
      ...{ id: 'tsc_1_1', type: 'tool_search_call', status: 'completed', call_id: 'b', execution: 'client' },
      arguments: { query: 'x' },
    },
  ])
})

function escapeAll(char: string): string {
  return Array.from({ length: char.length }, (_, at) => {
    const hex = char.charCodeAt(at).toString(16).padStart(4, '0')
    return `\\u${hex}`
  }).join('')
}
