import { describe, expect, test } from 'vitest'
import { findFlaw } from './verdict.ts'

const CHAT = '/v1/chat/completions'
const headers = { 'x-service-request-id': 'req_1' }
const chunk = (choice: object) =>
  `data: ${JSON.stringify({
    id: 'req_1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: {}, finish_reason: null, ...choice }],
  })}\n\n`
const error = `data: ${JSON.stringify({ error: { type: 'upstream_error', message: 'failed' } })}\n\n`
const done = 'data: [DONE]\n\n'
const complete = (text: string, status = 200) => ({ status, headers, text, complete: true })

describe('a valid response has no flaw', () => {
  test.each([
    ['a complete stream', chunk({ delta: { content: 'Hi' } }) + chunk({ finish_reason: 'stop' }) + done],
    ['a stream that ends with an error', chunk({}) + error],
    ['a stream with comments', `: still here\n\n${chunk({})}${done}`],
  ])('%s', (_, text) => {
    expect(findFlaw(complete(text), CHAT, true)).toBeNull()
  })

  test('an error in its envelope', () => {
    const text = JSON.stringify({ error: { type: 'upstream_error', message: 'failed' } })
    expect(findFlaw(complete(text, 502), CHAT, true)).toBeNull()
  })
})

describe('a flaw is described', () => {
  test.each([
    ['no end', chunk({}), 'a stream without an end'],
    ['an end within an event', chunk({}) + done.slice(0, -1), 'a stream that ends within an event'],
    ['an unknown finish reason', chunk({ finish_reason: 'because' }) + done, 'choices.N.finish_reason'],
    ['content that is not a string', chunk({ delta: { content: [] } }) + done, 'choices.N.delta.content'],
    ['an event that is not JSON', `data: {\n\n${done}`, 'a chunk with a wrong type'],
  ])('%s', (_, text, flaw) => {
    expect(findFlaw(complete(text), CHAT, true)).toContain(flaw)
  })

  test('an error without the error envelope, and an internal error', () => {
    expect(findFlaw(complete('<html>', 502), CHAT, false)).toBe('502 without the error envelope')
    expect(findFlaw(complete('{}', 500), CHAT, false)).toBe('an internal error (500)')
  })

  test('an interrupted connection', () => {
    expect(findFlaw({ ...complete(chunk({})), complete: false }, CHAT, true)).toBe('a stream without an end')
    expect(findFlaw({ ...complete(chunk({}) + done), complete: false }, CHAT, true)).toBe(
      'a complete stream was interrupted',
    )
  })

  test('a response without a request id', () => {
    expect(findFlaw({ ...complete('{}'), headers: {} }, CHAT, false)).toBe('200 without a request id')
  })
})
