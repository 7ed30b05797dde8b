import { describe, expect, test } from 'vitest'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import { anthropicMessages } from '../anthropic-messages/codec.ts'
import type { FormatCodec } from '../chat/codec-types.ts'
import { UpstreamFailure } from '../chat/failure.ts'
import { geminiGenerate } from '../gemini-generate/codec.ts'
import { listChunks, replayDefaults } from '../testing/replay.ts'

const target = testTarget('http://127.0.0.1:1')

function getMessage(codec: FormatCodec, body: unknown) {
  const answer = codec.plainAnswer(body, target, replayDefaults)
  if (answer instanceof UpstreamFailure) throw answer
  return answer.completion.choices[0]?.message
}

function listDeltas(codec: FormatCodec, ...data: unknown[]) {
  const parser = codec.streamParser(target, replayDefaults)
  const events = data.flatMap((value) =>
    parser.event({ type: 'event', event: null, data: JSON.stringify(value) }),
  )
  return listChunks(events).map(({ choices }) => choices[0]?.delta)
}

describe('content other than text, reasoning and tool calls', () => {
  const code = { executableCode: { language: 'PYTHON', code: 'print(1)' } }
  const picture = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
  const sound = { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } }
  const candidates = [
    { content: { parts: [{ text: 'Look: ' }, picture, code, sound, { thoughtSignature: 's', text: '' }] } },
  ]

  test('is kept in Gemini’s answers', () => {
    const signed_reasoning = [{ format: 'gemini-generate', data: { thoughtSignature: 's' } }]
    const expected = { images: [image], content_parts: [code, sound], signed_reasoning }
    expect(getMessage(geminiGenerate, { candidates })).toMatchObject({ content: 'Look: ', ...expected })
    expect(listDeltas(geminiGenerate, { candidates })).toEqual([{ content: 'Look: ' }, expected])
  })

  test('is absent without content', () => {
    const plain = [{ content: { parts: [{ text: 'Hi', thoughtSignature: 's' }] } }]
    expect(getMessage(geminiGenerate, { candidates: plain })).toEqual({
      role: 'assistant',
      content: 'Hi',
      refusal: null,
      signed_reasoning: [{ format: 'gemini-generate', data: { thoughtSignature: 's' } }],
    })
  })

  test('is kept in Anthropic’s answers, assembled from deltas', () => {
    const search = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'trains' } }
    const found = {
      type: 'web_search_tool_result',
      tool_use_id: 'srv_1',
      content: [{ url: 'https://x.example' }],
    }
    const content = [search, found, { type: 'text', text: 'Here.' }]
    expect(getMessage(anthropicMessages, { content })).toMatchObject({
      content: 'Here.',
      content_parts: [search, found],
    })
    const start = (index: number, content_block: object) => ({
      type: 'content_block_start',
      index,
      content_block,
    })
    const stop = (index: number) => ({ type: 'content_block_stop', index })
    const json = (partial_json: string) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json },
    })
    const deltas = listDeltas(
      anthropicMessages,
      start(0, { ...search, input: {} }),
      json('{"query":'),
      json('"trains"}'),
      stop(0),
      start(1, found),
      stop(1),
    )
    expect(deltas).toEqual([{ content_parts: [search] }, { content_parts: [found] }])
  })
})
