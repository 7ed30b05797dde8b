// Source: OpenAI's API reference (audio/speech). Audio says nothing about its cost, but the last of `speech.audio.*` events does.

import type { PassThrough, PassThroughInput, RawAnswer, Used } from '../chat/pass-through.ts'
import { type JsonObject, tokenCount } from '../json/json.ts'
import { estimateSeconds } from './audio-length.ts'
import { encodeJson } from './json-body.ts'
import {
  BYTES_PER_TOKEN,
  bytesOfStrings,
  objectOr,
  readJsonAnswer,
  readReportedCost,
  textOf,
} from './read.ts'

/** Tokens of audio for each character, as measured with `gpt-4o-mini-tts` (sanand0's blog, 2025-11-02). */
const LIKELY_PER_CHARACTER = 1.5
/** Slow speech with pauses, of a character's bytes in UTF-8: one of Chinese is a syllable. */
const MOST_PER_BYTE = 15
/** Tokens of a second of audio: OpenAI says that 1.5 cents a minute are 12 USD per million. */
const PER_SECOND = 21
/** A minute, which instructions can make of a few characters. */
const LEAST_BOUND = 60 * PER_SECOND
/** How many times the reported tokens those of the audio can be; compressed audio is measured at a usual bit rate. */
const MAX_TIMES_REPORTED = 4
/** The slowest `speed`. */
const SLOWEST = 0.25

/** Throws GatewayError 400 for what cannot be passed through. */
export function decodeSpeech(request: PassThroughInput): PassThrough {
  const { model, input, instructions, speed } = request.json
  const slowness = typeof speed === 'number' && speed < 1 ? 1 / Math.max(speed, SLOWEST) : 1
  const characters = [...textOf(input)].length
  const bytes = bytesOfStrings([input, instructions])
  const likelyInput = Math.ceil(bytes / BYTES_PER_TOKEN)
  return {
    endpoint: 'speech',
    unit: 'characters',
    model: String(model),
    stream: request.json.stream_format === 'sse',
    text: textOf([input, instructions]),
    aboutTokens: likelyInput,
    bound: {
      input: bytes,
      output: Math.max(LEAST_BOUND, Math.ceil(bytesOfStrings(input) * MOST_PER_BYTE * slowness)),
      most: { characters },
      likely: { characters },
    },
    encode: encodeJson(request),
    readUsage: (answer) => {
      const heard = heardTokens(answer, request.json.response_format)
      const likelyOutput = Math.max(heard, Math.ceil(characters * LIKELY_PER_CHARACTER))
      const usage = objectOr(readJsonAnswer(answer).usage)
      return {
        tokens: readTokens(usage, { heard, input: likelyInput, output: likelyOutput }),
        units: { counts: { characters } },
        costUsd: readReportedCost(usage),
      }
    },
  }
}

/** The tokens of the audio that came. `format`: the requested one, where the answer does not say. */
function heardTokens({ sound }: RawAnswer, format: unknown): number {
  if (!sound) return 0
  const mediaType = sound.mediaType.startsWith('audio/') ? sound.mediaType : String(format)
  return estimateSeconds({ ...sound, mediaType }) * PER_SECOND
}

/** The tokens that are reported. What is not, or as zero, or as far too few for what was heard, is taken from what is likely. */
function readTokens(
  usage: JsonObject,
  likely: { heard: number; input: number; output: number },
): Used['tokens'] {
  const output = tokenCount(usage.output_tokens) ?? 0
  const isTrue = output > 0 && likely.heard <= output * MAX_TIMES_REPORTED
  const total = tokenCount(usage.total_tokens) ?? 0
  const input = tokenCount(usage.input_tokens) || Math.max(0, total - output)
  return {
    counts: { input: input || likely.input, audioOutput: isTrue ? output : likely.output },
    estimated: !isTrue || input === 0,
  }
}
