// Audio: speech, and transcriptions with translations.
import { invalidRequest } from '../../platform/errors.ts'
import type { PassThrough, PassThroughInput, RawAnswer, RawUsage, Sound } from '../chat/pass-through.ts'
import { asObject, type JsonObject, tokenCount } from '../json/json.ts'
import * as body from './body.ts'

export type Decoded = Omit<PassThrough, 'unknownInputs'>

// Source: OpenAI's API reference (audio/speech). Audio says nothing about its cost, but the last of `speech.audio.*` events does.

/** Tokens of audio for each character, as measured with `gpt-4o-mini-tts` (sanand0's blog, 2025-11-02). */
const LIKELY_PER_CHARACTER = 1.5
/** Slow speech with pauses, of a character's bytes in UTF-8: one of Chinese is a syllable. */
const MAX_PER_BYTE = 15
/** Tokens of a second of audio: OpenAI says that 1.5 cents a minute are 12 USD per million. */
const PER_SECOND = 21
/** A minute, which instructions can make of a few characters. */
const MIN_BOUND = 60 * PER_SECOND
/** The largest plausible ratio of heard to reported tokens; compressed audio is measured at a usual bit rate. */
const MAX_TIMES_REPORTED = 4
const SLOWEST = 0.25

/** Throws GatewayError 400 for what cannot be passed through. */
export function decodeSpeech(request: PassThroughInput): Decoded {
  const { model, input, instructions, speed } = request.json
  const slowness = typeof speed === 'number' && speed < 1 ? 1 / Math.max(speed, SLOWEST) : 1
  const characters = [...body.joinStrings(input)].length
  const bytes = body.countStringBytes([input, instructions])
  const likelyInput = Math.ceil(bytes / body.BYTES_PER_TOKEN)
  return {
    endpoint: 'speech',
    unit: 'characters',
    model: String(model),
    stream: request.json.stream_format === 'sse',
    text: body.joinStrings([input, instructions]),
    aboutTokens: likelyInput,
    bound: {
      input: bytes,
      output: Math.max(MIN_BOUND, Math.ceil(body.countStringBytes(input) * MAX_PER_BYTE * slowness)),
      most: { characters },
      likely: { characters },
    },
    encode: body.encodeJson(request),
    readUsage: (answer) => {
      const heard = heardTokens(answer, request.json.response_format)
      const likelyOutput = Math.max(heard, Math.ceil(characters * LIKELY_PER_CHARACTER))
      const usage = asObject(body.readJsonAnswer(answer).usage)
      return {
        tokens: readSpokenTokens(usage, { heard, input: likelyInput, output: likelyOutput }),
        units: { counts: { characters } },
        costUsd: body.readReportedCost(usage),
      }
    },
  }
}

/** The tokens of the received audio. `format`: the requested one, if the answer does not state it. */
function heardTokens({ sound }: RawAnswer, format: unknown): number {
  if (!sound) return 0
  const mediaType = sound.mediaType.startsWith('audio/') ? sound.mediaType : String(format)
  return estimateSeconds({ ...sound, mediaType }) * PER_SECOND
}

/** The tokens that are reported. What is not, or as zero, or as far too few for what was heard, is taken from what is likely. */
function readSpokenTokens(
  usage: JsonObject,
  likely: { heard: number; input: number; output: number },
): RawUsage['tokens'] {
  const output = tokenCount(usage.output_tokens) ?? 0
  const isTrue = output > 0 && likely.heard <= output * MAX_TIMES_REPORTED
  const total = tokenCount(usage.total_tokens) ?? 0
  const input = tokenCount(usage.input_tokens) || Math.max(0, total - output)
  return {
    counts: { input: input || likely.input, audioOutput: isTrue ? output : likely.output },
    estimated: !isTrue || input === 0,
  }
}

// Sources: the API references of OpenAI, Groq and Mistral (audio/transcriptions, audio/translations). Models are billed by
// the length of the audio or by tokens.

/** Bytes for each second of speech, at the lowest bit rate in use (6 kbit/s). */
const FEWEST_BYTES = 750
/** Tokens for each second, of the audio and of the text. OpenAI's models take 10 of the audio. */
const MAX_TOKENS = 25
const LIKELY_AUDIO_TOKENS = 10
const LIKELY_TEXT_TOKENS = 3
/** Groq bills each request for so many seconds at least. */
const MIN_BILLED_SECONDS = 10

/** Throws GatewayError 400 for what cannot be passed through. */
export function decodeTranscription(
  endpoint: 'transcriptions' | 'translations',
  input: PassThroughInput,
): Decoded {
  const parts = body.requireForm(input.bytes, input.boundary)
  const field = (name: string) => body.findText(parts, name)
  const modelPart = field('model')
  const file = parts.find(({ name }) => name === 'file')
  if (!modelPart || !file) throw invalidRequest('The form needs the fields "model" and "file".')
  const model = modelPart.content.toString('utf8')
  const prompt = field('prompt')?.content.toString('utf8') ?? ''
  // The prompt, keywords, and samples of speakers.
  const texts = parts.reduce(
    (sum, { filename, content }) => sum + (filename === null ? content.byteLength : 0),
    0,
  )
  const rate = readWavRate(file.content)
  const exact = rate && Math.ceil(file.content.byteLength / rate)
  const most = exact ?? Math.ceil(file.content.byteLength / FEWEST_BYTES)
  const likely = exact ?? Math.ceil(file.content.byteLength / BYTES_PER_SECOND)
  return {
    endpoint,
    unit: 'audioSeconds',
    model,
    stream: /^(true|1)$/i.test(field('stream')?.content.toString() ?? ''),
    text: prompt,
    aboutTokens: likely * LIKELY_AUDIO_TOKENS,
    bound: {
      input: texts + most * MAX_TOKENS,
      output: most * MAX_TOKENS,
      most: { audioSeconds: Math.max(most, MIN_BILLED_SECONDS) },
      likely: { audioSeconds: likely },
    },
    encode: body.encodeForm(input, modelPart),
    readUsage: (answer) => {
      const { usage: reported, duration, text } = body.readJsonAnswer(answer)
      const usage = asObject(reported)
      return {
        tokens: readTranscribedTokens(usage, { seconds: likely, text: body.joinStrings(text) }),
        units: readSeconds(usage, duration) ?? { counts: { audioSeconds: likely }, estimated: true },
        costUsd: body.readReportedCost(usage),
      }
    },
  }
}

/**
 * The seconds that OpenAI and Mistral bill, or those of the audio in a verbose answer. Null for zero: the file has content,
 * so its length is measured instead.
 */
function readSeconds(usage: JsonObject, duration: unknown): RawUsage['units'] | null {
  const billed = tokenCount(usage.seconds) ?? tokenCount(usage.prompt_audio_seconds)
  if (billed) return { counts: { audioSeconds: billed } }
  const seconds = Number(typeof duration === 'string' ? duration : (duration ?? Number.NaN))
  if (!Number.isFinite(seconds) || seconds <= 0 || seconds > 1e6) return null
  return { counts: { audioSeconds: Math.ceil(seconds) }, estimated: seconds < MIN_BILLED_SECONDS }
}

/** The tokens that are reported. What is not, or as zero although there is audio or text of that length, is measured. */
function readTranscribedTokens(
  usage: JsonObject,
  { seconds, text }: { seconds: number; text: string },
): RawUsage['tokens'] {
  const input = tokenCount(usage.input_tokens) ?? tokenCount(usage.prompt_tokens)
  const reported = tokenCount(usage.output_tokens) ?? tokenCount(usage.completion_tokens)
  const likelyInput = { audioInput: seconds * LIKELY_AUDIO_TOKENS }
  if (!input && !reported)
    return { counts: { ...likelyInput, output: seconds * LIKELY_TEXT_TOKENS }, estimated: true }
  // Audio without speech has no text.
  const output = reported || Math.ceil(Buffer.byteLength(text) / body.BYTES_PER_TOKEN)
  if (!input) return { counts: { ...likelyInput, output }, estimated: true }
  const audioInput = Math.min(input, tokenCount(asObject(usage.input_token_details).audio_tokens) ?? 0)
  return { counts: { input: input - audioInput, audioInput, output }, estimated: output !== reported }
}

// How long a sound is, from its header or its bytes. Sources: the WAVE format (RIFF, `fmt `), the frame header of MPEG audio
// (ISO 11172-3, 13818-3), OpenAI's API reference (audio/speech, `response_format`).

/** Bytes a second where the header does not say: raw samples at 24 kHz, and usual bit rates. */
const USUAL_RATES: readonly [RegExp, number][] = [
  [/pcm|l16/, 48_000],
  [/flac/, 24_000],
  [/opus|ogg/, 4_000],
  [/aac/, 8_000],
]
/** 128 kbit/s. */
const BYTES_PER_SECOND = 16_000

/** The likely seconds of a sound, rounded up. */
function estimateSeconds({ head, length, mediaType }: Sound): number {
  if (length === 0) return 0
  const rate =
    readWavRate(head) ?? readMp3Rate(head) ?? USUAL_RATES.find(([type]) => type.test(mediaType))?.[1]
  return Math.ceil(length / (rate ?? BYTES_PER_SECOND))
}

/** WAV's codes of uncompressed samples: integers and floating point. */
const UNCOMPRESSED: readonly number[] = [1, 3]
/** The code of an extended header, whose sub-format is a GUID: a code of samples and a fixed tail. */
const EXTENSIBLE = 0xfffe
const SUB_FORMAT_TAIL = '000000001000800000aa00389b71'

/**
 * The bytes a second of an uncompressed WAV file, by its header: null for other files, whose bytes a second are only what the
 * header claims.
 */
function readWavRate(file: Buffer): number | null {
  if (file.byteLength < 44 || file.toString('latin1', 0, 4) !== 'RIFF') return null
  if (file.toString('latin1', 8, 16) !== 'WAVEfmt ' || !UNCOMPRESSED.includes(sampleFormat(file))) return null
  const [channels, samples, bits] = [file.readUInt16LE(22), file.readUInt32LE(24), file.readUInt16LE(34)]
  const bytesPerSecond = (samples * channels * bits) / 8
  return bytesPerSecond === 0 || bytesPerSecond !== file.readUInt32LE(28) ? null : bytesPerSecond
}

/** The code of the samples' format, by the sub-format where the header is extended (0 if that is not a WAV code). */
function sampleFormat(file: Buffer): number {
  const code = file.readUInt16LE(20)
  if (code !== EXTENSIBLE) return code
  const isWavCode = file.readUInt32LE(16) >= 40 && file.toString('hex', 46, 60) === SUB_FORMAT_TAIL
  return isWavCode ? file.readUInt16LE(44) : 0
}

/** kbit/s of layer III by the index in a frame's header: of MPEG 1, and of MPEG 2 and 2.5. */
const BIT_RATES = {
  1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const

/** The bytes a second of the first frame of an MP3 file; null for other files. */
function readMp3Rate(file: Buffer): number | null {
  const isTagged = file.toString('latin1', 0, 3) === 'ID3' && file.byteLength >= 10
  const at = isTagged ? 10 + readTagLength(file) : 0
  if (file.byteLength < at + 4 || file[at] !== 0xff) return null
  const [second = 0, third = 0] = file.subarray(at + 1, at + 3)
  // Eleven bits of synchronization, then the version, and layer III.
  if ((second & 0xe0) !== 0xe0 || (second & 0x06) !== 0x02) return null
  const kilobits = BIT_RATES[(second & 0x18) === 0x18 ? 1 : 2][third >> 4]
  return kilobits ? kilobits * 125 : null
}

/** Four bytes of seven bits each. */
function readTagLength(file: Buffer): number {
  return file.subarray(6, 10).reduce((length, byte) => length * 128 + (byte & 0x7f), 0)
}
