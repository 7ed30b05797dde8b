// Source: OpenAI's API reference (audio/speech). The audio says nothing about its cost.
import { invalidRequest } from '../../platform/errors.ts'
import { encodeJson } from './json-body.ts'
import type { PassThrough, PassThroughInput } from './pass-through.ts'
import { bytesOfStrings, textOf } from './read.ts'

const BYTES_PER_TOKEN = 4
/** Tokens of audio for each character, as measured with `gpt-4o-mini-tts` (sanand0's blog, 2025-11-02). */
const LIKELY_PER_CHARACTER = 1.5
/** Slow speech with pauses. */
const MOST_PER_CHARACTER = 15

/** Throws GatewayError 400 for what cannot be passed through. */
export function decodeSpeech(request: PassThroughInput): PassThrough {
  const { model, input, instructions, stream_format: format } = request.json
  if (format === 'sse') {
    throw invalidRequest('Tollgate does not send speech as events: leave out "stream_format".', {
      param: 'stream_format',
    })
  }
  const characters = [...textOf(input)].length
  const bytes = bytesOfStrings([input, instructions])
  const likelyInput = Math.ceil(bytes / BYTES_PER_TOKEN)
  return {
    endpoint: 'speech',
    unit: 'characters',
    model: String(model),
    text: textOf([input, instructions]),
    aboutTokens: likelyInput,
    bound: {
      input: bytes,
      output: Math.ceil(characters * MOST_PER_CHARACTER),
      most: { characters },
      likely: { characters },
    },
    encode: encodeJson(request),
    readUsage: () => ({
      tokens: {
        counts: { input: likelyInput, audioOutput: Math.ceil(characters * LIKELY_PER_CHARACTER) },
        estimated: true,
      },
      units: { counts: { characters } },
      costUsd: null,
    }),
  }
}
