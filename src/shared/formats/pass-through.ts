// The bodies of requests that go to a provider as they came. Only what Tollgate reads is validated.
import { z } from 'zod'

const Model = z.string().min(1).describe("A model's id, or `provider/model` to use that provider only.")
const Text = z.string().min(1, { error: 'must not be empty' })
const Count = z.int().min(1).max(128).nullish()

export const EmbeddingRequest = z
  .looseObject({
    model: Model,
    input: z
      .union([Text, z.array(z.unknown()).min(1, { error: 'must not be empty' })])
      .describe('A text, a list of texts, a list of tokens, or a list of lists of tokens.'),
    encoding_format: z.enum(['float', 'base64']).nullish(),
    dimensions: z.int().positive().nullish(),
  })
  .meta({ id: 'EmbeddingRequest' })

export const ModerationRequest = z
  .looseObject({
    model: Model.describe("A model's id. OpenAI's default is `omni-moderation-latest`.").default(
      'omni-moderation-latest',
    ),
    input: z.union([Text, z.array(z.unknown()).min(1, { error: 'must not be empty' })]),
  })
  .meta({ id: 'ModerationRequest' })

export const RerankRequest = z
  .looseObject({
    model: Model,
    query: z.union([Text, z.looseObject({})]),
    documents: z.array(z.unknown()).min(1, { error: 'must not be empty' }),
    top_n: z.int().positive().nullish(),
  })
  .meta({ id: 'RerankRequest' })

export const ImageRequest = z
  .looseObject({ model: Model, prompt: Text, n: Count })
  .meta({ id: 'ImageRequest' })

export const ImageEditRequest = z
  .looseObject({
    model: Model,
    prompt: Text,
    // In a form, all values are texts.
    n: z.union([Count, z.string().regex(/^[1-9]\d{0,2}$/, { error: 'must be an integer from 1 on' })]),
  })
  .meta({ id: 'ImageEditRequest' })

export const SpeechRequest = z.looseObject({ model: Model, input: Text }).meta({ id: 'SpeechRequest' })

export const TranscriptionRequest = z
  .looseObject({
    model: Model,
    file: z
      .looseObject({ bytes: z.number().min(1, { error: 'must not be empty' }) }, { error: 'must be a file' })
      .meta({ type: 'string', format: 'binary' }),
    response_format: z
      .string()
      .optional()
      .describe('`json` (default), `text`, `srt`, `vtt` or `verbose_json`.'),
  })
  .meta({ id: 'TranscriptionRequest' })

export const Transcription = z.looseObject({ text: z.string() }).meta({
  id: 'Transcription',
  description: "The provider's answer; text for some values of `response_format`.",
})

export const EmbeddingList = z
  .looseObject({ object: z.literal('list'), data: z.array(z.unknown()) })
  .meta({ id: 'EmbeddingList', description: "The provider's answer." })

export const Moderation = z
  .looseObject({ results: z.array(z.unknown()) })
  .meta({ id: 'Moderation', description: "The provider's answer." })

export const RerankResult = z
  .looseObject({ results: z.array(z.unknown()) })
  .meta({ id: 'RerankResult', description: "The provider's answer." })

export const ImageList = z
  .looseObject({ data: z.array(z.unknown()) })
  .meta({ id: 'ImageList', description: "The provider's answer." })

export const Audio = z.string().meta({ id: 'Audio', format: 'binary', description: "The provider's answer." })

export const AudioEvent = z.looseObject({ type: z.string() }).meta({
  id: 'AudioEvent',
  description:
    'The provider\'s event: `speech.audio.delta` and `speech.audio.done` for speech with `stream_format: "sse"`, ' +
    '`transcript.text.delta` and `transcript.text.done` for a transcription with `stream: true`.',
})
