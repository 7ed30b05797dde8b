import type { PassThrough, PassThroughEndpoint, PassThroughInput } from '../chat/pass-through.ts'
import { decodeImageEdits, decodeImages } from './images.ts'
import { decodeSpeech } from './speech.ts'
import { decodeEmbeddings, decodeModerations, decodeRerank } from './text-requests.ts'
import { decodeTranscription } from './transcriptions.ts'

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
