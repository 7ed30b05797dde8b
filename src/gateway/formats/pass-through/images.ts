// Source: OpenAI's API reference (images). Its models are billed by tokens, those of other vendors by the image.

import { invalidRequest } from '../../platform/errors.ts'
import { type JsonObject, tokenCount } from '../json.ts'
import { encodeJson } from './json-body.ts'
import type { PassThrough, PassThroughInput, Used } from './pass-through.ts'
import { bytesOfStrings, objectOr, readJsonAnswer, readReportedCost, textOf } from './read.ts'

/** Tokens; more than the largest image of the highest quality, and its previews, take. */
const MOST_TOKENS_PER_IMAGE = 20_000
/** Tokens of a square image of medium quality, by OpenAI's guide to image generation. */
const LIKELY_TOKENS_PER_IMAGE = 1_056
const BYTES_PER_TOKEN = 4

/** Throws GatewayError 400 for what cannot be passed through. */
export function decodeImages(input: PassThroughInput): PassThrough {
  const { model, prompt, n, stream } = input.json
  if (stream === true) {
    throw invalidRequest('Tollgate does not stream images: leave out "stream".', { param: 'stream' })
  }
  const images = tokenCount(n) ?? 1
  const bytes = bytesOfStrings(prompt)
  return {
    endpoint: 'images',
    unit: 'images',
    model: String(model),
    text: textOf(prompt),
    aboutTokens: Math.ceil(bytes / BYTES_PER_TOKEN),
    bound: {
      input: bytes * images,
      output: MOST_TOKENS_PER_IMAGE * images,
      most: { images },
      likely: { images },
    },
    encode: encodeJson(input),
    readUsage: (answer) => {
      const { data, usage: reported } = readJsonAnswer(answer)
      const generated = Array.isArray(data) ? data.length : images
      const usage = objectOr(reported)
      return {
        tokens: readImageTokens(usage) ?? {
          counts: {
            input: Math.ceil(bytes / BYTES_PER_TOKEN) * generated,
            imageOutput: LIKELY_TOKENS_PER_IMAGE * generated,
          },
          estimated: true,
        },
        units: { counts: { images: generated } },
        costUsd: readReportedCost(usage),
      }
    },
  }
}

/** The tokens of text and of images, where they are reported. */
function readImageTokens(usage: JsonObject): Used['tokens'] {
  const input = tokenCount(usage.input_tokens)
  const output = tokenCount(usage.output_tokens)
  // An image is never free of tokens: a server that reports none does not count them.
  if (input === null || !output) return null
  const imageInput = Math.min(input, tokenCount(objectOr(usage.input_tokens_details).image_tokens) ?? 0)
  // Without details, all of the output is the image.
  const textOutput = Math.min(output, tokenCount(objectOr(usage.output_tokens_details).text_tokens) ?? 0)
  const imageOutput = output - textOutput
  return { counts: { input: input - imageInput, imageInput, output: textOutput, imageOutput } }
}
