import { expect, it } from 'vitest'
import type { StoredChat } from '../../../shared/api/requests.ts'
import { storedBodies } from '../../testing/rows.ts'
import { readTranscript } from './transcript.ts'

const text = (words: string) => ({ type: 'text', text: words })
const readMessages = (...messages: StoredChat['request']['messages']) =>
  readTranscript(storedBodies({ messages }))?.messages
const readAnswer = (message: object) =>
  readTranscript(storedBodies({}, [{ role: 'assistant', content: null, ...message }]))?.answers[0]?.parts
const readPlain = (request: object, response: object | string | null) =>
  readTranscript({
    requestId: 'a',
    request: JSON.stringify(request),
    response: typeof response === 'string' ? response : JSON.stringify(response),
    chat: null,
  })

it('reads a chat with tools, images, files and reasoning', () => {
  const called = { id: 'c1', function: { name: 'weather', arguments: '{"city":"Bern"}' } }
  const bodies = storedBodies(
    {
      tools: [{ type: 'function', function: { name: 'weather' } }, { type: 'web_search' }],
      messages: [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Where is this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
            { type: 'file', file: { filename: 'map.pdf' } },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [called] },
        { role: 'tool', tool_call_id: 'c1', content: 'Sunny' },
        { role: 'tool', tool_call_id: 'c1', content: 'Error: no net' },
      ],
    },
    [{ role: 'assistant', content: 'In Bern.', reasoning_content: 'Hm.' }],
  )
  const result = { type: 'result', id: 'c1', name: 'weather' }
  expect(readTranscript(bodies)).toEqual({
    tools: ['weather', 'web_search'],
    messages: [
      { role: 'system', parts: [text('Be brief.')] },
      {
        role: 'user',
        parts: [
          text('Where is this?'),
          { type: 'image', source: 'data:image/png;base64,AA' },
          { type: 'other', name: 'file', detail: 'map.pdf' },
        ],
      },
      {
        role: 'assistant',
        parts: [{ type: 'call', id: 'c1', name: 'weather', input: '{\n  "city": "Bern"\n}' }],
      },
      { role: 'tool', parts: [{ ...result, text: 'Sunny', failed: false }] },
      { role: 'tool', parts: [{ ...result, text: 'Error: no net', failed: true }] },
    ],
    answers: [{ role: 'assistant', parts: [{ type: 'reasoning', text: 'Hm.' }, text('In Bern.')] }],
    error: null,
    complete: true,
  })
})

it('shows signed reasoning by its text, and as encrypted if it has none', () => {
  const answerWith = (data: object, format = 'anthropic-messages') =>
    readAnswer({ content: 'Hi', signed_reasoning: [{ format, data }] })
  expect(answerWith({ thinking: 'Hm' })).toEqual([{ type: 'reasoning', text: 'Hm' }, text('Hi')])
  const item = { summary: [{ type: 'summary_text', text: 'Hm' }] }
  expect(answerWith(item, 'openai-responses')).toEqual([{ type: 'reasoning', text: 'Hm' }, text('Hi')])
  expect(answerWith({ type: 'redacted_thinking', data: 'x' })).toEqual([
    { type: 'reasoning', text: '' },
    text('Hi'),
  ])
  expect(answerWith({ thoughtSignature: 'x' }, 'gemini-generate')).toEqual([text('Hi')])
})

it('names what a chat has no form for, and shows images and refusals', () => {
  expect(
    readAnswer({
      refusal: 'No.',
      images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }],
      content_parts: [{ type: 'web_search_call', action: { query: 'Bern' } }, { executableCode: {} }],
      tool_calls: [{ id: 'c1', type: 'custom', custom: { name: 'shell', input: 'ls' } }],
    }),
  ).toEqual([
    text('No.'),
    { type: 'call', id: 'c1', name: 'shell', input: 'ls' },
    { type: 'image', source: 'data:image/png;base64,AA' },
    { type: 'other', name: 'web_search_call', detail: 'Bern' },
    { type: 'other', name: 'executableCode', detail: '' },
  ])
  expect(readMessages({ role: 'function', name: 'time', content: null })).toEqual([
    { role: 'tool', parts: [{ type: 'result', id: '', name: 'time', text: '', failed: false }] },
  ])
})

it('reads the input and the output of what is no chat', () => {
  const vectors = { data: [{ embedding: [1] }, { embedding: [2] }] }
  expect(readPlain({ input: ['a', 'b', [1, 2]] }, vectors)).toMatchObject({
    messages: [{ role: 'user', parts: [text('a'), text('b'), { name: 'tokens', detail: '2' }] }],
    answers: [{ parts: [{ type: 'other', name: 'embedding', detail: '2 vectors' }] }],
  })
  const words = 'data: {"delta":"Be"}\n\ndata: {"delta":"rn"}'
  expect(readPlain({ input: 'In' }, words)?.answers[0]?.parts).toEqual([text('Bern')])
  const image = { data: [{ b64_json: 'AA' }] }
  expect(readPlain({ prompt: 'A cat' }, image)?.answers[0]?.parts).toEqual([
    { type: 'image', source: 'data:image/png;base64,AA' },
  ])
  expect(readPlain({ input: 'x' }, { error: { message: 'Too many requests.' } })).toMatchObject({
    answers: [],
    error: 'Too many requests.',
  })
})

it('has nothing to show for a form, or for a request without input or answer', () => {
  expect(readTranscript({ requestId: 'a', request: '--form\r\n', response: null, chat: null })).toBeNull()
  expect(readPlain({ messages: 3 }, null)).toBeNull()
})
