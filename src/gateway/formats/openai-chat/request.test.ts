import { describe, expect, test } from 'vitest'
import { ChatRequest, outputLimit } from '../../../shared/formats/chat.ts'
import { findFamily } from '../../models/catalog/model-families.ts'
import { findKnownProvider } from '../../models/providers/known-providers.ts'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import { anthropicMessages } from '../anthropic-messages/codec.ts'
import { mergeQuirks, type Quirks, type Target } from '../chat/codec-types.ts'
import { NOT_SUPPORTED } from '../chat/failure.ts'
import { geminiGenerate } from '../gemini-generate/codec.ts'
import { parseJson } from '../json/json.ts'
import { openaiChat } from './codec.ts'

const messages = [{ role: 'user', content: 'Hi' }]

function sent(fields: object, over: Partial<Target> = {}): unknown {
  const request = ChatRequest.parse({ model: 'm', messages, ...fields })
  return parseJson(openaiChat.chatRequest(request, testTarget('http://127.0.0.1:1/v1', over)).body)
}

/** As the catalog makes the target of a provider's model. */
function sentTo(provider: string, model: string, fields: object, over: Partial<Target> = {}): unknown {
  const quirks = mergeQuirks(findKnownProvider(provider)?.quirks, findFamily(model)?.quirks)
  return sent(fields, { upstreamModel: model, quirks, ...over })
}

const older = { max_tokens: 9 }
const newer = { max_completion_tokens: 9 }
const both = { max_tokens: 100_000, max_completion_tokens: 9 }
const limits = (body: unknown) =>
  Object.fromEntries(Object.entries(body ?? {}).filter(([name]) => name.startsWith('max_')))

describe('the output limit', () => {
  test('prefers the newer field if both are given', () => {
    const limit = (fields: object) => outputLimit(ChatRequest.parse({ model: 'm', messages, ...fields }))
    expect([older, newer, both, {}, { max_tokens: null }].map(limit)).toEqual([9, 9, 9, null, null])
  })

  const reasoning = [
    'gpt-5',
    'gpt-5.5',
    'gpt-5-chat-latest',
    'gpt-6.1-sol',
    'o3',
    'o4-mini',
    'codex-mini-latest',
  ]
  type Row = [provider: string, model: string, ofOlder: object, ofNewer: object, ofBoth: object]
  const rows: Row[] = [
    ...reasoning.map((model): Row => ['openai', model, newer, newer, newer]),
    ['openai', 'a-model-to-come', newer, newer, newer],
    ['azure-of-mine', 'gpt-5.5', newer, newer, newer],
    ['openrouter', 'openai/gpt-5', newer, newer, newer],
    ...['gpt-3.5-turbo', 'gpt-4', 'gpt-4o', 'gpt-4.1', 'chatgpt-4o-latest', 'ft:gpt-4o-mini:acme'].map(
      (model): Row => ['openai', model, older, newer, newer],
    ),
    ['groq', 'openai/gpt-oss-120b', older, newer, newer],
    ...['mistral', 'deepseek', 'together', 'ollama', 'lmstudio', 'llamacpp', 'vllm'].map(
      (provider): Row => [provider, 'any-model', older, older, older],
    ),
    ['my-own-server', 'any-model', older, older, older],
  ]
  test.each(rows)('goes to %s %s under the names it knows', (provider, model, ofOlder, ofNewer, ofBoth) => {
    expect(limits(sentTo(provider, model, older))).toEqual(ofOlder)
    expect(limits(sentTo(provider, model, newer))).toEqual(ofNewer)
    expect(limits(sentTo(provider, model, both))).toEqual(ofBoth)
    expect(limits(sentTo(provider, model, {}))).toEqual({})
  })

  test.each([
    ['openai', 'gpt-5', newer],
    ['openai', 'gpt-4o', newer],
    ['mistral', 'any-model', older],
    ['my-own-server', 'any-model', older],
  ])('set by the gateway is sent to %s %s if the client sets none', (provider, model, expected) => {
    const capped = { enforcedOutputTokens: 9 }
    expect(limits(sentTo(provider, model, {}, capped))).toEqual(expected)
    expect(limits(sentTo(provider, model, { max_tokens: null }, capped))).toEqual(expected)
    expect(Object.values(limits(sentTo(provider, model, { max_tokens: 5 }, capped)))).toEqual([5])
  })
})

describe('sampling', () => {
  const sampling = { temperature: 0.2, top_p: 0.9, logprobs: true, top_logprobs: 2, stop: ['x'] }
  const penalties = { presence_penalty: 1, frequency_penalty: 1, logit_bias: { 1: 1 } }
  const encoded = (model: string, effort?: string | null) => {
    const fields = {
      ...sampling,
      ...penalties,
      seed: 1,
      ...(effort !== undefined && { reasoning_effort: effort }),
    }
    const { messages: _, model: __, reasoning_effort: ___, ...rest } = Object(sentTo('openai', model, fields))
    return rest
  }

  test.each(['gpt-5', 'gpt-5-mini', 'o3', 'o4-mini', 'codex-mini-latest'])(
    'is omitted for %s, which always reasons',
    (model) => {
      expect(encoded(model)).toEqual({ seed: 1 })
      expect(encoded(model, 'none')).toEqual({ seed: 1 })
    },
  )

  test.each(['gpt-5.5', 'gpt-5.6-luna', 'gpt-6-sol', 'gpt-5.2-pro'])(
    'is omitted for %s unless reasoning is disabled',
    (model) => {
      expect(encoded(model)).toEqual({ seed: 1 })
      expect(encoded(model, 'low')).toEqual({ seed: 1 })
      expect(encoded(model, 'none')).toEqual({ seed: 1, ...sampling })
    },
  )

  test.each(['gpt-5.1', 'gpt-5.2-2025-12-11', 'gpt-5.4-mini'])(
    'is omitted for %s only if reasoning is requested',
    (model) => {
      expect(encoded(model)).toEqual({ seed: 1, ...sampling })
      expect(encoded(model, null)).toEqual({ seed: 1, ...sampling })
      expect(encoded(model, 'high')).toEqual({ seed: 1 })
    },
  )

  test.each(['gpt-4o', 'gpt-5-chat-latest', 'gpt-oss-120b', 'some-model'])('stays for %s', (model) => {
    expect(encoded(model)).toEqual({ seed: 1, ...sampling, ...penalties })
  })
})

describe('functions', () => {
  const tools = [{ type: 'function', function: { name: 'look' } }]
  const effort = (model: string, fields: object, provider = 'openai') =>
    Object(sentTo(provider, model, fields)).reasoning_effort

  test.each(['gpt-5.5', 'gpt-5.6-luna', 'gpt-6-sol', 'gpt-6.1-terra'])(
    'disables reasoning for %s, which otherwise rejects them, if the client sets no effort',
    (model) => {
      expect(effort(model, { tools })).toBe('none')
      expect(effort(model, { tools, reasoning_effort: null }, 'azure-of-mine')).toBe('none')
      expect(sentTo('openai', model, { tools, temperature: 0.2 })).toMatchObject({ temperature: 0.2 })
    },
  )

  test('changes nothing without functions or with an explicit effort', () => {
    expect(effort('gpt-6-sol', { tools, reasoning_effort: 'high' })).toBe('high')
    expect(effort('gpt-6-sol', {})).toBeUndefined()
    expect(effort('gpt-6-sol', { tools: [{ type: 'custom', custom: { name: 'x' } }] })).toBeUndefined()
  })

  test.each(['gpt-5', 'gpt-5.4', 'gpt-5.5-pro', 'gpt-5.6-codex', 'gpt-4o', 'o3', 'some-model'])(
    'leave %s as it is',
    (model) => expect(effort(model, { tools })).toBeUndefined(),
  )

  test('does not disable it at a vendor that supports both', () => {
    expect(effort('openai/gpt-6-sol', { tools }, 'openrouter')).toBeUndefined()
  })
})

describe('a history', () => {
  test('is sent to Mistral without fields that it allows in answers only', () => {
    const assistant = { role: 'assistant', content: 'Hi', reasoning_content: 'Hm', refusal: null }
    const history = [...messages, assistant, ...messages]
    expect(sentTo('mistral', 'mistral-small-latest', { messages: history })).toMatchObject({
      messages: [...messages, { role: 'assistant', content: 'Hi' }, ...messages],
    })
    expect(JSON.stringify(sentTo('mistral', 'm', { messages: history }))).not.toContain('reasoning_content')
    expect(sentTo('deepseek', 'm', { messages: history })).toMatchObject({ messages: history })
  })
})

describe('quirks', () => {
  test('drops and renames fields', () => {
    const quirks: Quirks = { dropFields: ['user'], renameFields: { seed: 'random_seed' }, noN: true }
    expect(sent({ user: 'u', seed: 9, n: 1 }, { quirks })).toEqual({
      model: 'acme-large',
      messages,
      random_seed: 9,
    })
  })
})

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
