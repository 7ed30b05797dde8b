import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SseReader } from '../../framing/sse.ts'
import { isObject, parseJson } from '../../json/json.ts'
import { anthropicMessagesClient } from './codec.ts'

const context = { requestId: 'req_1', model: 'acme', created: 1, body: { thinking: { type: 'adaptive' } } }
const ARGS = ['{"a":1}', '{"b":{"c":[2,"}"]}}', '{}']

/** Pieces of the arguments of three calls, of texts and of reasoning, in any order. */
const order = fc.array(
  fc.oneof(
    fc.record({ call: fc.nat(2), length: fc.integer({ min: 1, max: 9 }) }),
    fc.constantFrom({ text: 'x' }, { reasoning: 'y' }),
  ),
  { maxLength: 60 },
)

interface Block {
  type: unknown
  text: string
}

/** The blocks of a stream; throws unless each is closed before the next. */
function readBlocks(stream: string): Block[] {
  const sse = new SseReader()
  const blocks: Block[] = []
  let open = false
  for (const item of [...sse.read(Buffer.from(stream)), ...sse.end()]) {
    const event = item.type === 'event' ? parseJson(item.data) : null
    if (!isObject(event)) throw new Error('no event')
    if (event.type === 'content_block_start' && isObject(event.content_block)) {
      expect([open, event.index]).toEqual([false, blocks.length])
      open = true
      blocks.push({ type: event.content_block.type, text: '' })
    }
    const last = blocks.at(-1)
    if (event.type === 'content_block_delta' && isObject(event.delta) && last) {
      expect([open, event.index]).toEqual([true, blocks.length - 1])
      const { text, thinking, partial_json: json } = event.delta
      last.text += String(text ?? thinking ?? json ?? '')
    }
    if (event.type === 'content_block_stop') open = false
  }
  expect(open).toBe(false)
  return blocks
}

test('blocks follow one another and lose nothing, in whatever order the pieces come', () => {
  fc.assert(
    fc.property(order, (pieces) => {
      const writer = anthropicMessagesClient.streamWriter(context)
      const sent = [0, 0, 0]
      let stream = ''
      const write = (delta: object) => {
        const choices = [{ index: 0, delta: { ...delta }, finish_reason: null }]
        const chunk = { id: 'x', object: 'chat.completion.chunk' as const, created: 1, model: 'x', choices }
        stream += writer.chunk(chunk, null)
      }
      const send = (index: number, length: number) => {
        const from = sent[index] ?? 0
        const text = (ARGS[index] ?? '').slice(from, from + length)
        if (text === '') return
        const first = from === 0 && { id: `c${index}`, type: 'function' }
        write({ tool_calls: [{ index, ...first, function: { name: 'f', arguments: text } }] })
        sent[index] = from + text.length
      }
      for (const piece of pieces) {
        if ('call' in piece) send(piece.call, piece.length)
        else if ('text' in piece) write({ content: piece.text })
        else write({ reasoning_content: piece.reasoning })
      }
      for (const index of sent.keys()) if (sent[index]) send(index, 100)
      stream += writer.end({ prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 })
      const blocks = readBlocks(stream)
      const getText = (type: string) =>
        blocks.flatMap((block) => (block.type === type ? [block.text] : [])).toSorted()
      expect(getText('tool_use')).toEqual(ARGS.filter((_, index) => sent[index]).toSorted())
      expect(getText('text').join('')).toBe('x'.repeat(pieces.filter((piece) => 'text' in piece).length))
      expect(getText('thinking').join('')).toBe(
        'y'.repeat(pieces.filter((piece) => 'reasoning' in piece).length),
      )
    }),
    { numRuns: 300 },
  )
})
