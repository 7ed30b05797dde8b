// Embeddings of the sandbox: the same text always has the same vector, and texts with common words have similar ones.
import { createHash } from 'node:crypto'
import { refuseRequest } from '../formats/chat/failure.ts'
import type { RawAnswer } from '../formats/chat/pass-through.ts'
import { isObject, parseJson, tokenCount } from '../formats/json/json.ts'
import { countTokens } from './tokens.ts'

const DEFAULT_DIMENSIONS = 256
const MAX_DIMENSIONS = 4_096
const BYTES_PER_NUMBER = 4
/** Numbers that are added up: about a second, in which the gateway does nothing else. */
const MAX_WORK = 2 ** 25
/** The limit of a body: in a longer one, even finding the words would take long. */
const MAX_LENGTH = 1_000_000
/** To write a number takes as long as to add so many. */
const WRITING = 32

/** Throws the UpstreamFailure of a request that asks for what the sandbox does not have. */
export function embedInSandbox(model: string, body: string): RawAnswer {
  if (body.length > MAX_LENGTH) throw tooMuch()
  const request = parseJson(body)
  const { input, dimensions, encoding_format: format } = isObject(request) ? request : {}
  const size = tokenCount(dimensions) ?? DEFAULT_DIMENSIONS
  if (size > MAX_DIMENSIONS) {
    throw refuseRequest(`The sandbox has embeddings of ${MAX_DIMENSIONS} dimensions at most.`, 'dimensions')
  }
  const texts = readTexts(input)
  const words = texts.reduce((sum, text) => sum + text.words.length, 0)
  if (size * (words + texts.length * WRITING) > MAX_WORK) throw tooMuch()
  const tokens = texts.reduce((sum, text) => sum + text.count, 0)
  const answer = {
    object: 'list',
    data: texts.map(({ words }, index) => {
      const vector = embed(words, size)
      const embedding = format === 'base64' ? toBase64(vector) : [...vector]
      return { object: 'embedding', index, embedding }
    }),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
  return { bytes: Buffer.from(JSON.stringify(answer)), mediaType: 'application/json' }
}

function tooMuch() {
  return refuseRequest(
    'These are too many or too long texts for one request to the sandbox. Send fewer of them at a time.',
    'input',
  )
}

interface Text {
  words: readonly string[]
  /** The number of tokens. */
  count: number
}

/** A text, a list of tokens, or a list of either. */
function readTexts(input: unknown): Text[] {
  if (typeof input === 'string') return [readText(input)]
  if (!Array.isArray(input)) return []
  if (input.every((each) => typeof each === 'number'))
    return [{ words: input.map(String), count: input.length }]
  return input.flatMap(readTexts)
}

function readText(text: string): Text {
  return { words: text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text], count: countTokens(text) }
}

/** The sum of a direction for each word, as a vector of length 1. */
function embed(words: readonly string[], size: number): Float32Array {
  const sum = new Float64Array(size)
  for (const word of words) {
    const direction = createHash('shake256', { outputLength: size * BYTES_PER_NUMBER })
      .update(word)
      .digest()
    for (let at = 0; at < size; at += 1) {
      sum[at] = (sum[at] ?? 0) + direction.readInt32LE(at * BYTES_PER_NUMBER) / 2 ** 31
    }
  }
  const length = Math.hypot(...sum) || 1
  return Float32Array.from(sum, (each) => each / length)
}

/** OpenAI's encoding: numbers of 4 bytes, the lowest byte first. */
function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * BYTES_PER_NUMBER)
  for (const [at, each] of vector.entries()) bytes.writeFloatLE(each, at * BYTES_PER_NUMBER)
  return bytes.toString('base64')
}
