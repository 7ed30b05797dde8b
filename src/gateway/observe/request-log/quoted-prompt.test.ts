import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { quotationFilter } from './quoted-prompt.ts'

const ask = (content: string): ChatRequest => ({ model: 'm', messages: [{ role: 'user', content }] })
const withoutPrompt = (text: string, request: ChatRequest) => quotationFilter(request)(text)
const secret = 'The launch of project Heron is on the fourth of May'

describe('an error text of a provider', () => {
  it.each([
    ['all of a message', `Invalid content: "${secret}"`, secret],
    ['a part of it', 'Invalid content near "project Heron is on the"', secret],
    ['a short message', 'Cannot read "pwd1"', 'pwd1'],
    ['with other white space and escapes', 'Invalid: project\\n  Heron is "on" the fourth', secret],
    ['a tool result', 'bad result: the fourth of May, 2027', 'Sure. It is the fourth of May, 2027.'],
  ])('that quotes the prompt is not stored: %s', (_, text, prompt) => {
    expect(withoutPrompt(text, ask(prompt))).toMatch(/message is not stored/)
  })

  it.each([
    'max_tokens is too large: 500000. This model supports at most 8192 completion tokens.',
    'You exceeded your current quota, please check your plan and billing details.',
    'messages: text content blocks must be non-empty',
  ])('that does not is stored: %s', (text) => {
    expect(withoutPrompt(text, ask(secret))).toBe(text)
  })

  it('is not stored at all for a prompt that is too long to search', () => {
    expect(withoutPrompt('anything', ask('x'.repeat(2_000_000)))).toMatch(/message is not stored/)
  })
})
