import type { default as OpenAI } from 'openai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { sandboxAdapter } from '../../sandbox/adapter.ts'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import { anthropicMessages } from '../anthropic-messages/codec.ts'
import type { Quirks } from '../chat/codec-types.ts'
import { UpstreamFailure } from '../chat/failure.ts'
import { geminiGenerate } from '../gemini-generate/codec.ts'
import { openaiResponses } from '../openai-responses/codec.ts'
import { Replay, replayDefaults } from '../testing/replay.ts'
import { adaptTranslated } from './request.ts'

const hello: ChatRequest['messages'] = [{ role: 'user', content: 'Hi' }]

function adapt(request: Partial<ChatRequest>, quirks: Quirks = {}, reasons = true): ChatRequest {
  const model = { reasons, outputTokens: 1000 }
  return adaptTranslated({ model: 'x', messages: hello, ...request }, quirks, model)
}

const text = (value: string) => ({ type: 'text' as const, text: value })
const mark = { cache_control: { type: 'ephemeral' } }

describe('a translated request', () => {
  test('asks for no more output than the model has', () => {
    expect(adapt({ max_completion_tokens: 128_000 }).max_completion_tokens).toBe(1000)
    expect(adapt({ max_completion_tokens: 10 }).max_completion_tokens).toBe(10)
    expect(adapt({})).toEqual({ model: 'x', messages: hello })
  })

  test('has Anthropic’s cache control only where the vendor uses it', () => {
    const image = { type: 'image_url' as const, image_url: { url: 'https://x.example/a.png' } }
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
    const tool = { type: 'function' as const, function: { name: 'f' } }
    const marked: Partial<ChatRequest> = {
      messages: [
        { role: 'system', content: [text('One.'), { ...text('Two.'), ...mark }] },
        {
          role: 'user',
          content: [
            { ...text('See:'), ...mark },
            { ...image, ...mark },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [{ ...call, ...mark }] },
        { role: 'tool', tool_call_id: 'a', content: 'sunny', ...mark },
      ],
      tools: [{ ...tool, ...mark }],
    }
    expect(adapt(marked)).toEqual({
      model: 'x',
      messages: [
        { role: 'system', content: 'One.\nTwo.' },
        { role: 'user', content: [text('See:'), image] },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'a', content: 'sunny' },
      ],
      tools: [tool],
    })
    expect(adapt(marked, { cacheControl: true, openaiOwned: true })).toEqual({ model: 'x', ...marked })
  })

  test('has its instructions at the start, and later ones in user messages', () => {
    const messages: ChatRequest['messages'] = [
      { role: 'system', content: 'One.' },
      { role: 'developer', content: [text('Two.'), text('Three.')] },
      ...hello,
      { role: 'system', content: 'Four.' },
    ]
    expect(adapt({ messages }).messages).toEqual([
      { role: 'system', content: 'One.\n\nTwo.\nThree.' },
      ...hello,
      { role: 'user', content: '<system>\nFour.\n</system>' },
    ])
    expect(adapt({ messages }, { openaiOwned: true }).messages.map(({ role }) => role)).toEqual([
      'system',
      'developer',
      'user',
      'system',
    ])
  })

  test('has no reasoning of other vendors for OpenAI', () => {
    const messages: ChatRequest['messages'] = [
      { role: 'assistant', content: 'Hello.', reasoning_content: 'Hm.' },
      ...hello,
    ]
    expect(adapt({ messages }).messages[0]).toHaveProperty('reasoning_content')
    expect(adapt({ messages }, { openaiOwned: true }).messages[0]).not.toHaveProperty('reasoning_content')
  })

  const cases: [string, Quirks, boolean, string | undefined][] = [
    ['high', {}, true, 'high'],
    ['max', {}, true, 'high'],
    ['none', {}, true, undefined],
    ['none', { reasoningOffByDefault: true }, true, 'none'],
    ['max', { efforts: ['low', 'xhigh'] }, true, 'xhigh'],
    ['high', { thinking: 'none' }, true, undefined],
    ['high', {}, false, undefined],
    ['unknown', {}, true, 'unknown'],
  ]
  test.each(cases)(
    'with the effort %s to %j, which reasons: %s, has %s',
    (effort, quirks, reasons, expected) => {
      expect(adapt({ reasoning_effort: effort }, quirks, reasons).reasoning_effort).toBe(expected)
    },
  )
})

type Required = Pick<OpenAI.ChatCompletion.Choice, 'index' | 'finish_reason' | 'logprobs'>

const Token = z.object({ token: z.string(), bytes: z.array(z.int()).nullable(), logprob: z.number() })
const Logprob = Token.extend({ top_logprobs: z.array(Token) })

/** The members of a choice that OpenAI's schema requires, null or not. */
const Choice = z.looseObject({
  index: z.int(),
  finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter']),
  logprobs: z.looseObject({ content: z.array(Logprob), refusal: z.null() }).nullable(),
  message: z.looseObject({
    role: z.literal('assistant'),
    content: z.string().nullable(),
    refusal: z.string().nullable(),
  }),
})
const required: (choice: unknown) => Required = (choice) => Choice.parse(choice)

describe('a translated answer has every field that OpenAI’s schema requires', () => {
  for (const [name, codec] of Object.entries({
    'openai-responses': openaiResponses,
    'anthropic-messages': anthropicMessages,
    'gemini-generate': geminiGenerate,
  })) {
    const replay = new Replay(codec, name)
    test.each(replay.names('plain'))(`${name}: %s`, (fixture) => {
      const answer = codec.plainAnswer(replay.json(fixture), testTarget('http://127.0.0.1:1'), replayDefaults)
      if (answer instanceof UpstreamFailure) expect(fixture).toBe('plain-malformed-call')
      else expect(answer.completion.choices.map(required)).toHaveLength(1)
    })
  }

  test('sandbox: text and calls', async () => {
    const target = testTarget('', { apiFormat: 'sandbox', upstreamModel: 'sandbox-small' })
    const tools = [{ type: 'function' as const, function: { name: 'look' } }]
    for (const more of [{}, { tools, tool_choice: 'required' }]) {
      const request = {
        model: 'sandbox-small',
        messages: [{ role: 'user' as const, content: 'Hi' }],
        ...more,
      }
      const { signal } = new AbortController()
      const answer = await sandboxAdapter.send({ target, request, signal })
      expect(answer.kind === 'plain' && answer.completion.choices.map(required)).toHaveLength(1)
    }
  })
})
