import { describe, expect, test } from 'vitest'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import { Replay, replayDefaults } from '../testing/replay.ts'
import { anthropicMessages } from './codec.ts'

const replay = new Replay(anthropicMessages, 'anthropic-messages')
const target = testTarget('http://127.0.0.1:1/v1')

describe('a plain answer', () => {
  const read = (name: string) => anthropicMessages.plainAnswer(replay.json(name), target, replayDefaults)

  test('has text, tool calls, reasoning and refusal', () => {
    expect(read('plain')).toMatchObject({
      completion: { choices: [{ message: { content: 'Grüße' }, finish_reason: 'stop' }] },
      usage: { buckets: { input: 8, cacheRead: 4, output: 7 } },
    })
    expect(read('plain-tools')).toMatchObject({
      completion: {
        choices: [
          {
            message: {
              content: 'Both.',
              tool_calls: [
                { id: 'toolu_01A', function: { name: 'get_weather', arguments: '{"city":"Rom"}' } },
                { id: 'toolu_01B', function: { name: 'get_time', arguments: '{}' } },
              ],
            },
            finish_reason: 'tool_calls',
          },
        ],
      },
    })
    expect(read('plain-thinking')).toMatchObject({
      completion: {
        choices: [
          {
            message: {
              content: null,
              reasoning_content: 'At the map.',
              signed_reasoning: [{ format: 'anthropic-messages', call_id: 'toolu_01Plain' }],
            },
          },
        ],
      },
      usage: { buckets: { output: 140, reasoning: 90 } },
    })
    expect(read('plain-refusal')).toMatchObject({
      completion: {
        choices: [{ message: { refusal: 'This request was declined.' }, finish_reason: 'content_filter' }],
      },
    })
  })
})

describe('a model list', () => {
  test('has Anthropic’s model details and the next page', () => {
    const body = replay.json('models')
    expect(anthropicMessages.models(body, 10)).toEqual([
      {
        id: 'claude-opus-5',
        name: 'Claude Opus 5',
        created: 1_784_592_000,
        contextWindow: 1_000_000,
        maxOutputTokens: 128_000,
        capabilities: ['vision', 'tools', 'json', 'reasoning', 'streaming'],
      },
      { id: 'claude-haiku-4-5-20251001', name: 'Claude Haiku 4.5', created: 1_760_486_400 },
    ])
    expect(anthropicMessages.nextPage(body)).toBe('after_id=claude-haiku-4-5-20251001')
    expect(anthropicMessages.nextPage({ data: [], has_more: false, last_id: 'x' })).toBeNull()
    expect(anthropicMessages.models({ error: {} }, 10)).toBeNull()
  })
})
