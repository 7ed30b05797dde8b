import { expect, test } from 'vitest'
import type { ChatInput } from '../../data/chat-stream.ts'
import { CODE_KINDS, writeChatCode } from './playground.tsx'

const input: ChatInput = {
  model: 'gpt',
  messages: [{ role: 'user', content: "What's “it”?\nSay." }],
  parameters: {
    temperature: 0,
    tools: [
      {
        type: 'function',
        function: { name: 'f', parameters: { type: 'object', additionalProperties: false, default: null } },
      },
    ],
  },
}
const baseUrl = 'http://127.0.0.1:8655/v1'

test.each(CODE_KINDS)('%s sends the same request, with the key from the environment', (kind) => {
  const code = writeChatCode(kind, input, baseUrl)
  expect(code).toContain(baseUrl)
  expect(code).toContain('TOLLGATE_API_KEY')
  expect(code).not.toContain('tg-')
})

test('quotes are escaped for the shell', () => {
  expect(writeChatCode('curl', input, baseUrl)).toContain(`What'\\''s “it”?\\nSay.`)
})

test('Python gets True, False and None', () => {
  const code = writeChatCode('Python', input, baseUrl)
  expect(code).toContain('"additionalProperties": False,')
  expect(code).toContain('"default": None,')
  expect(code).toContain('    temperature=0,')
})

test('tool calls, their results and extra fields are included', () => {
  const full: ChatInput = {
    ...input,
    messages: [
      ...input.messages,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
    ],
    extra: { top_k: 3 },
  }
  for (const kind of CODE_KINDS) {
    const code = writeChatCode(kind, full, baseUrl)
    expect(code).toContain('"tool_call_id": "call_1"')
    expect(code).toContain('"top_k": 3')
  }
  expect(writeChatCode('Python', full, baseUrl)).toContain('    extra_body={')
})
