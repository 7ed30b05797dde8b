// The request of OpenAI's Responses API as clients send it. Only what the gateway reads is checked; every other member passes
// through to a provider of the format. Source: OpenAI's API reference and the types of the `openai` package.
import { z } from 'zod'

const InputItem = z
  .looseObject({ type: z.string().nullish(), role: z.string().nullish(), id: z.string().nullish() })
  .meta({ id: 'ResponseInputItem', description: 'A message, a tool call, its output or reasoning.' })
export type InputItem = z.infer<typeof InputItem>

const ResponseTool = z.looseObject({ type: z.string().min(1), name: z.string().min(1).nullish() }).meta({
  id: 'ResponseTool',
  description: 'A function, a custom tool, a namespace of tools or a hosted tool.',
})

const ResponseToolChoice = z.union([z.string(), z.looseObject({ type: z.string() })])

const TextFormat = z.looseObject({
  type: z.string(),
  name: z.string().nullish(),
  description: z.string().nullish(),
  schema: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
})
export type TextFormat = z.infer<typeof TextFormat>

export const ResponseRequest = z
  .looseObject({
    model: z.string().min(1).describe("A model's id, or `provider/model` to use that provider only."),
    input: z
      .union([z.string(), z.array(InputItem)])
      .nullish()
      .describe('A text, or the conversation as items.'),
    instructions: z.string().nullish().describe('The system message.'),
    stream: z.boolean().nullish().describe('Send the response as server-sent events. Default: false.'),
    tools: z.array(ResponseTool).nullish(),
    tool_choice: ResponseToolChoice.nullish().describe('`none`, `auto`, `required`, or the tool to call.'),
    parallel_tool_calls: z.boolean().nullish(),
    max_output_tokens: z.int().min(1).nullish().describe('The most output tokens.'),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    top_logprobs: z.int().min(0).max(20).nullish(),
    text: z
      .looseObject({ format: TextFormat.nullish(), verbosity: z.string().nullish() })
      .nullish()
      .describe('The format of the output: plain text, or JSON that conforms to a schema.'),
    reasoning: z
      .looseObject({ effort: z.string().nullish(), summary: z.string().nullish() })
      .nullish()
      .describe('The reasoning effort, such as `low` or `high`.'),
    include: z
      .array(z.string())
      .nullish()
      .describe('`reasoning.encrypted_content` adds reasoning that the client can send back.'),
    store: z
      .boolean()
      .nullish()
      .describe('Whether `previous_response_id` and `GET /v1/responses/{id}` may refer to the response.'),
    previous_response_id: z
      .string()
      .min(1)
      .nullish()
      .describe('Continues the conversation of that response.'),
    background: z.boolean().nullish().describe('Only `false` is supported.'),
    metadata: z.record(z.string(), z.unknown()).nullish(),
    user: z.string().nullish(),
    safety_identifier: z.string().nullish(),
    prompt_cache_key: z.string().nullish(),
    service_tier: z.string().nullish(),
    truncation: z.string().nullish(),
  })
  .meta({
    id: 'ResponseRequest',
    description:
      "A request of OpenAI's Responses API. Fields that are not listed pass through to a provider of the same format.",
  })
export type ResponseRequest = z.infer<typeof ResponseRequest>

export const ResponseObject = z
  .looseObject({
    id: z.string(),
    object: z.literal('response'),
    status: z.string().describe('`completed`, `incomplete`, `failed` or `in_progress`.'),
    model: z.string().describe('The model that served the request.'),
    output: z.array(z.looseObject({ type: z.string() })),
  })
  .meta({ id: 'ModelResponse', description: "A response of OpenAI's Responses API." })
export type ResponseObject = z.infer<typeof ResponseObject>

export const ResponseEvent = z
  .looseObject({
    type: z.string().describe('Such as `response.output_text.delta`.'),
    sequence_number: z.number(),
  })
  .meta({ id: 'ResponseEvent', description: 'The data of one event of a streamed response.' })

export const ResponseQuery = z
  .looseObject({ stream: z.string().optional().describe('Only `false` is supported.') })
  .meta({ id: 'ResponseQuery' })

export const DeletedResponse = z
  .object({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) })
  .meta({ id: 'DeletedResponse' })

export const ResponseItemsQuery = z
  .looseObject({
    limit: z.coerce.number().int().min(1).max(100).default(20),
    order: z.enum(['asc', 'desc']).default('desc'),
    after: z.string().optional().describe('The id of the last item of the previous page.'),
  })
  .meta({ id: 'ResponseItemsQuery' })
export type ResponseItemsQuery = z.infer<typeof ResponseItemsQuery>

export const ResponseItems = z
  .object({
    object: z.literal('list'),
    data: z.array(z.looseObject({})),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'ResponseItemList', description: 'A page of the input of a response.' })
export type ResponseItems = z.infer<typeof ResponseItems>
