// A strict schema of the vendor's request format. The compiler checks it against the types of the vendor's SDK.
import type { ResponseCreateParams } from 'openai/resources/responses/responses'
import { z } from 'zod'

const Breakpoint = { prompt_cache_breakpoint: z.strictObject({ mode: z.literal('explicit') }).optional() }
const InputText = z.strictObject({ type: z.literal('input_text'), text: z.string(), ...Breakpoint })
const InputImage = z.strictObject({
  type: z.literal('input_image'),
  image_url: z.string().min(1),
  detail: z.enum(['low', 'high', 'auto', 'original']),
  ...Breakpoint,
})
const InputFile = z.strictObject({
  type: z.literal('input_file'),
  file_data: z.string().optional(),
  file_id: z.string().optional(),
  file_url: z.string().optional(),
  filename: z.string().optional(),
  ...Breakpoint,
})
const Content = z.union([z.string(), z.array(z.union([InputText, InputImage, InputFile])).min(1)])

const CallId = z.string().min(1).max(64)
const Reasoning = z.strictObject({
  type: z.literal('reasoning'),
  id: z.string().min(1),
  summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
  encrypted_content: z.string().min(1),
})
const FunctionCall = z.strictObject({
  type: z.literal('function_call'),
  call_id: CallId,
  name: z.string().min(1),
  arguments: z.string().min(1),
})
const CustomCall = z.strictObject({
  type: z.literal('custom_tool_call'),
  call_id: CallId,
  name: z.string().min(1),
  input: z.string(),
})
const Item = z.union([
  z.strictObject({
    type: z.literal('message'),
    role: z.enum(['system', 'developer', 'user']),
    content: Content,
  }),
  z.strictObject({
    type: z.literal('message'),
    role: z.literal('assistant'),
    content: z.string().min(1),
    phase: z.enum(['commentary', 'final_answer']).optional(),
  }),
  Reasoning,
  FunctionCall,
  CustomCall,
  z.strictObject({ type: z.literal('function_call_output'), call_id: CallId, output: Content }),
  z.strictObject({ type: z.literal('custom_tool_call_output'), call_id: CallId, output: Content }),
])

const Schema = z.record(z.string(), z.unknown())
const Tool = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('function'),
    name: z.string(),
    description: z.string().optional(),
    parameters: Schema,
    strict: z.boolean(),
  }),
  z.strictObject({
    type: z.literal('custom'),
    name: z.string(),
    description: z.string().optional(),
    format: z
      .union([
        z.strictObject({ type: z.literal('text') }),
        z.strictObject({
          type: z.literal('grammar'),
          definition: z.string(),
          syntax: z.enum(['lark', 'regex']),
        }),
      ])
      .optional(),
  }),
  z.strictObject({
    type: z.literal('web_search'),
    search_context_size: z.enum(['low', 'medium', 'high']).optional(),
    user_location: z.strictObject({ type: z.literal('approximate'), city: z.string().optional() }).optional(),
  }),
])
const ToolReference = z.strictObject({ type: z.enum(['function', 'custom']), name: z.string() })
const TextFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    name: z.string(),
    description: z.string().optional(),
    schema: Schema,
    strict: z.boolean().nullish(),
  }),
])

const Body = z.strictObject({
  model: z.string().min(1),
  input: z.array(Item).min(1),
  tools: z.array(Tool).optional(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      ToolReference.extend({ type: z.literal('function') }),
      ToolReference.extend({ type: z.literal('custom') }),
      z.strictObject({
        type: z.literal('allowed_tools'),
        mode: z.enum(['auto', 'required']),
        tools: z.array(ToolReference).min(1),
      }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  reasoning: z
    .strictObject({
      effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']),
      summary: z.literal('auto').optional(),
    })
    .optional(),
  text: z
    .strictObject({ format: TextFormat.optional(), verbosity: z.enum(['low', 'medium', 'high']).optional() })
    .optional(),
  max_output_tokens: z.int().min(16).optional(),
  include: z
    .array(z.enum(['reasoning.encrypted_content', 'message.output_text.logprobs']))
    .min(1)
    .optional(),
  top_logprobs: z.int().min(0).max(20).optional(),
  store: z.boolean(),
  stream: z.literal(true).optional(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean() }).optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  prompt_cache_key: z.string().optional(),
  prompt_cache_retention: z.enum(['in_memory', '24h']).optional(),
  safety_identifier: z.string().optional(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast']).optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  user: z.string().optional(),
})

/** Removes `undefined` from optional properties: the SDK's types do not distinguish undefined from absent. */
type Present<T> = T extends (infer Item)[]
  ? Present<Item>[]
  : T extends object
    ? { [Name in keyof T]: Present<Exclude<T[Name], undefined>> }
    : T

const asSdk = (body: Present<z.infer<typeof Body>>): ResponseCreateParams => body

const CALLS: ReadonlySet<string> = new Set(['function_call', 'custom_tool_call'])

/**
 * Types the body of a request as the vendor's SDK does. Throws when it does not match the format, or breaks a rule that
 * types cannot express: output follows reasoning, and every result follows its call.
 */
export function readResponsesRequest(body: unknown): ResponseCreateParams {
  const read = Body.parse(body)
  const called = new Map<string, string>()
  for (const [at, item] of read.input.entries()) {
    const next = read.input[at + 1]
    const isOutput = next && (CALLS.has(next.type) || ('role' in next && next.role === 'assistant'))
    if (item.type === 'reasoning' && next?.type !== 'reasoning' && !isOutput)
      throw new Error('reasoning without its output')
    if (item.type === 'function_call' || item.type === 'custom_tool_call') called.set(item.call_id, item.type)
    if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output')
      if (`${called.get(item.call_id)}_output` !== item.type) throw new Error('a result without its call')
  }
  return asSdk(omitUndefined(read))
}

function omitUndefined<T>(value: T): Present<T>
function omitUndefined(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
