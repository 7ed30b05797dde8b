// The request of Anthropic's Messages API as clients send it. Only what the gateway reads is checked; every other member
// passes through to a provider of the format. Source: the types of Anthropic's SDK.
import { z } from 'zod'
import { otherType } from './chat.ts'

const CacheControl = z.looseObject({ type: z.string() }).nullish()

const TextBlock = z.looseObject({ type: z.literal('text'), text: z.string(), cache_control: CacheControl })
const Source = z.looseObject({ type: z.string() })
const ImageBlock = z.looseObject({ type: z.literal('image'), source: Source, cache_control: CacheControl })
const DocumentBlock = z.looseObject({
  type: z.literal('document'),
  source: Source,
  title: z.string().nullish(),
  context: z.string().nullish(),
  cache_control: CacheControl,
})
const SearchResultBlock = z.looseObject({
  type: z.literal('search_result'),
  source: z.string(),
  title: z.string(),
  content: z.array(z.looseObject({ type: z.literal('text'), text: z.string() })),
  cache_control: CacheControl,
})
const ThinkingBlock = z.looseObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string().nullish(),
})
const RedactedThinkingBlock = z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() })
const ToolUseBlock = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string().min(1),
  name: z.string().min(1),
  input: z.unknown().optional(),
  cache_control: CacheControl,
})

const PART_TYPES = ['text', 'image', 'document', 'search_result'] as const
const PartBlock = z.discriminatedUnion('type', [TextBlock, ImageBlock, DocumentBlock, SearchResultBlock])
/** The blocks that users and tools give the model to read. */
export type PartBlock = z.infer<typeof PartBlock>
const OtherPart = z.looseObject({ type: otherType(...PART_TYPES) })
export type OtherPart = z.infer<typeof OtherPart>

const ToolResultBlock = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().min(1),
  content: z.union([z.string(), z.array(z.union([PartBlock, OtherPart]))]).nullish(),
  is_error: z.boolean().nullish(),
  cache_control: CacheControl,
})
export type ToolResultBlock = z.infer<typeof ToolResultBlock>

const BLOCK_TYPES = [...PART_TYPES, 'thinking', 'redacted_thinking', 'tool_use', 'tool_result'] as const
const KnownBlock = z.discriminatedUnion('type', [
  TextBlock,
  ImageBlock,
  DocumentBlock,
  SearchResultBlock,
  ThinkingBlock,
  RedactedThinkingBlock,
  ToolUseBlock,
  ToolResultBlock,
])
export type KnownBlock = z.infer<typeof KnownBlock>
const OtherBlock = z
  .looseObject({ type: otherType(...BLOCK_TYPES) })
  .meta({ id: 'OtherContentBlock', description: 'A block that only providers of this format can read.' })
export type ContentBlock = KnownBlock | z.infer<typeof OtherBlock>

export function isKnownBlock(block: ContentBlock): block is KnownBlock {
  return BLOCK_TYPES.some((type) => type === block.type)
}

export function isPartBlock(block: PartBlock | OtherPart): block is PartBlock {
  return PART_TYPES.some((type) => type === block.type)
}

const MessageParam = z
  .looseObject({
    role: z.enum(['user', 'assistant', 'system']),
    content: z.union([z.string(), z.array(z.union([KnownBlock, OtherBlock]))]).nullish(),
  })
  .meta({ id: 'AnthropicMessage' })
export type MessageParam = z.infer<typeof MessageParam>

const MessageTool = z
  .looseObject({
    type: z.string().nullish(),
    name: z.string().nullish(),
    description: z.string().nullish(),
    input_schema: z.record(z.string(), z.unknown()).nullish(),
    strict: z.boolean().nullish(),
    cache_control: CacheControl,
  })
  .meta({ id: 'AnthropicTool' })

const OutputFormat = z
  .looseObject({ type: z.string(), schema: z.record(z.string(), z.unknown()).nullish() })
  .nullish()

const prompt = {
  model: z.string().min(1).describe("A model's id, or `provider/model` to use that provider only."),
  messages: z.array(MessageParam).min(1),
  system: z.union([z.string(), z.array(TextBlock)]).nullish(),
  tools: z.array(MessageTool).nullish(),
  tool_choice: z
    .looseObject({
      type: z.string(),
      name: z.string().nullish(),
      disable_parallel_tool_use: z.boolean().nullish(),
    })
    .nullish(),
  thinking: z
    .looseObject({
      type: z.string(),
      budget_tokens: z.number().nullish(),
      display: z.string().nullish(),
    })
    .nullish(),
  output_config: z
    .looseObject({ effort: z.string().nullish(), format: OutputFormat })
    .nullish()
    .describe('`effort`, and `format` for output that follows a JSON Schema.'),
}

const options = {
  stream: z.boolean().nullish().describe('Send the message as server-sent events. Default: false.'),
  stop_sequences: z.array(z.string()).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  metadata: z.looseObject({ user_id: z.string().nullish() }).nullish(),
  output_format: OutputFormat.describe('The earlier name of `output_config.format`.'),
}

export const MessagesRequest = z
  .looseObject({ ...prompt, max_tokens: z.int().min(0).describe('The most output tokens.'), ...options })
  .meta({
    id: 'MessagesRequest',
    description:
      "A request of Anthropic's Messages API. Members that are not listed pass through to a provider of this format.",
  })
export type MessagesRequest = z.infer<typeof MessagesRequest>

export const CountMessageTokensRequest = z.looseObject({ ...prompt, ...options }).meta({
  id: 'CountMessageTokensRequest',
  description: "A request of Anthropic's token counting.",
})

export const Message = z
  .looseObject({
    id: z.string().describe('The id of the request record: `GET /v1/requests/{id}`.'),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string().describe('The model that served the request.'),
    content: z.array(z.looseObject({ type: z.string() })),
    stop_reason: z.string().nullable(),
    usage: z.looseObject({
      input_tokens: z.number().describe('Without what was read from or written to the cache.'),
      output_tokens: z.number(),
      cost: z.number().optional().describe('The cost in USD; absent when no price is known.'),
    }),
  })
  .meta({ id: 'Message', description: "A message as Anthropic's Messages API returns it." })

export const TokenCount = z.looseObject({ input_tokens: z.number() }).meta({ id: 'MessageTokenCount' })
export type TokenCount = z.infer<typeof TokenCount>

export const Hello = z.object({ message: z.literal('hello') }).meta({ id: 'Hello' })
