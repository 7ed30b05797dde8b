import { describe, expect, test } from 'vitest'
import type { ApiFormat } from '../../../shared/api/providers.ts'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { findFamily } from './model-families.ts'
import { chooseFormat } from './targets.ts'

const both = { apiFormat: 'openai-chat', otherFormats: ['openai-responses'] as const } as const
const tools: ChatRequest['tools'] = [{ type: 'function', function: { name: 'look' } }]

function choose(
  model: string,
  request: Partial<ChatRequest>,
  endpoint: Parameters<typeof chooseFormat>[0] = both,
  clientFormat: ApiFormat | null = 'openai-chat',
) {
  const messages: ChatRequest['messages'] = [{ role: 'user', content: 'Hi' }]
  const wish = { request: { model, messages, ...request }, clientFormat }
  return chooseFormat(endpoint, findFamily(model)?.quirks ?? {}, wish).apiFormat
}

describe('a chat request to OpenAI', () => {
  test.each<[string, string, Partial<ChatRequest>]>([
    ['a newer model with functions', 'gpt-5.5', { tools }],
    ['an effort besides functions', 'gpt-6-sol', { tools, reasoning_effort: 'high' }],
    ['a model that chat completions lack', 'gpt-5.5-pro', {}],
    ['an older one of those', 'o3-pro', { n: 2 }],
  ])('with %s goes to the Responses API', (_, model, request) => {
    expect(choose(model, request)).toBe('openai-responses')
  })

  test.each<[string, string, Partial<ChatRequest>]>([
    ['without functions', 'gpt-5.5', {}],
    ['without reasoning', 'gpt-5.5', { tools, reasoning_effort: 'none' }],
    ['for several choices', 'gpt-5.5', { tools, n: 2 }],
    ['to a model that reasons with functions', 'gpt-5.1', { tools }],
    ['to a model that does not reason', 'gpt-4o', { tools }],
  ])('%s stays with chat completions', (_, model, request) => {
    expect(choose(model, request)).toBe('openai-chat')
  })
})

test('a provider whose base URL serves no other format is called in its own', () => {
  expect(choose('gpt-5.5', { tools }, { apiFormat: 'openai-chat', otherFormats: [] })).toBe('openai-chat')
})

test('a client gets its own format where the base URL serves it', () => {
  expect(choose('gpt-4o', {}, both, 'openai-responses')).toBe('openai-responses')
  expect(choose('gpt-4o', {}, both, 'gemini-generate')).toBe('openai-chat')
  expect(choose('gpt-4o', {}, both, null)).toBe('openai-chat')
})
