import { decodeImages } from './images.ts'
import type { PassThrough, PassThroughEndpoint, PassThroughInput } from './pass-through.ts'
import { decodeSpeech } from './speech.ts'
import { decodeEmbeddings, decodeModerations, decodeRerank } from './text-requests.ts'

const decoders = {
  embeddings: decodeEmbeddings,
  moderations: decodeModerations,
  rerank: decodeRerank,
  images: decodeImages,
  speech: decodeSpeech,
} as const satisfies Partial<Record<PassThroughEndpoint, (input: PassThroughInput) => PassThrough>>

export type JsonPassThrough = keyof typeof decoders

/** Throws GatewayError 400 for what cannot be passed through. */
export function decodePassThrough(endpoint: JsonPassThrough, input: PassThroughInput): PassThrough {
  return decoders[endpoint](input)
}
