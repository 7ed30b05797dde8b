// Source: OpenAI's API reference (audio/speech). Audio says nothing about its cost, but the last of `speech.audio.*` events does.
import { type JsonObject, tokenCount } from '../json.ts'
import { estimateSeconds } from './audio-length.ts'
import { encodeJson } from './json-body.ts'
import type { PassThrough, PassThroughInput, Used } from './pass-through.ts'
import {
  BYTES_PER_TOKEN,
  bytesOfStrings,
  objectOr,
  readInputTokens,
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
      output: Math.ceil(bytesOfStrings(input) * MOST_PER_BYTE * slowness),
      most: { characters },
      likely: { characters },
    },
    encode: encodeJson(request),
    readUsage: (answer) => {
      const heard = answer.sound ? estimateSeconds(answer.sound) * PER_SECOND : 0
      const likely = {
        input: likelyInput,
        audioOutput: Math.max(heard, Math.ceil(characters * LIKELY_PER_CHARACTER)),
      }
      const usage = objectOr(readJsonAnswer(answer).usage)
      return {
        tokens: readTokens(usage) ?? { counts: likely, estimated: true },
        units: { counts: { characters } },
        costUsd: readReportedCost(usage),
      }
    },
  }
}

function readTokens(usage: JsonObject): Used['tokens'] {
  const input = readInputTokens(usage)
  const audioOutput = tokenCount(usage.output_tokens)
  return input === null || !audioOutput ? null : { counts: { input, audioOutput } }
}
