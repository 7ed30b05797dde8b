import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { hello, PIXEL, toolCall } from '../testing/replay.ts'
import { encode, replay } from './testing/encode.ts'

describe('a conversation', () => {
  test('puts the first instructions into systemInstruction and leaves later ones in their place', () => {
    const messages: ChatRequest['messages'] = [
      { role: 'system', content: 'One.' },
      { role: 'developer', content: 'Two.' },
      ...hello,
      { role: 'developer', content: 'Three.' },
    ]
    expect(encode({ messages })).toEqual({
      systemInstruction: { parts: [{ text: 'One.\nTwo.' }] },
      contents: [{ role: 'user', parts: [{ text: 'Hi' }, { text: '<system>\nThree.\n</system>' }] }],
    })
    expect(encode({ messages: messages.slice(0, 1) })).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'One.' }] }],
    })
  })

  test('names each result after its call and groups parallel ones', () => {
    const messages: ChatRequest['messages'] = [
      ...hello,
      {
        role: 'assistant',
        content: 'Both.',
        tool_calls: [toolCall('a', 'get_weather', '{"city":"Rom"}'), toolCall('b', 'get_time', '')],
      },
      { role: 'tool', tool_call_id: 'b', content: '{"time":"12:00"}' },
      { role: 'tool', tool_call_id: 'a', content: 'sunny' },
      { role: 'user', content: 'And?' },
    ]
    expect(encode({ messages }, { thinking: 'none' })).toEqual({
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        {
          role: 'model',
          parts: [
            { text: 'Both.' },
            { functionCall: { id: 'a', name: 'get_weather', args: { city: 'Rom' } } },
            { functionCall: { id: 'b', name: 'get_time', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'b', name: 'get_time', response: { time: '12:00' } } },
            { functionResponse: { id: 'a', name: 'get_weather', response: { result: 'sunny' } } },
            { text: 'And?' },
          ],
        },
      ],
    })
  })

  test('sends images as data or URLs, and audio', () => {
    const content: ChatRequest['messages'][number]['content'] = [
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
      { type: 'image_url', image_url: { url: 'https://example.org/a.JPG?x=1' } },
      { type: 'image_url', image_url: { url: 'https://example.org/a' } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    ]
    expect(encode({ messages: [{ role: 'user', content }] })).toMatchObject({
      contents: [
        {
          parts: [
            { inlineData: { mimeType: 'image/png', data: PIXEL } },
            { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.org/a.JPG?x=1' } },
            { fileData: { fileUri: 'https://example.org/a' } },
            { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
          ],
        },
      ],
    })
  })
})

describe('the signature of a call', () => {
  const history = (id: string, more = {}): ChatRequest['messages'] => [
    ...hello,
    { role: 'assistant', tool_calls: [toolCall(id, 'f', '{}', more), toolCall(`${id}-2`, 'f')] },
    { role: 'tool', tool_call_id: id, content: '1' },
    { role: 'tool', tool_call_id: `${id}-2`, content: '2' },
  ]
  const signed = (thoughtSignature: string) => ({
    contents: [{}, { parts: [{ functionCall: {}, thoughtSignature }, { functionCall: {} }] }, {}],
  })

  test('is taken from the client’s call', () => {
    const carried = { extra_content: { google: { thought_signature: 'c2ln' } } }
    expect(encode({ messages: history('a', carried) })).toMatchObject(signed('c2ln'))
  })

  test('is restored for a client that dropped it', () => {
    replay.stream('stream-tools')
    expect(encode({ messages: history('fc_9f2') })).toMatchObject(signed('CiQBveKPe1nQ0Yt4Ys6Yz5sQ0mVn'))
  })

  test('is replaced by a placeholder if it is unknown and the model requires one', () => {
    expect(encode({ messages: history('b') })).toMatchObject(signed('skip_thought_signature_validator'))
    expect(JSON.stringify(encode({ messages: history('b') }, { thinking: 'budget' }))).not.toContain(
      'Signature',
    )
  })
})
