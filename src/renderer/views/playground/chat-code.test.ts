import { expect, test } from 'vitest'
import type { ChatInput } from '../../chat-stream.ts'
import { CODE_KINDS, chatCode } from './chat-code.ts'

const ask: ChatInput = {
  model: 'gpt',
  messages: [{ role: 'user', content: "What's “it”?\nSay." }],
  temperature: 0,
  tools: [
    {
      type: 'function',
      function: { name: 'f', parameters: { type: 'object', additionalProperties: false, default: null } },
    },
  ],
}
const baseUrl = 'http://127.0.0.1:8655/v1'

test.each(CODE_KINDS)('%s asks the same, with the key from the environment', (kind) => {
  const code = chatCode(kind, ask, baseUrl)
  expect(code).toContain(baseUrl)
  expect(code).toContain('TOLLGATE_API_KEY')
  expect(code).not.toContain('tg-')
})

test('a quote does not end the shell’s string', () => {
  expect(chatCode('curl', ask, baseUrl)).toContain(`What'\\''s “it”?\\nSay.`)
})

test('Python gets its own words for true, false and nothing', () => {
  const code = chatCode('Python', ask, baseUrl)
  expect(code).toContain('"additionalProperties": False,')
  expect(code).toContain('"default": None,')
  expect(code).toContain('    temperature=0,')
})

test('calls, their results and further fields are part of it', () => {
  const full: ChatInput = {
    ...ask,
    messages: [
      ...ask.messages,
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
    const code = chatCode(kind, full, baseUrl)
    expect(code).toContain('"tool_call_id": "call_1"')
    expect(code).toContain('"top_k": 3')
  }
  expect(chatCode('Python', full, baseUrl)).toContain('    extra_body={')
})
