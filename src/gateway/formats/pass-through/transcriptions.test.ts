import { expect, test } from 'vitest'
import type { PassThroughEndpoint } from '../../../shared/api/operations/operation.ts'
import type { Sound } from '../chat/pass-through.ts'
import type { JsonObject } from '../json/json.ts'
import { decodeTranscription } from './audio.ts'
import { readFields } from './body.ts'
import { decodePassThrough } from './decode.ts'

const MODEL = ['model', 'whisper'] as const

async function encode(...fields: readonly (readonly [string, string | Buffer])[]) {
  const form = new FormData()
  for (const [name, value] of fields)
    form.append(name, typeof value === 'string' ? value : new File([new Uint8Array(value)], 'a.wav'))
  const request = new Request('http://x', { method: 'POST', body: form })
  const boundary = /boundary=(.+)$/.exec(request.headers.get('content-type') ?? '')?.[1] ?? ''
  return { json: {}, bytes: Buffer.from(await request.arrayBuffer()), boundary }
}

const SAMPLES = 8_000

/** A WAV file of one channel with samples of 16 bits. */
function wav({ seconds = 2, code = 1, byteRate = SAMPLES * 2 } = {}): Buffer {
  const file = Buffer.alloc(SAMPLES * 2 * seconds)
  file.write('RIFF', 0)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(code, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(SAMPLES, 24)
  file.writeUInt32LE(byteRate, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  return file
}

/** An extended header: the sub-format is a GUID. */
function extensible(subFormat: string): Buffer {
  const file = wav({ seconds: 20, code: 0xfffe })
  file.writeUInt32LE(40, 16)
  file.write(subFormat, 44, 'hex')
  return file
}
const PCM = '0100000000001000800000aa00389b71'
const MP3 = '5500000000001000800000aa00389b71'
const UNKNOWN_SUB_FORMAT = '01000000d8b1454fb5a1d0e6b3d0c1a2'

async function getSeconds(file: Buffer, answer: object = {}) {
  const { bound, readUsage } = decodeTranscription('transcriptions', await encode(MODEL, ['file', file]))
  const { units } = readUsage({
    bytes: Buffer.from(JSON.stringify({ text: 'hi', ...answer })),
    mediaType: 'application/json',
  })
  return { most: bound.most.audioSeconds, ...units }
}

const MEASURED = { most: 20, counts: { audioSeconds: 20 }, estimated: true }

test.each([
  ['a plain header', wav({ seconds: 20 })],
  ['an extended header', extensible(PCM)],
])('the header of an uncompressed WAV file tells its length: %s', async (_, file) => {
  expect(await getSeconds(file)).toEqual(MEASURED)
})

test.each([
  { usage: { seconds: 0 } },
  { usage: { prompt_audio_seconds: 0 } },
  { duration: 0 },
  { duration: '0' },
])('an answer that reports no length is measured from the audio: %j', async (answer) => {
  expect(await getSeconds(wav({ seconds: 20 }), answer)).toEqual(MEASURED)
})

test.each([
  ['more bytes a second than its samples have', wav({ seconds: 20, byteRate: 2 ** 31 })],
  ['compressed samples', wav({ seconds: 20, code: 0x55 })],
  ['compressed samples and an extended header', extensible(MP3)],
  ['samples of a format that has no WAV code', extensible(UNKNOWN_SUB_FORMAT)],
])('a WAV file with %s is measured by its size', async (_, file) => {
  expect(await getSeconds(file)).toEqual({
    most: Math.ceil(file.byteLength / 750),
    counts: { audioSeconds: 20 },
    estimated: true,
  })
})

test.each([
  [
    { input_tokens: 0, output_tokens: 50 },
    { audioInput: 200, output: 50 },
  ],
  [
    { input_tokens: 200, output_tokens: 0 },
    { input: 200, audioInput: 0, output: 10 },
  ],
  [
    { input_tokens: 0, output_tokens: 0 },
    { audioInput: 200, output: 60 },
  ],
])('tokens that are reported as zero are measured from the audio and the text: %j', async (usage, counts) => {
  const file = wav({ seconds: 20 })
  const { readUsage } = decodeTranscription('transcriptions', await encode(MODEL, ['file', file]))
  const answer = { text: 'x'.repeat(40), usage }
  const { tokens } = readUsage({ bytes: Buffer.from(JSON.stringify(answer)), mediaType: 'application/json' })
  expect(tokens).toEqual({ counts, estimated: true })
})

test.each(['model', 'file', 'stream', 'prompt'])(
  'a form with the field %s twice is rejected',
  async (name) => {
    const { bytes, boundary } = await encode(MODEL, ['file', wav()], [name, 'a'], [name, 'b'])
    expect(() => readFields(bytes, boundary)).toThrow(`The field "${name}" appears twice in the form.`)
  },
)

test('a list may have several fields of one name', async () => {
  const { bytes, boundary } = await encode(MODEL, ['include[]', 'a'], ['include[]', 'b'])
  expect(readFields(bytes, boundary)).toMatchObject({ model: 'whisper' })
})

// Reports of which a part is zero or impossible: that part is measured from the content.
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
