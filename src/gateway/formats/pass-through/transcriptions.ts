// Sources: the API references of OpenAI, Groq and Mistral (audio/transcriptions, audio/translations). Models are billed by
// the length of the audio or by tokens.
import { invalidRequest } from '../../platform/errors.ts'
import { type JsonObject, tokenCount } from '../json.ts'
import { encodeForm, findText, requireForm } from './form-request.ts'
import type { PassThrough, PassThroughInput, Used } from './pass-through.ts'
import { objectOr, readJsonAnswer, readReportedCost } from './read.ts'

/** Bytes for each second of speech, at the lowest bit rate in use (6 kbit/s), and at a common one (128 kbit/s). */
const FEWEST_BYTES = 750
const USUAL_BYTES = 16_000
/** Tokens for each second, of the audio and of the text. OpenAI's models take 10 of the audio. */
const MOST_TOKENS = 25
const LIKELY_AUDIO_TOKENS = 10
const LIKELY_TEXT_TOKENS = 3
/** Groq bills each request for so many seconds at least. */
const LEAST_BILLED_SECONDS = 10

/** Throws GatewayError 400 for what cannot be passed through. */
export function decodeTranscription(
  endpoint: 'transcriptions' | 'translations',
  input: PassThroughInput,
): PassThrough {
  const parts = requireForm(input.bytes, input.boundary)
  const field = (name: string) => findText(parts, name)
  const modelPart = field('model')
  const file = parts.find(({ name }) => name === 'file')
  if (!modelPart || !file) throw invalidRequest('The form needs the fields "model" and "file".')
  const model = modelPart.content.toString('utf8')
  const prompt = field('prompt')?.content.toString('utf8') ?? ''
  const exact = wavSeconds(file.content)
  const most = exact ?? Math.ceil(file.content.byteLength / FEWEST_BYTES)
  const likely = exact ?? Math.ceil(file.content.byteLength / USUAL_BYTES)
  return {
    endpoint,
    unit: 'audioSeconds',
    model,
    stream: /^(true|1)$/i.test(field('stream')?.content.toString() ?? ''),
    text: prompt,
    aboutTokens: likely * LIKELY_AUDIO_TOKENS,
    bound: {
      input: Buffer.byteLength(prompt) + most * MOST_TOKENS,
      output: most * MOST_TOKENS,
      most: { audioSeconds: Math.max(most, LEAST_BILLED_SECONDS) },
      likely: { audioSeconds: likely },
    },
    encode: encodeForm(input, modelPart),
    readUsage: (answer) => {
      const { usage: reported, duration } = readJsonAnswer(answer)
      const usage = objectOr(reported)
      return {
        tokens: readTokens(usage) ?? likelyTokens(likely),
        units: readSeconds(usage, duration) ?? { counts: { audioSeconds: likely }, estimated: true },
        costUsd: readReportedCost(usage),
      }
    },
  }
}

/**
 * The seconds that OpenAI and Mistral bill, or those of the audio in a verbose answer. Null for zero: the file has content,
 * so its length is measured instead.
 */
function readSeconds(usage: JsonObject, duration: unknown): Used['units'] | null {
  const billed = tokenCount(usage.seconds) ?? tokenCount(usage.prompt_audio_seconds)
  if (billed) return { counts: { audioSeconds: billed } }
  const seconds = Number(typeof duration === 'string' ? duration : (duration ?? Number.NaN))
  if (!Number.isFinite(seconds) || seconds <= 0 || seconds > 1e6) return null
  return { counts: { audioSeconds: Math.ceil(seconds) }, estimated: seconds < LEAST_BILLED_SECONDS }
}

function readTokens(usage: JsonObject): Used['tokens'] {
  const input = tokenCount(usage.input_tokens) ?? tokenCount(usage.prompt_tokens)
  const output = tokenCount(usage.output_tokens) ?? tokenCount(usage.completion_tokens)
  // A server that reports no tokens does not count them.
  if (input === null || output === null || input + output === 0) return null
  const details = objectOr(usage.input_token_details)
  const audioInput = Math.min(input, tokenCount(details.audio_tokens) ?? 0)
  return { counts: { input: input - audioInput, audioInput, output } }
}

function likelyTokens(seconds: number): Used['tokens'] {
  const counts = { audioInput: seconds * LIKELY_AUDIO_TOKENS, output: seconds * LIKELY_TEXT_TOKENS }
  return { counts, estimated: true }
}

/** WAV's codes of uncompressed samples: integers and floating point. */
const UNCOMPRESSED: readonly number[] = [1, 3]
/** The code of an extended header, whose sub-format is a GUID: a code of samples and a fixed tail. */
const EXTENSIBLE = 0xfffe
const SUB_FORMAT_TAIL = '000000001000800000aa00389b71'

/**
 * The length of an uncompressed WAV file, by its header (RIFF, `fmt `): null for other files, whose bytes a second are only
 * what the header claims.
 */
function wavSeconds(file: Buffer): number | null {
  if (file.byteLength < 44 || file.toString('latin1', 0, 4) !== 'RIFF') return null
  if (file.toString('latin1', 8, 16) !== 'WAVEfmt ' || !UNCOMPRESSED.includes(sampleFormat(file))) return null
  const [channels, samples, bits] = [file.readUInt16LE(22), file.readUInt32LE(24), file.readUInt16LE(34)]
  const bytesPerSecond = (samples * channels * bits) / 8
  if (bytesPerSecond === 0 || bytesPerSecond !== file.readUInt32LE(28)) return null
  return Math.ceil(file.byteLength / bytesPerSecond)
}

/** The code of the samples' format, by the sub-format where the header is extended (0 if that is not a WAV code). */
function sampleFormat(file: Buffer): number {
  const code = file.readUInt16LE(20)
  if (code !== EXTENSIBLE) return code
  const isWavCode = file.readUInt32LE(16) >= 40 && file.toString('hex', 46, 60) === SUB_FORMAT_TAIL
  return isWavCode ? file.readUInt16LE(44) : 0
}
