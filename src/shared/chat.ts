// Owns the chat-completions format as clients see it. Documented fields are strict, every other one passes through. So
// do types that are not known here: vendors of the format add their own, and whether one is served is for them to say.
// Source of the format: the OpenAI chat-completions API reference and the `openai` package's own types.
import { z } from 'zod'

/** A type that is none of the known ones. */
const otherType = (...known: string[]) =>
  z
    .string()
    .min(1)
    // Aborting, so that of a known type its own fault is told.
    .refine((type) => !known.includes(type), { abort: true })

const TextPart = z.looseObject({ type: z.literal('text'), text: z.string() })
const ImagePart = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({ url: z.string().min(1), detail: z.string().nullish() }),
})
const KnownPart = z.looseObject({ type: z.enum(['input_audio', 'file', 'refusal']) })
const ContentPart = z.discriminatedUnion('type', [TextPart, ImagePart, KnownPart])
export type ContentPart = z.infer<typeof ContentPart>
export const PART_TYPES: readonly string[] = ['text', 'image_url', 'input_audio', 'file', 'refusal']
const OtherPart = z.looseObject({ type: otherType(...PART_TYPES) })
export type OtherPart = z.infer<typeof OtherPart>

export function isKnownPart(part: ContentPart | OtherPart): part is ContentPart {
  return PART_TYPES.includes(part.type)
}

export const ToolCall = z.looseObject({
  id: z.string(),
  type: z.string().optional(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }).optional(),
})
export type ToolCall = z.infer<typeof ToolCall>

const Named = { name: z.string().nullish() }
function messageOf<Part extends z.ZodType>(part: Part) {
  const content = z.union([z.string(), z.array(part).min(1)])
  return z.discriminatedUnion('role', [
    z.looseObject({ role: z.enum(['system', 'developer', 'user']), content, ...Named }),
    z.looseObject({
      role: z.literal('assistant'),
      content: content.nullish(),
      tool_calls: z.array(ToolCall).nullish(),
      ...Named,
    }),
    z.looseObject({ role: z.literal('tool'), content, tool_call_id: z.string(), ...Named }),
    z.looseObject({ role: z.literal('function'), content: content.nullable(), name: z.string() }),
  ])
}
const Message = messageOf(ContentPart)
export type Message = z.infer<typeof Message>

const FunctionTool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: z.string().min(1),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
  }),
})
export const Tool = z.discriminatedUnion('type', [
  FunctionTool,
  z.looseObject({ type: z.literal('custom'), custom: z.looseObject({ name: z.string().min(1) }) }),
])
export type Tool = z.infer<typeof Tool>
const OtherTool = z.looseObject({ type: otherType('function', 'custom') })

const ToolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.looseObject({ type: z.enum(['function', 'custom', 'allowed_tools']) }),
])
const OtherToolChoice = z.union([z.string(), z.looseObject({ type: z.string() })])

const ResponseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({ type: z.literal('json_schema'), json_schema: z.looseObject({ name: z.string() }) }),
])
const OtherResponseFormat = z.looseObject({ type: otherType('text', 'json_object', 'json_schema') })

/** Any integer of 64 bits. Beyond 2^53 it is known to the nearest double only, which is good enough for a seed. */
const Seed = z
  .number()
  .min(-(2 ** 63))
  .max(2 ** 63)
  .refine(Number.isInteger, 'it must be a whole number')

export const ChatRequest = z.looseObject({
  model: z.string().min(1),
  messages: z.array(messageOf(z.union([ContentPart, OtherPart]))).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  tools: z.array(z.union([Tool, OtherTool])).nullish(),
  tool_choice: OtherToolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: z.union([ResponseFormat, OtherResponseFormat]).nullish(),
  reasoning_effort: z.string().nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  seed: Seed.nullish(),
  user: z.string().nullish(),
  n: z.int().min(1).max(128).nullish(),
})
export type ChatRequest = z.infer<typeof ChatRequest>

/** A request whose types are all known here: what can be told in another format. */
export interface KnownChatRequest extends ChatRequest {
  messages: Message[]
  tools?: Tool[] | null | undefined
  tool_choice?: z.infer<typeof ToolChoice> | null | undefined
  response_format?: z.infer<typeof ResponseFormat> | null | undefined
}

/**
 * The most tokens that each choice may have, or null when the client leaves that to the model. Of the field's two names
 * the newer one counts where both are given: the one number is what is reserved and what is sent.
 */
export function outputLimit({
  max_completion_tokens: newer,
  max_tokens: older,
}: Pick<ChatRequest, 'max_completion_tokens' | 'max_tokens'>): number | null {
  return newer ?? older ?? null
}

export const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter'] as const
export type FinishReason = (typeof FINISH_REASONS)[number]

/** Token counts as the format reports them: cached, reasoning and audio counts are parts of the totals. */
export const ChatUsage = z.looseObject({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  cost: z.number().optional(),
})
export type ChatUsage = z.infer<typeof ChatUsage>

const ChatChoice = z.looseObject({
  index: z.number(),
  message: z.looseObject({
    role: z.literal('assistant'),
    content: z.string().nullable(),
    tool_calls: z.array(ToolCall).optional(),
  }),
  finish_reason: z.string().nullable(),
})

export const ChatCompletion = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.number(),
  model: z.string(),
  choices: z.array(ChatChoice),
  usage: ChatUsage.optional(),
})
export type ChatCompletion = z.infer<typeof ChatCompletion>

export interface ToolCallDelta {
  index: number
  id?: string
  type?: string
  function?: { name?: string; arguments?: string }
  [field: string]: unknown
}

export interface ChunkChoice {
  index: number
  delta: {
    role?: string
    content?: string | null
    reasoning_content?: string
    tool_calls?: ToolCallDelta[]
    [field: string]: unknown
  }
  finish_reason: string | null
  [field: string]: unknown
}

/** One `data:` object of a stream. The usage chunk has `choices: []`. */
export interface ChatChunk {
  id: string
  object: 'chat.completion.chunk'
  created: number
  model: string
  choices: ChunkChoice[]
  usage?: ChatUsage | null
  [field: string]: unknown
}

/**
 * Request fields that would steer routing or credentials past the gateway; a body that has one is refused. Some are a
 * router's own (OpenRouter's `models`, `route`, `provider`, `preset`, LiteLLM's `fallbacks`): they would have another model or
 * another host serve, at another price, than the one that was reserved for.
 */
export const REFUSED_CHAT_FIELDS = [
  'api_base',
  'api_base_url',
  'api_key',
  'api_type',
  'api_url',
  'api_version',
  'apiBase',
  'apiKey',
  'azure_ad_token',
  'azure_endpoint',
  'base_url',
  'baseURL',
  'baseUrl',
  'content_policy_fallbacks',
  'context_window_fallbacks',
  'custom_llm_provider',
  'deployment_id',
  'extra_headers',
  'fallbacks',
  'headers',
  'model_list',
  'models',
  'organization',
  'preset',
  'provider',
  'providerOptions',
  'proxy',
  'route',
] as const
