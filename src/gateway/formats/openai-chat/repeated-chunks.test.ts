import { expect, it } from 'vitest'
import { testChunk, testTarget } from '../../upstream/testing/test-upstream.ts'
import type { ChatEvent } from '../chat/events.ts'
import { ChatStreamWriter } from './client/codec.ts'
import { OpenAiChatStream } from './codec.ts'

const target = testTarget('http://127.0.0.1:1')
const first = JSON.stringify(testChunk({ content: 'Hello' }))
const event = (data: string) => ({ type: 'event' as const, event: null, data })

/** The last event for these payloads, and the one of a stream that has only the last. */
function readLast(...payloads: string[]): [ChatEvent[], ChatEvent[]] {
  const stream = new OpenAiChatStream(target)
  const events = payloads.map((data) => stream.event(event(data)))
  return [events.at(-1) ?? [], new OpenAiChatStream(target).event(event(payloads.at(-1) ?? ''))]
}

const texts = [
  'a',
  '',
  'content',
  '\\n\\t\\"\\\\',
  '\\u00e9',
  '\\ud83d',
  '東京 🚆',
  '\u007f',
  '"',
  '\\x',
  '\\',
  'a\tb',
]
const texts2 = ['a","role":"assistant', 'a"},"b":{"c":"d', 'a"}']

it.each([...texts, ...texts2])('a chunk with another text is read as if it came alone: %j', (text) => {
  const [repeated, alone] = readLast(first, first.replace('Hello', 'more'), first.replace('Hello', text))
  expect(strip(repeated)).toEqual(strip(alone))
})

function strip(events: ChatEvent[]): object[] {
  return events.map((each) => (each.type === 'chunk' ? { ...each, pieces: undefined } : each))
}

const padded = (content: string, obfuscation: string) =>
  JSON.stringify({ ...testChunk({ content }), usage: null, obfuscation })
const meta = (content: string, other: string) =>
  JSON.stringify({ meta: { content: other }, ...testChunk({ content }) })
const twice = (one: string, two: string) => first.replace('"Hello"', `"${one}","content":"${two}"`)

it.each<[string, string[]]>([
  ['with padding', [padded('a', 'xyz'), padded('b', ''), padded('c', '12345')]],
  ['that lost its padding', [padded('a', 'xyz'), padded('b', 'z'), padded('c', '').replace('"}', '')]],
  ['with the text in another member', [meta('a', 'a'), meta('b', 'b'), meta('c', 'd')]],
  ['with another text in that member', [meta('a', 'a'), meta('a', 'b'), meta('a', 'c')]],
  ['that has the member twice', [twice('a', 'a'), twice('b', 'a'), twice('c', 'a')]],
  ['that ends before its text', [first, first, first.slice(0, first.indexOf('Hello'))]],
  ['that ends in its text', [first, first, first.slice(0, first.indexOf('llo'))]],
  ['that goes on', [first, first, `${first}}`]],
  ['of reasoning', ['a', 'b', 'c'].map((text) => JSON.stringify(testChunk({ reasoning_content: text })))],
  ['of both', ['a', 'b'].map((text) => JSON.stringify(testChunk({ content: text, reasoning: text })))],
  ['with spaces', ['a', 'b'].map((content) => JSON.stringify(testChunk({ content }), null, 1))],
])('a chunk %s is read as if it came alone', (_, payloads) => {
  const [repeated, alone] = readLast(...payloads)
  expect(strip(repeated)).toEqual(strip(alone))
})

it('chunks with padding are recognized as repeated', () => {
  const [events] = readLast(padded('a', 'xyz'), padded('b', 'z'), padded('c', '12345'))
  expect(events).toMatchObject([{ type: 'chunk', pieces: { texts: ['c', '12345'] } }])
})

it.each([true, false])('repeated chunks are written as any other; usage wanted: %j', (wantsUsage) => {
  const context = { requestId: 'req_1', model: 'ours', created: 5, body: {} }
  const writer = new ChatStreamWriter(context, wantsUsage)
  const stream = new OpenAiChatStream(target)
  const payloads = [first, first, ...texts.slice(0, 8).map((text) => first.replace('Hello', text))]
  for (const data of [...payloads, padded('a', 'x'), padded('b', 'yz'), padded('id', 'model')]) {
    for (const each of stream.event(event(data))) {
      if (each.type !== 'chunk') throw new Error(`not a chunk: ${each.type}`)
      const alone = new ChatStreamWriter(context, wantsUsage).chunk(each.chunk, each.raw)
      expect(writer.chunk(each.chunk, each.raw, each.pieces)).toBe(alone)
    }
  }
})
