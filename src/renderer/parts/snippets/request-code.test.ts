import { expect, it } from 'vitest'
import { createPlaceholderBody, REQUEST_CODE_KINDS, writeRequestCode } from './request-code.ts'

const origin = 'http://127.0.0.1:8655'

it.each(REQUEST_CODE_KINDS)(
  '%s sends the body to the endpoint, with the key from the environment',
  (kind) => {
    const call = { endpoint: 'POST /v1/messages', body: { model: 'claude', stream: true, note: "it's" } }
    const code = writeRequestCode(kind, call, origin)
    expect(code).toContain('http://127.0.0.1:8655/v1/messages')
    expect(code).toContain('TOLLGATE_API_KEY')
    expect(code).toContain('anthropic-version')
    expect(code).toMatch(kind === 'Python' ? /"stream": True/ : /"stream": true/)
    expect(code).toMatch(kind === 'curl' ? /it'\\''s/ : /it's/)
  },
)

it('a stream of Google is requested as server-sent events', () => {
  const endpoint = 'POST /v1beta/models/gemini-3:streamGenerateContent'
  expect(writeRequestCode('curl', { endpoint, body: {} }, origin)).toContain(
    "'http://127.0.0.1:8655/v1beta/models/gemini-3:streamGenerateContent?alt=sse'",
  )
})

it.each([
  ['POST /v1/chat/completions', 'messages'],
  ['POST /v1/messages', 'max_tokens'],
  ['POST /v1/responses', 'input'],
  ['POST /v1/completions', 'prompt'],
  ['POST /v1/embeddings', 'input'],
  ['POST /v1beta/models/x:generateContent', 'contents'],
])('a placeholder for %s has %s', (endpoint, member) => {
  expect(createPlaceholderBody(endpoint, 'gpt')).toHaveProperty(member)
})
