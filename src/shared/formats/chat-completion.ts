// The chat-completions response, plain and streamed. Every provider's response is converted to it.
import { z } from 'zod'
import { ToolCall } from './chat.ts'

export const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter'] as const
export type FinishReason = (typeof FINISH_REASONS)[number]

const Created = z.number().describe('Seconds since the Unix epoch.')
const ServedModel = z.string().describe('The model that served the request.')
const FinishReasonText = z
  .string()
  .nullable()
  .describe(`${FINISH_REASONS.map((reason) => `\`${reason}\``).join(', ')}, or null until the choice ends.`)

export const ChatUsage = z
  .looseObject({
    prompt_tokens: z.number(),
    completion_tokens: z.number(),
    total_tokens: z.number(),
    cost: z.number().optional().describe('The cost in USD; absent when no price is known.'),
  })
  .meta({
    id: 'ChatCompletionUsage',
    description: 'Token counts. Cached, reasoning and audio tokens are parts of the totals.',
  })
export type ChatUsage = z.infer<typeof ChatUsage>

export const AnswerMessage = z
  .looseObject({
    role: z.literal('assistant'),
    content: z.string().nullable(),
    tool_calls: z.array(ToolCall).optional(),
  })
  .meta({ id: 'ChatCompletionMessage' })
export type AnswerMessage = z.infer<typeof AnswerMessage>

const ChatChoice = z
  .looseObject({
    index: z.number(),
    message: AnswerMessage,
    finish_reason: FinishReasonText,
  })
  .meta({ id: 'ChatCompletionChoice' })

export const ChatCompletion = z
  .looseObject({
    id: z.string().describe('The id of the request record: `GET /v1/requests/{id}`.'),
    object: z.literal('chat.completion'),
    created: Created,
    model: ServedModel,
    choices: z.array(ChatChoice),
    usage: ChatUsage.optional(),
  })
  .meta({ id: 'ChatCompletion' })
export type ChatCompletion = z.infer<typeof ChatCompletion>

const ToolCallDelta = z
  .looseObject({
    index: z.number(),
    id: z.string().exactOptional(),
    type: z.string().exactOptional(),
    function: z
      .object({ name: z.string().exactOptional(), arguments: z.string().exactOptional() })
      .exactOptional(),
  })
  .meta({
    id: 'ToolCallDelta',
    description: 'A piece of a tool call. Pieces with the same `index` belong together.',
  })
export type ToolCallDelta = z.infer<typeof ToolCallDelta>

const ChunkChoice = z
  .looseObject({
    index: z.number(),
    delta: z.looseObject({
      role: z.string().exactOptional(),
      content: z.string().nullable().exactOptional(),
      reasoning_content: z.string().exactOptional(),
      tool_calls: z.array(ToolCallDelta).exactOptional(),
    }),
    finish_reason: FinishReasonText,
  })
  .meta({ id: 'ChatCompletionChunkChoice' })
export type ChunkChoice = z.infer<typeof ChunkChoice>

/**
 * The formats read and build chunks by hand, because a schema call for each one would slow every stream. A test
 * checks that what they produce matches these schemas.
 */
export const ChatChunk = z
  .looseObject({
    id: z.string(),
    object: z.literal('chat.completion.chunk'),
    created: Created,
    model: ServedModel,
    choices: z.array(ChunkChoice).describe('Empty in the chunk that has `usage`.'),
    usage: ChatUsage.nullable().exactOptional(),
  })
  .meta({ id: 'ChatCompletionChunk', description: 'The data of one event of a streamed completion.' })
export type ChatChunk = z.infer<typeof ChatChunk>
