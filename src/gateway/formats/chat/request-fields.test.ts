import { describe, expect, test } from 'vitest'
import { ChatRequest } from '../../../shared/formats/chat.ts'
import { sandboxAdapter } from '../../sandbox/adapter.ts'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import { anthropicMessages } from '../anthropic-messages/codec.ts'
import { geminiGenerate } from '../gemini-generate/codec.ts'
import { parseJson } from '../json/json.ts'
import { openaiChat } from '../openai-chat/codec.ts'
import { UpstreamFailure } from './failure.ts'

const user = { role: 'user', content: 'Hi' }
const target = testTarget('http://127.0.0.1:1', { upstreamModel: 'sandbox-large' })
const asked = (fields: object) => ChatRequest.parse({ model: 'm', messages: [user], ...fields })
const part = (inner: object) => ({ messages: [{ role: 'user', content: [inner] }] })
const image = (detail: unknown) =>
  part({ type: 'image_url', image_url: { url: 'https://x.example/a.png', detail } })

const unknown: [param: string, fields: object][] = [
  ['messages[0].content[0].type', part({ type: 'video_url', video_url: { url: 'https://x.example/a.mp4' } })],
  ['messages[0].content[0].type', part({ type: 'thinking', thinking: 'a user does not think' })],
  ['messages[0].content[0].image_url.detail', image('best')],
  ['tools[0].type', { tools: [{ type: 'browser_search' }] }],
  ['tools[0].type', { tools: [{ type: 'openrouter:web_search', parameters: { max_results: 3 } }] }],
  ['tool_choice', { tool_choice: 'any' }],
  ['tool_choice.type', { tool_choice: { type: 'builtin_function' } }],
  ['response_format.type', { response_format: { type: 'grammar', grammar: 'root ::= "a"' } }],
]

describe('a vendor-specific type', () => {
  test.each(unknown)('goes to a provider of the same format unchanged: %s', (_, fields) => {
    expect(parseJson(openaiChat.chatRequest(asked(fields), target).body)).toMatchObject(fields)
  })

  test.each(unknown)('is a 400 that names it for every other format: %s', async (param, fields) => {
    const refusal = { status: 400, code: 'not_supported_by_provider', param }
    for (const codec of [anthropicMessages, geminiGenerate])
      expect(() => codec.chatRequest(asked(fields), target)).toThrow(expect.objectContaining(refusal))
    const { signal } = new AbortController()
    const sandbox = sandboxAdapter.send({ target, request: asked(fields), signal })
    await expect(sandbox).rejects.toMatchObject(refusal)
    await expect(sandbox).rejects.toBeInstanceOf(UpstreamFailure)
  })

  test('is truncated in the error', () => {
    const request = asked({ tools: [{ type: 'x'.repeat(10_000) }] })
    expect(() => anthropicMessages.chatRequest(request, target)).toThrow(
      `This provider has no tool type "${'x'.repeat(40)}…": use one of function, custom.`,
    )
  })

  test('is an unknown image detail: other formats get the image without it', () => {
    for (const detail of ['low', 'high', 'auto', 'original', null])
      expect(anthropicMessages.chatRequest(asked(image(detail)), target).body).toContain(
        'https://x.example/a.png',
      )
  })
})

describe('reasoning in the history', () => {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Let me see.' }] }
  const history = {
    messages: [user, { role: 'assistant', content: [thinking, { type: 'text', text: 'It is 42.' }] }, user],
  }

  test('is sent unchanged to a provider of the same format', () => {
    expect(parseJson(openaiChat.chatRequest(asked(history), target).body)).toMatchObject(history)
  })

  test('is omitted for other formats, along with turns that have nothing else', () => {
    for (const codec of [anthropicMessages, geminiGenerate]) {
      const { body } = codec.chatRequest(asked(history), target)
      expect(body).toContain('It is 42.')
      expect(body).not.toContain('Let me see.')
    }
    const onlyThinking = { messages: [user, { role: 'assistant', content: [thinking] }, user] }
    expect(parseJson(anthropicMessages.chatRequest(asked(onlyThinking), target).body)).toMatchObject({
      messages: [{ role: 'user', content: [{ text: 'Hi' }, { text: 'Hi' }] }],
    })
  })
})

describe('numbers', () => {
  test('of a seed are limited to 64 bits, or to the target’s format', () => {
    const seedTo = (codec: typeof openaiChat, seed: number) => codec.chatRequest(asked({ seed }), target).body
    for (const seed of [2 ** 63, -(2 ** 63), 2 ** 53 + 2, 7]) {
      const sent = BigInt(/"seed":(-?\d+)/.exec(seedTo(openaiChat, seed))?.[1] ?? 'none')
      expect(BigInt.asIntN(64, sent)).toBe(sent)
      const narrow = BigInt(/"seed":(-?\d+)/.exec(seedTo(geminiGenerate, seed))?.[1] ?? 'none')
      expect(BigInt.asIntN(32, narrow)).toBe(narrow)
    }
    expect(seedTo(openaiChat, 7)).toContain('"seed":7')
    expect(seedTo(geminiGenerate, -7)).toContain('"seed":-7')
    for (const seed of [1.5, 2 ** 64, '7'])
      expect(ChatRequest.safeParse({ model: 'm', messages: [user], seed }).success).toBe(false)
  })
})

describe('a turn of 400,000 parts', () => {
  test('is translated like any other', () => {
    const content = Array.from({ length: 400_000 }, () => ({ type: 'text', text: 'x' }))
    const request = asked({ messages: [user, { role: 'user', content }] })
    for (const codec of [anthropicMessages, geminiGenerate])
      expect(codec.chatRequest(request, target).body.length).toBeGreaterThan(4_000_000)
  })
})
