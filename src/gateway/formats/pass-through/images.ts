// Source: OpenAI's API reference (images). Its models are billed by tokens, those of other vendors by the image.

import { invalidRequest } from '../../platform/errors.ts'
import type { PassThrough, PassThroughInput, RawUsage } from '../chat/pass-through.ts'
import { asObject, type JsonObject, tokenCount } from '../json/json.ts'
import {
  BYTES_PER_TOKEN,
  countStringBytes,
  encodeForm,
  encodeJson,
  findText,
  joinStrings,
  readJsonAnswer,
  readReportedCost,
  requireForm,
} from './body.ts'

/** Tokens; more than the largest image of the highest quality, and its previews, take. */
const MAX_TOKENS_PER_IMAGE = 20_000
/** Tokens of a square image of medium quality, by OpenAI's guide to image generation. */
const LIKELY_TOKENS_PER_IMAGE = 1_056

/** Tokens; more than OpenAI's models take for an image with `input_fidelity` `high`. */
const MAX_TOKENS_PER_SOURCE = 10_000
const LIKELY_TOKENS_PER_SOURCE = 1_000

/** Throws GatewayError 400 for what cannot be passed through. */
export function decodeImages(input: PassThroughInput): PassThrough {
  return { ...imageRequest(input.json, 0), endpoint: 'images', encode: encodeJson(input) }
}

/** A form with files, or JSON with URLs. Throws GatewayError 400 for what cannot be passed through. */
export function decodeImageEdits(input: PassThroughInput): PassThrough {
  const { json, bytes, boundary } = input
  if (boundary === '') {
    const sources = [json.image, json.images, json.mask].flat().filter((each) => each !== undefined)
    return { ...imageRequest(json, sources.length), endpoint: 'imageEdits', encode: encodeJson(input) }
  }
  const parts = requireForm(bytes, boundary)
  const modelPart = findText(parts, 'model')
  if (!modelPart) throw invalidRequest('The form needs the field "model".', { param: 'model' })
  const sources = parts.filter(({ filename }) => filename !== null)
  return {
    ...imageRequest(json, sources.length),
    endpoint: 'imageEdits',
    encode: encodeForm(input, modelPart),
  }
}

/** `sources`: how many images the request has. A form has all values as texts. */
function imageRequest(
  { model, prompt, n, stream }: JsonObject,
  sources: number,
): Omit<PassThrough, 'endpoint' | 'encode'> {
  if (stream === true || stream === 'true') {
    throw invalidRequest('Tollgate does not stream images: leave out "stream".', { param: 'stream' })
  }
  const images = tokenCount(typeof n === 'string' ? Number(n) : n) ?? 1
  const bytes = countStringBytes(prompt)
  const likelyInput = Math.ceil(bytes / BYTES_PER_TOKEN)
  return {
    unit: 'images',
    model: String(model),
    text: joinStrings(prompt),
    aboutTokens: likelyInput + sources * LIKELY_TOKENS_PER_SOURCE,
    bound: {
      input: (bytes + sources * MAX_TOKENS_PER_SOURCE) * images,
      output: MAX_TOKENS_PER_IMAGE * images,
      most: { images },
      likely: { images },
    },
    readUsage: (answer) => {
      const { data, usage: reported } = readJsonAnswer(answer)
      const came = Array.isArray(data) ? data.length : 0
      const generated = came || images
      const usage = asObject(reported)
      return {
        tokens: readImageTokens(usage, {
          input: likelyInput * generated,
          imageInput: sources * LIKELY_TOKENS_PER_SOURCE * generated,
          imageOutput: LIKELY_TOKENS_PER_IMAGE * generated,
        }),
        units: { counts: { images: generated }, estimated: came === 0 },
        costUsd: readReportedCost(usage),
      }
    },
  }
}

/** The tokens of text and of images, where they are reported, or else the likely ones. */
function readImageTokens(
  usage: JsonObject,
  likely: { input: number; imageInput: number; imageOutput: number },
): RawUsage['tokens'] {
  const input = tokenCount(usage.input_tokens)
  const output = tokenCount(usage.output_tokens)
  // Neither a prompt nor an image is free of tokens: a server that reports none does not count them.
  if (!input || !output) {
    const { imageOutput, ...likelyInput } = likely
    const counts = { ...(input ? { input } : likelyInput), imageOutput: output || imageOutput }
    return { counts, estimated: true }
  }
  const imageInput = Math.min(input, tokenCount(asObject(usage.input_tokens_details).image_tokens) ?? 0)
  // Without details, all of the output is the image.
  const textOutput = Math.min(output, tokenCount(asObject(usage.output_tokens_details).text_tokens) ?? 0)
  const imageOutput = output - textOutput
  return { counts: { input: input - imageInput, imageInput, output: textOutput, imageOutput } }
}
