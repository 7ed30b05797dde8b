import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import { anthropicMessages } from '../anthropic-messages/codec.ts'
import { NOT_SUPPORTED } from '../chat/failure.ts'
import { geminiGenerate } from '../gemini-generate/codec.ts'

const target = testTarget('http://127.0.0.1:1')
const plain: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }

describe.each([
  ['anthropic-messages', anthropicMessages],
  ['gemini-generate', geminiGenerate],
])('at a provider of %s', (_, codec) => {
  test.each([
    ['functions', { functions: [{ name: 'look' }] }],
    ['function_call', { function_call: { name: 'look' } }],
    ['web_search_options', { web_search_options: {} }],
    ['audio', { audio: { voice: 'alloy', format: 'wav' } }],
    ['modalities', { modalities: ['text', 'audio'] }],
  ])('a chat request with %s is refused', (param, fields) => {
    expect(() => codec.chatRequest({ ...plain, ...fields }, target)).toThrow(
      expect.objectContaining({ code: NOT_SUPPORTED, param }),
    )
  })

  test('values that ask for nothing are omitted', () => {
    const fields = { functions: [], function_call: 'auto', modalities: ['text'], audio: null }
    expect(codec.chatRequest({ ...plain, ...fields }, target)).toEqual(codec.chatRequest(plain, target))
  })
})
