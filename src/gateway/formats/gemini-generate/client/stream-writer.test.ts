import { describe, expect, test } from 'vitest'
import type { ErrorBody } from '../../../../shared/api/errors.ts'
import type { ChatChunk, ChunkChoice } from '../../../../shared/formats/chat-completion.ts'
import { geminiClient } from './codec.ts'
import { context, listParts, usage, withThoughts } from './testing/answer.ts'

const chunk = (delta: ChunkChoice['delta'], finish: string | null = null, index = 0): ChatChunk => ({
  id: 'x',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'x',
  choices: [{ index, delta, finish_reason: finish }],
})

const chunks = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ reasoning_content: 'Hm' }),
  chunk({ content: 'Hel' }),
  chunk({ content: 'lo' }),
  chunk({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"n"' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
  chunk({ tool_calls: [{ index: 1, id: 'b', function: { name: 'f', arguments: '{}' } }] }),
  chunk({}, 'tool_calls'),
]

const write = (body?: object, written = chunks) => {
  const writer = geminiClient.streamWriter(context(body))
  return written.map((each) => writer.chunk(each, null)).join('') + writer.end(usage)
}

const listEvents = (text: string) =>
  text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.replace(/^data: /, '')))

describe('a stream', () => {
  test('has texts as they come, and calls, finish reason, usage and cost in its last event', () => {
    const events = listEvents(write(withThoughts))
    expect(events.map(listParts)).toEqual([
      [{ text: 'Hm', thought: true }],
      [{ text: 'Hel' }],
      [{ text: 'lo' }],
      [
        { functionCall: { id: 'a', name: 'f', args: { n: 1 } } },
        { functionCall: { id: 'b', name: 'f', args: {} } },
      ],
    ])
    expect(events.at(-1)).toMatchObject({
      candidates: [{ finishReason: 'STOP', index: 0 }],
      usageMetadata: { candidatesTokenCount: 150, cost: 0.003 },
      modelVersion: 'acme-large',
      responseId: 'req_1',
    })
    for (const event of events.slice(0, -1)) expect(event.candidates[0].finishReason).toBeUndefined()
  })

  test('without alt=sse is one JSON array of the same', () => {
    const text = write({ ...withThoughts, sse: false })
    expect(JSON.parse(text)).toEqual(listEvents(write(withThoughts)))
  })

  test('with several candidates ends each of them', () => {
    const written = [chunk({ content: 'b' }, 'length', 1), chunk({ content: 'a' }, 'stop', 0)]
    expect(listEvents(write({}, written)).at(-1)).toMatchObject({
      candidates: [
        { index: 0, finishReason: 'STOP' },
        { index: 1, finishReason: 'MAX_TOKENS' },
      ],
    })
  })

  const error: ErrorBody = { type: 'insufficient_quota', message: 'The key is at its cap.', code: 'key_cap' }
  test('that fails ends with the error', () => {
    const events = [true, false].map((sse) => {
      const writer = geminiClient.streamWriter(context({ sse }))
      const text = writer.chunk(chunk({ content: 'Hi' }), null) + writer.fail(error, 402)
      return sse ? listEvents(text) : JSON.parse(text)
    })
    expect(events[1]).toEqual(events[0])
    expect(events[0].at(-1)).toMatchObject({
      error: { code: 402, message: 'The key is at its cap.', status: 'FAILED_PRECONDITION' },
    })
  })

  test('that fails immediately is an array, too', () => {
    expect(JSON.parse(geminiClient.streamWriter(context({ sse: false })).fail(error, 503))).toMatchObject([
      { error: { code: 503, status: 'UNAVAILABLE' } },
    ])
  })
})
