// The chat-completions request as clients send it. Documented fields are strict and every other field passes through. So do
// types that are not known here: vendors of the format add their own, and the provider decides whether it accepts them.
// Source of the format: the OpenAI chat-completions API reference and the `openai` package's own types.
import { z } from 'zod'

/** An unknown type. */
export const otherType = (...known: string[]) =>
  z
    .string()
    .min(1)
    // Abort, so that a part of a known type is reported with its own error.
    .refine((type) => !known.includes(type), { abort: true })
    .describe("A type of the provider's own.")

const TextPart = z
  .looseObject({ type: z.literal('text'), text: z.string() })
  .meta({ id: 'TextContentPart', description: 'Text.' })
const ImagePart = z
  .looseObject({
    type: z.literal('image_url'),
    image_url: z.looseObject({
      url: z.string().min(1).describe('A URL that the provider fetches, or a `data:` URL.'),
      detail: z.string().nullish().describe('`low`, `high`, `auto`, or a value of the provider.'),
    }),
  })
  .meta({ id: 'ImageContentPart', description: 'An image. Only for models with the capability `vision`.' })
const KnownPart = z
  .looseObject({ type: z.enum(['input_audio', 'file', 'refusal']) })
  .meta({ id: 'MediaContentPart', description: 'Audio, a file or a refusal, with the fields of that type.' })
const ContentPart = z.discriminatedUnion('type', [TextPart, ImagePart, KnownPart])
export type ContentPart = z.infer<typeof ContentPart>
export const PART_TYPES: readonly string[] = ['text', 'image_url', 'input_audio', 'file', 'refusal']
const OtherPart = z
  .looseObject({ type: otherType(...PART_TYPES) })
  .meta({ id: 'VendorContentPart', description: "A content part of the provider's own type." })
export type OtherPart = z.infer<typeof OtherPart>

export function isKnownPart(part: ContentPart | OtherPart): part is ContentPart {
  return PART_TYPES.includes(part.type)
}

export const ToolCall = z
  .looseObject({
    id: z.string(),
    type: z.string().optional().describe('`function`, unless the provider defines other types.'),
    function: z
      .looseObject({ name: z.string(), arguments: z.string().describe('A JSON object as text.') })
      .optional(),
  })
  .meta({ id: 'ToolCall', description: 'A call of a tool by the model.' })
export type ToolCall = z.infer<typeof ToolCall>

const Named = { name: z.string().nullish() }
function getMessage<Part extends z.ZodType>(part: Part) {
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
const Message = getMessage(ContentPart)
export type Message = z.infer<typeof Message>

const FunctionTool = z
  .looseObject({
    type: z.literal('function'),
    function: z.looseObject({
      name: z.string().min(1),
      description: z.string().nullish(),
      parameters: z.record(z.string(), z.unknown()).nullish().describe('A JSON Schema of the arguments.'),
    }),
  })
  .meta({ id: 'FunctionTool', description: 'A function that the model may call.' })
const CustomTool = z
  .looseObject({ type: z.literal('custom'), custom: z.looseObject({ name: z.string().min(1) }) })
  .meta({ id: 'CustomTool', description: 'A tool that takes text.' })
export const Tool = z.discriminatedUnion('type', [FunctionTool, CustomTool])
export type Tool = z.infer<typeof Tool>
const OtherTool = z
  .looseObject({ type: otherType('function', 'custom') })
  .meta({ id: 'VendorTool', description: "A tool of the provider's own type." })

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

const Seed = z
  .number()
  .min(-(2 ** 63))
  .max(2 ** 63)
  .refine(Number.isInteger, 'it must be a whole number')
  .describe('A 64-bit integer for reproducible output; beyond 2^53 it is rounded to the nearest double.')

export const ChatRequest = z
  .looseObject({
    model: z.string().min(1).describe("A model's id, or `provider/model` to use that provider only."),
    messages: z.array(getMessage(z.union([ContentPart, OtherPart])).meta({ id: 'ChatMessage' })).min(1),
    stream: z.boolean().nullish().describe('Send the completion as server-sent events. Default: false.'),
    stream_options: z
      .looseObject({
        include_usage: z.boolean().nullish().describe('Send a last chunk with `usage` and its cost.'),
      })
      .nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    max_tokens: z.int().min(1).nullish().describe('The older name of `max_completion_tokens`.'),
    max_completion_tokens: z.int().min(1).nullish().describe('The most output tokens for each choice.'),
    tools: z.array(z.union([Tool, OtherTool])).nullish(),
    tool_choice: OtherToolChoice.nullish().describe('`none`, `auto`, `required`, or the tool to call.'),
    parallel_tool_calls: z.boolean().nullish(),
    response_format: z.union([ResponseFormat, OtherResponseFormat]).nullish(),
    reasoning_effort: z.string().nullish().describe('Such as `none`, `low`, `medium` or `high`.'),
    stop: z
      .union([z.string(), z.array(z.string()).max(4)])
      .nullish()
      .describe('Sequences that end the output, four at most.'),
    seed: Seed.nullish(),
    user: z
      .string()
      .nullish()
      .describe("An identifier of your end user, for the provider's abuse monitoring."),
    n: z.int().min(1).max(128).nullish().describe('The number of choices. Default: 1.'),
  })
  .meta({
    id: 'ChatCompletionRequest',
    description: 'A request in the OpenAI format. Fields that are not listed pass through to the provider.',
  })
export type ChatRequest = z.infer<typeof ChatRequest>

/** A request whose types are all known here, so that it can be converted to another format. */
export interface KnownChatRequest extends ChatRequest {
  messages: Message[]
  tools?: Tool[] | null | undefined
  tool_choice?: z.infer<typeof ToolChoice> | null | undefined
  response_format?: z.infer<typeof ResponseFormat> | null | undefined
}

/**
 * The most tokens that each choice may have, or null when the client leaves that to the model. The newer of the field's
 * two names takes precedence: the same number is reserved and sent.
 */
export function outputLimit({
  max_completion_tokens: newer,
  max_tokens: older,
}: Pick<ChatRequest, 'max_completion_tokens' | 'max_tokens'>): number | null {
  return newer ?? older ?? null
}

/**
 * Request fields that would bypass the gateway's routing or credentials; a body with one of them is rejected. Routers
 * define some of them (OpenRouter's `models`, `route`, `provider` and `preset`, LiteLLM's `fallbacks` and `user_config`): with those, another
 * model or host would serve the request, at another price than the reserved one.
 */
export const REFUSED_REQUEST_FIELDS = [
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
  'extra_body',
  'extra_headers',
  'extra_query',
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
  'user_config',
] as const
