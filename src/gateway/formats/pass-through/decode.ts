// Requests whose answers are billed by the tokens of what they send. Sources: the API references of OpenAI (embeddings,
// moderations), Mistral, Jina, Voyage and Cohere (rerank).
import type { PassThroughEndpoint } from '../../../shared/api/operations/operation.ts'
import { invalidRequest } from '../../platform/errors.ts'
import {
  NO_BOUND,
  type PassThrough,
  type PassThroughInput,
  type RawUsage,
  type RawUsageReader,
} from '../chat/pass-through.ts'
import { asList, asObject, type JsonObject, tokenCount } from '../json/json.ts'
import { type Decoded, decodeSpeech, decodeTranscription } from './audio.ts'
import * as body from './body.ts'
import { countUnknownInputs } from './unknown-inputs.ts'

// Source: OpenAI's API reference (images). Its models are billed by tokens, those of other vendors by the image.

/** Tokens; more than the largest image of the highest quality, and its previews, take. */
const MAX_TOKENS_PER_IMAGE = 20_000
/** The most frames of an animated image. */
const MAX_FRAMES = 16
/** Tokens of a square image of medium quality, by OpenAI's guide to image generation. */
const LIKELY_TOKENS_PER_IMAGE = 1_056

/** Tokens; more than OpenAI's models take for an image with `input_fidelity` `high`. */
const MAX_TOKENS_PER_SOURCE = 10_000
const LIKELY_TOKENS_PER_SOURCE = 1_000

/** Throws GatewayError 400 for what cannot be passed through. */
function decodeImages(input: PassThroughInput): Decoded {
  return { ...imageRequest(input.json, 0), endpoint: 'images', encode: body.encodeJson(input) }
}

/** A form with files, or JSON with URLs. Throws GatewayError 400 for what cannot be passed through. */
function decodeImageEdits(input: PassThroughInput): Decoded {
  const { json, bytes, boundary } = input
  if (boundary === '') {
    const sources = [json.image, json.images, json.markup, json.mask]
      .flat()
      .filter((source) => source !== undefined)
    return { ...imageRequest(json, sources.length), endpoint: 'imageEdits', encode: body.encodeJson(input) }
  }
  const parts = body.requireForm(bytes, boundary)
  const modelPart = body.findText(parts, 'model')
  if (!modelPart) throw invalidRequest('The form needs the field "model".', { param: 'model' })
  const sources = parts.filter(({ filename }) => filename !== null)
  return {
    ...imageRequest(json, sources.length),
    endpoint: 'imageEdits',
    encode: body.encodeForm(input, modelPart),
  }
}

/** `sources`: how many images the request has. A form has all values as texts. */
function imageRequest(
  { model, prompt, n, stream, output_format: format }: JsonObject,
  sources: number,
): Omit<Decoded, 'endpoint' | 'encode'> {
  if (stream === true || stream === 'true') {
    throw invalidRequest('Tollgate does not stream images: leave out "stream".', { param: 'stream' })
  }
  const images = tokenCount(typeof n === 'string' ? Number(n) : n) ?? 1
  const bytes = body.countStringBytes(prompt)
  const likelyInput = Math.ceil(bytes / body.BYTES_PER_TOKEN)
  return {
    unit: 'images',
    model: String(model),
    text: body.joinStrings(prompt),
    aboutTokens: likelyInput + sources * LIKELY_TOKENS_PER_SOURCE,
    bound: {
      input: (bytes + sources * MAX_TOKENS_PER_SOURCE) * images,
      output: MAX_TOKENS_PER_IMAGE * images * (format === 'gif' ? MAX_FRAMES : 1),
      most: { images },
      likely: { images },
    },
    readUsage: (answer) => {
      const { data, usage: reported } = body.readJsonAnswer(answer)
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
        costUsd: body.readReportedCost(usage),
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

/** `input` is a text, a list of texts, a list of tokens, or a list of such lists. */
function decodeEmbeddings(input: PassThroughInput): Decoded {
  const tokens = countTokenArrays(input.json.input)
  return { ...textRequest(input, ['input'], tokens), endpoint: 'embeddings', givenTokens: tokens }
}

function decodeModerations(input: PassThroughInput): Decoded {
  const base = textRequest(input, ['input'])
  return {
    ...base,
    endpoint: 'moderations',
    readUsage: (answer) => {
      const used = readTextUsage(answer)
      // OpenAI reports no usage, because the endpoint is free.
      return { ...used, tokens: used.tokens ?? { counts: { input: base.aboutTokens }, estimated: true } }
    },
  }
}

/** The bytes of text bound its tokens. */
function textRequest(
  input: PassThroughInput,
  fields: readonly string[],
  tokens = 0,
): Omit<Decoded, 'endpoint'> {
  const { json } = input
  const values = fields.map((field) => json[field])
  const bytes = body.countStringBytes(values)
  return {
    unit: null,
    model: String(json.model),
    text: body.joinStrings(values),
    aboutTokens: tokens + Math.ceil(bytes / body.BYTES_PER_TOKEN),
    bound: { ...NO_BOUND, input: tokens + bytes + FRAMING * countTexts(values) },
    encode: body.encodeJson(input),
    readUsage: readTextUsage,
  }
}

/** Tokens that a model adds to each text; Voyage's for a query and Jina's for a task are the longest that are documented. */
const FRAMING = 16

/** A list of tokens is one text. */
function countTexts(value: unknown): number {
  if (!Array.isArray(value) || typeof value[0] === 'number') return 1
  return value.reduce<number>((sum, item) => sum + countTexts(item), 0)
}

function countTokenArrays(value: unknown): number {
  if (!Array.isArray(value)) return 0
  return value.reduce<number>((sum, item) => sum + (typeof item === 'number' ? 1 : countTokenArrays(item)), 0)
}

const readTextUsage: RawUsageReader = (answer) => {
  const usage = asObject(body.readJsonAnswer(answer).usage)
  const input = body.readInputTokens(usage)
  return { tokens: input === null ? null : { counts: { input } }, costUsd: body.readReportedCost(usage) }
}

/** Cohere bills a search for each 100 documents, and counts each part of a longer document as one. */
const DOCUMENTS_PER_SEARCH = 100
/** Tokens; the shortest part into which Cohere divides a document is a little longer. */
const PART_TOKENS = 500

/** Cohere's shape, which Jina, Voyage, Together and vLLM share: `query`, `documents`. */
function decodeRerank(input: PassThroughInput): Decoded {
  const { query, documents } = input.json
  const list = asList(documents)
  /** Parts of documents, each with the query, where a token is so many bytes. */
  const countParts = (bytesPerToken: number) =>
    list.reduce<number>((sum, document) => {
      const tokens = (body.countStringBytes(document) + body.countStringBytes(query)) / bytesPerToken
      return sum + Math.max(1, Math.ceil(tokens / PART_TOKENS))
    }, 0)
  const most = countParts(1)
  const likely = countParts(body.BYTES_PER_TOKEN)
  const searches = (count: number) => Math.max(1, Math.ceil(count / DOCUMENTS_PER_SEARCH))
  const base = textRequest(input, ['query', 'documents'])
  // The query is read again with each document.
  const queries = body.countStringBytes(query) * most
  return {
    ...base,
    endpoint: 'rerank',
    unit: 'searches',
    bound: {
      ...base.bound,
      input: base.bound.input + queries,
      most: { searches: searches(most) },
      likely: { searches: searches(likely) },
    },
    readUsage: (answer) => {
      const { meta } = body.readJsonAnswer(answer)
      const billed = tokenCount(asObject(asObject(meta).billed_units).search_units)
      // A search of nothing is not billed, and a server that reports none for documents does not count them.
      const units = !billed
        ? { counts: { searches: searches(likely) }, estimated: true }
        : { counts: { searches: billed } }
      return { ...readTextUsage(answer), units }
    },
  }
}

const decoders: Record<PassThroughEndpoint, (input: PassThroughInput) => Decoded> = {
  embeddings: decodeEmbeddings,
  moderations: decodeModerations,
  rerank: decodeRerank,
  images: decodeImages,
  imageEdits: decodeImageEdits,
  speech: decodeSpeech,
  transcriptions: (input) => decodeTranscription('transcriptions', input),
  translations: (input) => decodeTranscription('translations', input),
}

/** Throws GatewayError 400 for what cannot be passed through. */
export function decodePassThrough(endpoint: PassThroughEndpoint, input: PassThroughInput): PassThrough {
  return { ...decoders[endpoint](input), unknownInputs: countUnknownInputs(endpoint, input.json) }
}
