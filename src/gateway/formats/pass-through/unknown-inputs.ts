// What the body of a request that is passed through gives the model to read, beyond the text that bounds its tokens. Sources: the
// API references of OpenAI (embeddings, moderations, images, audio), Cohere, Jina, Mistral, Together, Voyage and vLLM, as of 2026-11.
import type { PassThroughEndpoint } from '../../../shared/api/operations/operation.ts'
import { wordSet } from '../../../shared/values/text.ts'
import { isFilled } from '../chat/content-counter.ts'
import { isObject, type JsonObject } from '../json/json.ts'

/** Members with the texts that the model reads. */
const TEXTS = wordSet('documents input query')

const TRANSCRIPTION = wordSet(`
  chunking_strategy file include keywords known_speaker_names known_speaker_references language languages model
  prompt response_format stream temperature timestamp_granularities`)
const IMAGES = `
  background complexity frame_count frame_duration_ms model moderation n output_compression output_format
  partial_images prompt quality response_format safety_identifier seed size stream style user`

/** Members whose tokens the bound has, or which have none. */
const KNOWN: Readonly<Record<PassThroughEndpoint, ReadonlySet<string>>> = {
  embeddings: wordSet(`
    dimensions embedding_type embedding_types encoding_format input_type late_chunking model normalized
    output_dimension output_dtype task task_type truncate truncation user`),
  moderations: wordSet('model'),
  rerank: wordSet(`
    max_chunks_per_doc max_tokens_per_doc model rank_fields return_documents top_k top_n truncation user`),
  images: wordSet(IMAGES),
  imageEdits: wordSet(`${IMAGES} image images input_fidelity markup mask`),
  speech: wordSet('instructions model response_format speed stream_format voice'),
  transcriptions: TRANSCRIPTION,
  translations: TRANSCRIPTION,
}

/**
 * The inputs of which only the provider knows the length: images and documents, by URL or with their data, conversations, and
 * what a member that is not known here may refer to.
 */
export function countUnknownInputs(endpoint: PassThroughEndpoint, body: JsonObject): number {
  let count = 0
  for (const [key, value] of Object.entries(body)) {
    const name = key.replace(/\[\]$/, '')
    if (KNOWN[endpoint].has(name) || !isFilled(value)) continue
    const inputs: readonly unknown[] = Array.isArray(value) ? value : [value]
    count += TEXTS.has(name) ? inputs.filter((input) => !isText(input)).length : inputs.length
  }
  return count
}

const TEXT_MEMBERS = wordSet('id text title type')

/** A text, tokens, or an object with nothing but texts. */
function isText(input: unknown): boolean {
  if (typeof input === 'string' || typeof input === 'number') return true
  if (Array.isArray(input)) return input.every(isText)
  if (!isObject(input)) return false
  return Object.entries(input).every(
    ([name, value]) => TEXT_MEMBERS.has(name) && (typeof value === 'string' || !isFilled(value)),
  )
}
