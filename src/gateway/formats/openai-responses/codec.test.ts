import { describe, expect, test } from 'vitest'
import { replayDefaults } from '../testing/replay.ts'
import { openaiResponses } from './codec.ts'
import { replay } from './testing/encode.ts'

const read = (body: unknown) => openaiResponses.plainAnswer(body, replay.target, replayDefaults)
const recorded = (name: string) => read(replay.json(name))
/** The answer's only choice with this message. */
const choice = (message: object, more: object = {}) => ({ completion: { choices: [{ message, ...more }] } })

describe('a plain answer', () => {
  test('has text, usage and what identifies it', () => {
    expect(recorded('plain')).toMatchObject({
      completion: {
        id: 'resp_0a1b2c3d4e5f60718293a4b5c6d7e8f9',
        created: 1_760_000_100,
        model: 'gpt-5.5-2026-04-23',
        service_tier: 'default',
        choices: [{ message: { content: 'Grüße aus 東京 🚆', refusal: null }, finish_reason: 'stop' }],
      },
      usage: { buckets: { input: 8, cacheRead: 4, output: 7, reasoning: 2 } },
    })
  })

  test('has tool calls and reasoning', () => {
    const message = {
      content: 'Both.',
      reasoning_content: 'Both cities.\n\nThen time.',
      signed_reasoning: [{ format: 'openai-responses', data: { id: 'rs_01' } }],
      tool_calls: [
        { id: 'call_A', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rom"}' } },
        { id: 'call_B', type: 'function', function: { name: 'get_time', arguments: '{}' } },
        { id: 'call_C', type: 'custom', custom: { name: 'apply', input: 'ä' } },
      ],
    }
    expect(recorded('plain-tools')).toMatchObject(choice(message, { finish_reason: 'tool_calls' }))
    expect(recorded('plain-tools')).toMatchObject({
      usage: { buckets: { input: 150, cacheRead: 100, cacheWrite5m: 50, output: 50 } },
    })
  })

  test('has a refusal, citations, searches and log probabilities', () => {
    expect(recorded('plain-refusal')).toMatchObject(choice({ content: null, refusal: "I can't." }))
    expect(recorded('plain-search')).toMatchObject(
      choice(
        {
          content: 'Let me see.\n\nSun in Rome.',
          annotations: [{ type: 'url_citation', url_citation: { start_index: 13, title: 'Rome' } }],
          content_parts: [{ type: 'web_search_call' }],
        },
        { logprobs: { content: [{ token: 'Sun', bytes: [83, 117, 110] }] } },
      ),
    )
  })

  test('that was cut off says so', () => {
    expect(recorded('plain-incomplete')).toMatchObject(
      choice({ content: 'Once upon' }, { finish_reason: 'length' }),
    )
  })

  test('that failed has its error and usage', () => {
    expect(recorded('error-failed')).toMatchObject({
      kind: 'status',
      status: 400,
      code: 'invalid_image_url',
      usage: { buckets: { input: 12, output: 3 } },
    })
  })
})

test('a model list is read', () => {
  expect(openaiResponses.models(replay.json('models'), 10)?.map(({ id }) => id)).toEqual([
    'gpt-5.5',
    'gpt-4o',
  ])
})
