import { describe, expect, test } from 'vitest'
import { findFlaw } from './verdict.ts'

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
const whole = (text: string, status = 200) => ({ status, headers, text, broken: null })

describe('what is right has no flaw', () => {
  test.each([
    ['a stream to its end', chunk({ delta: { content: 'Hi' } }) + chunk({ finish_reason: 'stop' }) + done],
    ['a stream that failed and said so', chunk({}) + error],
    ['a stream with comments', `: still here\n\n${chunk({})}${done}`],
  ])('%s', (_, text) => {
    expect(findFlaw(whole(text), true)).toBeNull()
  })

  test('an error in its envelope', () => {
    const text = JSON.stringify({ error: { type: 'upstream_error', message: 'failed' } })
    expect(findFlaw(whole(text, 502), true)).toBeNull()
  })
})

describe('a flaw is named', () => {
  test.each([
    ['no end', chunk({}), 'a stream without an end'],
    ['an end within an event', chunk({}) + done.slice(0, -1), 'a stream that ends inside of an event'],
    ['a made-up finish', chunk({ finish_reason: 'because' }) + done, 'choices.N.finish_reason'],
    ['content that is no text', chunk({ delta: { content: [] } }) + done, 'choices.N.delta.content'],
    ['an event that is no JSON', `data: {\n\n${done}`, 'a chunk with a wrong type'],
  ])('%s', (_, text, flaw) => {
    expect(findFlaw(whole(text), true)).toContain(flaw)
  })

  test('an error without the envelope, and an internal error', () => {
    expect(findFlaw(whole('<html>', 502), false)).toBe('502 without the envelope')
    expect(findFlaw(whole('{}', 500), false)).toBe('a 500 of our own')
  })

  test('an interrupted connection', () => {
    expect(findFlaw({ ...whole(chunk({})), broken: 'reset' }, true)).toBe('a stream without an end')
    expect(findFlaw({ ...whole(chunk({}) + done), broken: 'reset' }, true)).toBe('a whole stream broken off')
  })

  test('an answer without a request id', () => {
    expect(findFlaw({ ...whole('{}'), headers: {} }, false)).toBe('200 without a request id')
  })
})
