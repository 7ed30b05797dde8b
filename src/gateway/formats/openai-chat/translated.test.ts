import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import type { Quirks } from '../chat/codec-types.ts'
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
