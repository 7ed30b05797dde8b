import { describe, expect, test } from 'vitest'
import { testChunk, testTarget } from '../../upstream/testing/test-upstream.ts'
import { UpstreamFailure } from '../chat/failure.ts'
import { getText, joinReasoning, listChunks } from '../testing/replay.ts'
import { openaiChat } from './codec.ts'

const target = testTarget('http://127.0.0.1:1/v1')
const defaults = { id: 'chatcmpl-ours', created: 1, model: 'acme-large' }
const thinking = (text: string) => ({ type: 'thinking', thinking: [{ type: 'text', text }] })
const text = (value: string) => ({ type: 'text', text: value })

function getMessage(message: object) {
  const answer = openaiChat.plainAnswer({ choices: [{ index: 0, message }] }, target, defaults)
  if (answer instanceof UpstreamFailure) throw answer
  return answer.completion.choices[0]?.message
}

function stream(...deltas: object[]) {
  const parser = openaiChat.streamParser(target, defaults)
  return deltas.flatMap((delta) =>
    parser.event({ type: 'event', event: null, data: JSON.stringify(testChunk({ ...delta })) }),
  )
}

describe('content in parts', () => {
  test('is joined in a plain answer, with reasoning separate', () => {
    expect(
      getMessage({
        role: 'assistant',
        content: [thinking('Let me '), thinking('see. '), text('It is '), text('42.')],
      }),
    ).toEqual({ role: 'assistant', content: 'It is 42.', reasoning_content: 'Let me see. ', refusal: null })
  })

  test('is joined in a stream, with reasoning separate', () => {
    const events = stream(
      { role: 'assistant', content: '' },
      { content: [thinking('Let me see.')] },
      { content: [text('The answer ')] },
      { content: [thinking(' Right.'), text('is 42.')] },
      { content: ' Done.' },
    )
    expect(getText(events)).toBe('The answer is 42. Done.')
    expect(joinReasoning(events)).toBe('Let me see. Right.')
    expect(listChunks(events)[1]?.choices[0]?.delta).toEqual({ reasoning_content: 'Let me see.' })
  })

  test('of reasoning only is no text', () => {
    expect(getMessage({ content: [thinking('Hm.')] })).toEqual({
      role: 'assistant',
      content: null,
      reasoning_content: 'Hm.',
      refusal: null,
    })
  })

  test('keeps parts without a counterpart', () => {
    const reference = { type: 'reference', reference_ids: [1, 2] }
    const image = { type: 'image_url', image_url: { url: 'https://example.org/a.png' } }
    expect(getMessage({ content: [text('See '), reference, image] })).toMatchObject({
      content: 'See ',
      content_parts: [reference, image],
    })
    expect(listChunks(stream({ content: [reference] }))[0]?.choices[0]?.delta).toEqual({
      content_parts: [reference],
    })
  })
})

describe('a text field that is not a string', () => {
  test.each([
    [{ content: 5 }, { content: '5' }],
    [{ content: { text: 'Hi' } }, { content: 'Hi' }],
    [{ content: { a: [1] } }, { content: '{"a":[1]}' }],
    [{ content: ['a', 'b'] }, { content: 'ab' }],
    [
      { content: 'a', reasoning_content: { text: 'Hm' } },
      { content: 'a', reasoning_content: 'Hm' },
    ],
    [
      { content: 'a', reasoning_content: [text('H'), text('m')] },
      { content: 'a', reasoning_content: 'Hm' },
    ],
    [
      { content: 'a', refusal: ['No'] },
      { content: 'a', refusal: 'No' },
    ],
  ])('%j is converted, plain and streamed', (value, expected) => {
    expect(getMessage(value)).toEqual({ role: 'assistant', refusal: null, ...expected })
    expect(listChunks(stream(value))[0]?.choices[0]?.delta).toEqual(expected)
  })

  test('is unchanged where it is a string or null', () => {
    const message = { role: 'assistant', content: null, refusal: null, reasoning_content: '' }
    expect(getMessage(message)).toEqual(message)
    const [event] = stream(message)
    expect(event).toMatchObject({ raw: JSON.stringify(testChunk(message)) })
  })
})
