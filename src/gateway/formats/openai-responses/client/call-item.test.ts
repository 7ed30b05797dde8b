import { describe, expect, test } from 'vitest'
import { begins, continues, getResponse, stream } from './testing/stream.ts'

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
