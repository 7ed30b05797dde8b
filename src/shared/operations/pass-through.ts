import {
  Audio,
  AudioEvent,
  EmbeddingList,
  EmbeddingRequest,
  ImageList,
  ImageRequest,
  Moderation,
  ModerationRequest,
  RerankRequest,
  RerankResult,
  SpeechRequest,
  Transcription,
  TranscriptionRequest,
} from '../pass-through.ts'
import { inference, type Operation } from './operation.ts'

/** What operations have in common whose requests and answers go as they came to a provider and back. */
const passedThrough = {
  description:
    'The request goes to the provider as it came, except for the name of the model, and the answer back as it comes. ' +
    'It is limited, metered and recorded like a chat completion.',
  scopes: inference,
  rawAnswer: true,
  errors: [402, 404, 408, 429, 504],
} as const

export const passThroughOperations = {
  createEmbedding: {
    method: 'POST',
    path: '/v1/embeddings',
    tag: 'Embeddings, images and audio',
    summary: 'Create embeddings',
    ...passedThrough,
    body: EmbeddingRequest,
    response: EmbeddingList,
  },
  createModeration: {
    method: 'POST',
    path: '/v1/moderations',
    tag: 'Embeddings, images and audio',
    summary: 'Classify texts and images',
    ...passedThrough,
    body: ModerationRequest,
    response: Moderation,
  },
  rerank: {
    method: 'POST',
    path: '/v1/rerank',
    tag: 'Embeddings, images and audio',
    summary: 'Sort documents by relevance',
    ...passedThrough,
    body: RerankRequest,
    response: RerankResult,
  },
  createImage: {
    method: 'POST',
    path: '/v1/images/generations',
    tag: 'Embeddings, images and audio',
    summary: 'Generate images',
    ...passedThrough,
    body: ImageRequest,
    response: ImageList,
  },
  createTranscription: {
    method: 'POST',
    path: '/v1/audio/transcriptions',
    tag: 'Embeddings, images and audio',
    summary: 'Turn speech into text',
    ...passedThrough,
    form: true,
    body: TranscriptionRequest,
    response: Transcription,
    streams: 'optional-events',
    event: AudioEvent,
  },
  createTranslation: {
    method: 'POST',
    path: '/v1/audio/translations',
    tag: 'Embeddings, images and audio',
    summary: 'Turn speech into English text',
    ...passedThrough,
    form: true,
    body: TranscriptionRequest,
    response: Transcription,
  },
  createSpeech: {
    method: 'POST',
    path: '/v1/audio/speech',
    tag: 'Embeddings, images and audio',
    summary: 'Turn text into speech',
    ...passedThrough,
    body: SpeechRequest,
    response: Audio,
    streams: 'optional-events',
    event: AudioEvent,
  },
} as const satisfies Record<string, Operation>
