import { describe, expect, test } from 'vitest'
import type { ChatChunk, ChunkChoice } from '../../../shared/formats/chat-completion.ts'
import type { ChatEvent } from './events.ts'
import { StreamNormalizer } from './normalize.ts'

const fallback = { id: 'chatcmpl-ours', created: 7, model: 'ours' }

function chunk(
  delta: ChunkChoice['delta'],
  finish: string | null = null,
  over: Partial<ChatChunk> = {},
): ChatEvent {
  const made: ChatChunk = {
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...over,
  }
  return { type: 'chunk', chunk: made, raw: JSON.stringify(made) }
}

function run(...events: ChatEvent[]): ChatEvent[] {
  const normalizer = new StreamNormalizer(fallback)
  return events.flatMap((event) => normalizer.next(event))
}

function choices(events: ChatEvent[]): ChunkChoice[] {
  return events.flatMap((event) => (event.type === 'chunk' ? event.chunk.choices : []))
}

const calls = (events: ChatEvent[]) => choices(events).flatMap((choice) => choice.delta.tool_calls ?? [])
const done: ChatEvent = { type: 'done' }

describe('StreamNormalizer', () => {
  test('forwards a well-formed stream unchanged, raw bytes included', () => {
    const stream = [
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'a' }),
      chunk({
        tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
      chunk({}, 'tool_calls'),
      done,
    ]
    const out = run(...stream)
    expect(out).toHaveLength(stream.length)
    for (const [at, event] of out.entries()) expect(event).toBe(stream[at])
  })

  test('adds the role to the first delta of every choice', () => {
    const second = { index: 1, delta: { content: 'b' }, finish_reason: null }
    const out = run(chunk({ content: 'a' }), chunk({}, null, { choices: [second] }), chunk({ content: 'c' }))
    expect(choices(out).map(({ delta }) => delta.role)).toEqual(['assistant', 'assistant', undefined])
    expect(out.map((event) => event.type === 'chunk' && event.raw !== null)).toEqual([false, false, true])
  })

  test('keeps one id, created and model throughout', () => {
    const out = run(
      chunk({ role: 'assistant' }),
      chunk({ content: 'a' }, null, { id: 'c2', created: 2, model: 'x' }),
    )
    expect(out).toMatchObject([
      { chunk: { id: 'c1' } },
      { raw: null, chunk: { id: 'c1', created: 1, model: 'm' } },
    ])
  })

  test('fills in a missing id, created and model', () => {
    const out = run(chunk({ role: 'assistant' }, null, { id: '', created: 0, model: '' }))
    expect(out).toMatchObject([{ chunk: fallback }])
  })

  test('drops a first chunk without choices', () => {
    const opening = chunk({}, null, { choices: [], id: '' })
    expect(run(opening, chunk({ role: 'assistant' }))).toHaveLength(1)
  })

  test('assigns separate indexes to parallel calls that share one', () => {
    const call = (id: string, name: string) => ({ index: 0, id, function: { name, arguments: '{}' } })
    const out = run(
      chunk({ tool_calls: [call('a', 'f')] }),
      chunk({ tool_calls: [call('b', 'f')] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: ' ' } }] }),
      chunk({}, 'tool_calls'),
    )
    expect(calls(out).map(({ index, id, type }) => [index, id, type])).toEqual([
      [0, 'a', 'function'],
      [1, 'b', 'function'],
      [1, undefined, undefined],
    ])
  })

  test('distinguishes calls without ids by name, and gives them ids', () => {
    const out = run(
      chunk({ tool_calls: [{ index: 0, function: { name: 'f', arguments: '{}' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { name: 'g', arguments: '{}' } }] }),
    )
    expect(calls(out).map(({ index, id }) => [index, id])).toEqual([
      [0, 'call_0_0'],
      [1, 'call_0_1'],
    ])
  })

  test('continues a call whose server sends a new id with every delta', () => {
    const out = run(
      chunk({
        tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{' } }],
      }),
      chunk({ tool_calls: [{ index: 0, id: 'b', function: { arguments: '}' } }] }),
    )
    expect(calls(out).map(({ index }) => index)).toEqual([0, 0])
  })

  test('finishes choices that have no finish reason', () => {
    const out = run(chunk({ role: 'assistant', content: 'a' }), done)
    expect(out).toMatchObject([
      {},
      { chunk: { id: 'c1', choices: [{ index: 0, finish_reason: 'stop' }] } },
      { type: 'done' },
    ])
  })

  test('leaves a failed stream unfinished', () => {
    const out = run(chunk({ role: 'assistant', content: 'a' }))
    expect(choices(out).every(({ finish_reason }) => finish_reason === null)).toBe(true)
  })
})
