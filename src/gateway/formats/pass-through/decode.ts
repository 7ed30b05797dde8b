// Requests whose answers are billed by the tokens of what they send. Sources: the API references of OpenAI (embeddings,
// moderations), Mistral, Jina, Voyage and Cohere (rerank).

import type { PassThroughEndpoint } from '../../../shared/api/operations/operation.ts'
import {
  NO_BOUND,
  type PassThrough,
  type PassThroughInput,
  type RawUsageReader,
} from '../chat/pass-through.ts'
import { asList, asObject, tokenCount } from '../json/json.ts'
import { decodeSpeech, decodeTranscription } from './audio.ts'
import {
  BYTES_PER_TOKEN,
  countStringBytes,
  encodeJson,
  joinStrings,
  readInputTokens,
  readJsonAnswer,
  readReportedCost,
} from './body.ts'
import { decodeImageEdits, decodeImages } from './images.ts'

/** `input` is a text, a list of texts, a list of tokens, or a list of such lists. */
function decodeEmbeddings(input: PassThroughInput): PassThrough {
  const tokens = countTokenArrays(input.json.input)
  return { ...textRequest(input, ['input'], tokens), endpoint: 'embeddings', givenTokens: tokens }
}

function decodeModerations(input: PassThroughInput): PassThrough {
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

/** The bytes of text bound its tokens; images and other parts have their URLs only. */
function textRequest(
  input: PassThroughInput,
  fields: readonly string[],
  tokens = 0,
): Omit<PassThrough, 'endpoint'> {
  const { json } = input
  const values = fields.map((field) => json[field])
  const bytes = countStringBytes(values)
  return {
    unit: null,
    model: String(json.model),
    text: joinStrings(values),
    aboutTokens: tokens + Math.ceil(bytes / BYTES_PER_TOKEN),
    bound: { ...NO_BOUND, input: tokens + bytes + FRAMING * countTexts(values) },
    encode: encodeJson(input),
    readUsage: readTextUsage,
  }
}

/** Tokens that a model adds to each text. */
const FRAMING = 4

function countTexts(value: unknown): number {
  return Array.isArray(value) ? value.reduce<number>((sum, each) => sum + countTexts(each), 0) : 1
}

function countTokenArrays(value: unknown): number {
  if (!Array.isArray(value)) return 0
  return value.reduce<number>((sum, each) => sum + (typeof each === 'number' ? 1 : countTokenArrays(each)), 0)
}

const readTextUsage: RawUsageReader = (answer) => {
  const usage = asObject(readJsonAnswer(answer).usage)
  const input = readInputTokens(usage)
  return { tokens: input === null ? null : { counts: { input } }, costUsd: readReportedCost(usage) }
}

/** Cohere bills a search for each 100 documents, and counts each part of a longer document as one. */
const DOCUMENTS_PER_SEARCH = 100
/** Tokens; the shortest part into which Cohere divides a document is a little longer. */
const PART_TOKENS = 500

/** Cohere's shape, which Jina, Voyage, Together and vLLM share: `query`, `documents`. */
function decodeRerank(input: PassThroughInput): PassThrough {
  const { query, documents } = input.json
  const list = asList(documents)
  /** Parts of documents, each with the query, where a token is so many bytes. */
  const countParts = (bytesPerToken: number) =>
    list.reduce<number>((sum, each) => {
      const tokens = (countStringBytes(each) + countStringBytes(query)) / bytesPerToken
      return sum + Math.max(1, Math.ceil(tokens / PART_TOKENS))
    }, 0)
  const most = countParts(1)
  const likely = countParts(BYTES_PER_TOKEN)
  const searches = (count: number) => Math.max(1, Math.ceil(count / DOCUMENTS_PER_SEARCH))
  const base = textRequest(input, ['query', 'documents'])
  // The query is read again with each document.
  const queries = countStringBytes(query) * most
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
      const { meta } = readJsonAnswer(answer)
      const billed = tokenCount(asObject(asObject(meta).billed_units).search_units)
      // A search of nothing is not billed, and a server that reports none for documents does not count them.
      const units = !billed
        ? { counts: { searches: searches(likely) }, estimated: true }
        : { counts: { searches: billed } }
      return { ...readTextUsage(answer), units }
    },
  }
}

const decoders: Record<PassThroughEndpoint, (input: PassThroughInput) => PassThrough> = {
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
  return decoders[endpoint](input)
}
