// Reports of which a part is zero or impossible: that part is measured from the content.

import { expect, test } from 'vitest'
import type { PassThroughEndpoint } from '../../../shared/api/operations/operation.ts'
import type { Sound } from '../chat/pass-through.ts'
import type { JsonObject } from '../json/json.ts'
import { decodePassThrough } from './decode.ts'

function read(endpoint: PassThroughEndpoint, request: JsonObject, answer: JsonObject, sound?: Sound) {
  const json = { model: 'm', ...request }
  const bytes = Buffer.from(JSON.stringify(json))
  const { readUsage } = decodePassThrough(endpoint, { json, bytes, boundary: '' })
  const report = { bytes: Buffer.from(JSON.stringify(answer)), mediaType: 'application/json' }
  return readUsage(sound ? { ...report, sound } : report)
}

test('an image whose prompt is reported without tokens', () => {
  const answer = { data: [{}], usage: { input_tokens: 0, output_tokens: 4_160 } }
  expect(read('imageEdits', { prompt: 'x'.repeat(400), image: 'a' }, answer).tokens).toEqual({
    counts: { input: 100, imageInput: 1_000, imageOutput: 4_160 },
    estimated: true,
  })
})

test('a rerank of long documents without searches', () => {
  // 151 parts of 500 tokens: each 100 are a search.
  const documents = ['x'.repeat(151 * 500 * 4 - 3)]
  expect(read('rerank', { query: 'map', documents }, {}).units).toEqual({
    counts: { searches: 2 },
    estimated: true,
  })
})

/** Raw samples in the parts of a stream, whose type only the request says. */
const MINUTE: Sound = { head: Buffer.alloc(8), length: 60 * 48_000, mediaType: '' }
const speech = { input: '很长很长很长很长很长', response_format: 'pcm' }

test.each([{}, { output_tokens: 0 }, { output_tokens: 15 }])(
  'a minute of speech with the report %j',
  (usage) => {
    // 30 bytes of text are 8 tokens.
    expect(read('speech', speech, { usage }, MINUTE).tokens).toEqual({
      counts: { input: 8, audioOutput: 1_260 },
      estimated: true,
    })
  },
)

test('a minute of speech with a report that can be true', () => {
  const usage = { input_tokens: 30, output_tokens: 1_100, total_tokens: 1_130 }
  expect(read('speech', speech, { usage }, MINUTE).tokens).toEqual({
    counts: { input: 30, audioOutput: 1_100 },
    estimated: false,
  })
})

test('speech whose text is reported without tokens', () => {
  const usage = { input_tokens: 0, output_tokens: 1_100, total_tokens: 1_100 }
  expect(read('speech', speech, { usage }, MINUTE).tokens).toEqual({
    counts: { input: 8, audioOutput: 1_100 },
    estimated: true,
  })
})
