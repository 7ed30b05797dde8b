import { describe, expect, test } from 'vitest'
import { testChunk, testTarget } from '../../upstream/testing/test-upstream.ts'
import { anthropicMessages } from '../anthropic-messages/codec.ts'
import { geminiGenerate } from '../gemini-generate/codec.ts'
import { openaiChat } from '../openai-chat/codec.ts'
import { getUsage, replayDefaults } from '../testing/replay.ts'
import type { FormatCodec } from './codec-types.ts'
import type { ChatEvent } from './events.ts'

const openaiChunk = (usage: unknown) => ({ ...testChunk({ content: 'a' }), usage })
const geminiPiece = (usageMetadata: unknown) => ({
  candidates: [{ content: { parts: [{ text: 'a' }] } }],
  usageMetadata,
})

function events(codec: FormatCodec, ...data: unknown[]): ChatEvent[] {
  const parser = codec.streamParser(testTarget('http://127.0.0.1:1'), replayDefaults)
  return data.flatMap((value) => parser.event({ type: 'event', event: null, data: JSON.stringify(value) }))
}

const last = (codec: FormatCodec, ...data: unknown[]) => getUsage(events(codec, ...data))?.buckets ?? null

describe('a stream of the chat-completions format', () => {
  const good = { prompt_tokens: 8, completion_tokens: 7, total_tokens: 15 }

  test.each([
    ['zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
    ['no output', { prompt_tokens: 8, completion_tokens: 0, total_tokens: 8 }],
    ['nothing', {}],
    ['nonsense', { prompt_tokens: -1, completion_tokens: 'many' }],
    ['a list', []],
    ['a number', 7],
  ])('keeps a report when %s follows', (_, later) => {
    expect(last(openaiChat, openaiChunk(good), openaiChunk(later))).toMatchObject({ input: 8, output: 7 })
  })

  test('ignores a report of zeros only', () => {
    expect(
      last(openaiChat, openaiChunk({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 })),
    ).toBeNull()
  })

  test('uses the last of several growing reports', () => {
    const sums = [0, 3, 9].map((completion_tokens) => openaiChunk({ ...good, completion_tokens }))
    expect(last(openaiChat, ...sums)).toMatchObject({ input: 8, output: 9 })
  })
})

describe('a stream of Anthropic\u2019s format', () => {
  const start = (usage: unknown) => ({ type: 'message_start', message: { id: 'm', model: 'x', usage } })
  const delta = (usage: unknown) => ({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage })
  const cached = {
    input_tokens: 8,
    output_tokens: 1,
    cache_creation_input_tokens: 50,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 50 },
  }

  test('keeps prompt tokens when a later report has 0', () => {
    const zeros = {
      input_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      output_tokens: 7,
    }
    expect(last(anthropicMessages, start(cached), delta(zeros))).toMatchObject({
      input: 8,
      cacheWrite1h: 50,
      output: 7,
    })
    expect(
      last(anthropicMessages, start(cached), delta({ output_tokens: 7 }), delta({ output_tokens: 0 })),
    ).toMatchObject({ output: 7 })
  })

  test('keeps the earlier report if a later one is implausible', () => {
    expect(last(anthropicMessages, start(cached), delta({ output_tokens: 1e12 }))).toMatchObject({
      input: 8,
      output: 1,
    })
    expect(last(anthropicMessages, start({ input_tokens: 0, output_tokens: 0 }))).toBeNull()
  })
})

describe('a stream of Gemini\u2019s format', () => {
  test('keeps a report when zeros, lower counts or invalid values follow', () => {
    const good = geminiPiece({ promptTokenCount: 8, candidatesTokenCount: 7 })
    for (const later of [
      { promptTokenCount: 0 },
      { promptTokenCount: 8 },
      { promptTokenCount: 1e12 },
      [],
      'x',
      {},
    ])
      expect(last(geminiGenerate, good, geminiPiece(later))).toMatchObject({ input: 8, output: 7 })
    expect(last(geminiGenerate, geminiPiece({ promptTokenCount: 0, candidatesTokenCount: 7 }))).toBeNull()
  })
})
