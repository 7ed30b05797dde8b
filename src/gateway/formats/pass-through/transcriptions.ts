// Sources: the API references of OpenAI, Groq and Mistral (audio/transcriptions, audio/translations). Models are billed by
// the length of the audio or by tokens.
import { invalidRequest } from '../../platform/errors.ts'
import type { PassThrough, PassThroughInput, Used } from '../chat/pass-through.ts'
import { type JsonObject, tokenCount } from '../json/json.ts'
import { readWavRate, USUAL_BYTES } from './audio-length.ts'
import { encodeForm, findText, requireForm } from './form-request.ts'
import { BYTES_PER_TOKEN, objectOr, readJsonAnswer, readReportedCost, textOf } from './read.ts'

/** Bytes for each second of speech, at the lowest bit rate in use (6 kbit/s). */
const FEWEST_BYTES = 750
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
  const rate = readWavRate(file.content)
  const exact = rate && Math.ceil(file.content.byteLength / rate)
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
      const { usage: reported, duration, text } = readJsonAnswer(answer)
      const usage = objectOr(reported)
      return {
        tokens: readTokens(usage, { seconds: likely, text: textOf(text) }),
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

/** The tokens that are reported. What is not, or as zero although there is audio or text of that length, is measured. */
function readTokens(usage: JsonObject, { seconds, text }: { seconds: number; text: string }): Used['tokens'] {
  const input = tokenCount(usage.input_tokens) ?? tokenCount(usage.prompt_tokens)
  const reported = tokenCount(usage.output_tokens) ?? tokenCount(usage.completion_tokens)
  const likelyInput = { audioInput: seconds * LIKELY_AUDIO_TOKENS }
  if (!input && !reported)
    return { counts: { ...likelyInput, output: seconds * LIKELY_TEXT_TOKENS }, estimated: true }
  // Audio without speech has no text.
  const output = reported || Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
  if (!input) return { counts: { ...likelyInput, output }, estimated: true }
  const audioInput = Math.min(input, tokenCount(objectOr(usage.input_token_details).audio_tokens) ?? 0)
  return { counts: { input: input - audioInput, audioInput, output }, estimated: output !== reported }
}
