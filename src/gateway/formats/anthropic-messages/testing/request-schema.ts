// A strict schema of the vendor's request format. The compiler checks it against the types of the vendor's SDK.
import type { MessageCreateParams } from '@anthropic-ai/sdk/resources/messages'
import { z } from 'zod'

const Mark = {
  cache_control: z
    .strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() })
    .optional(),
}
const Text = z.strictObject({ type: z.literal('text'), text: z.string().regex(/\S/), ...Mark })
const Image = z.strictObject({
  type: z.literal('image'),
  source: z.union([
    z.strictObject({
      type: z.literal('base64'),
      data: z.base64(),
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
    }),
    z.strictObject({ type: z.literal('url'), url: z.url() }),
  ]),
  ...Mark,
})
const Document = z.strictObject({
  type: z.literal('document'),
  source: z.strictObject({
    type: z.literal('base64'),
    data: z.base64(),
    media_type: z.literal('application/pdf'),
  }),
  ...Mark,
})
const CallId = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/)
const ToolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: CallId,
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
})
const ToolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: CallId,
  content: z.union([z.string(), z.array(z.union([Text, Image, Document]))]).optional(),
  ...Mark,
})
const Thinking = z.strictObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string().min(1),
})
const Redacted = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() })

const Auto = { disable_parallel_tool_use: z.boolean().optional() }
const Body = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().positive(),
  system: z.union([z.string(), z.array(Text)]).optional(),
  messages: z
    .array(
      z.discriminatedUnion('role', [
        z.strictObject({
          role: z.literal('user'),
          content: z.array(z.union([Text, Image, Document, ToolResult])).min(1),
        }),
        z.strictObject({
          role: z.literal('assistant'),
          content: z.array(z.union([Text, ToolUse, Thinking, Redacted])).min(1),
        }),
      ]),
    )
    .min(1),
  tools: z
    .array(
      z.strictObject({
        name: z.string(),
        description: z.string().optional(),
        input_schema: z.looseObject({ type: z.literal('object') }),
        strict: z.boolean().optional(),
        ...Mark,
      }),
    )
    .optional(),
  tool_choice: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('auto'), ...Auto }),
      z.strictObject({ type: z.literal('any'), ...Auto }),
      z.strictObject({ type: z.literal('tool'), name: z.string(), ...Auto }),
      z.strictObject({ type: z.literal('none') }),
    ])
    .optional(),
  thinking: z
    .union([
      z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024) }),
      z.strictObject({ type: z.literal('adaptive'), display: z.literal('summarized') }),
      z.strictObject({ type: z.literal('disabled') }),
    ])
    .optional(),
  output_config: z
    .strictObject({
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
      format: z
        .strictObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) })
        .optional(),
    })
    .optional(),
  metadata: z.strictObject({ user_id: z.string() }).optional(),
  stop_sequences: z.array(z.string()).optional(),
  stream: z.boolean().optional(),
})
type AnthropicBody = z.infer<typeof Body>

/** Removes `undefined` from optional properties: the SDK's types do not distinguish undefined from absent. */
type Present<T> = T extends (infer Item)[]
  ? Present<Item>[]
  : T extends object
    ? { [Name in keyof T]: Present<Exclude<T[Name], undefined>> }
    : T

/** Only version 2023-06-01 has sampling fields; the SDK's types are for the later version. */
const WithSampling = Body.extend({ temperature: z.number().max(1).optional(), top_p: z.number().optional() })

const asSdk = (body: Present<AnthropicBody>): MessageCreateParams => body

/**
 * Types the body of a request as the vendor's SDK does. Throws when it does not match the format, or breaks a rule that
 * types cannot express: roles alternate, and the next turn starts with the result of every call.
 */
export function readAnthropicRequest(body: unknown): MessageCreateParams {
  const { temperature: _, top_p: __, ...read } = WithSampling.parse(body)
  let asked: string[] = []
  let role = 'assistant'
  for (const message of read.messages) {
    if (message.role === role) throw new Error(`two successive turns of ${role}`)
    role = message.role
    const results: string[] = message.content.flatMap((block) =>
      block.type === 'tool_result' ? [block.tool_use_id] : [],
    )
    const head = message.content.slice(0, results.length)
    if (head.some((block) => block.type !== 'tool_result')) throw new Error('a result is not at the start')
    if (results.toSorted().join() !== asked.toSorted().join()) throw new Error('calls and results differ')
    asked = message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
  }
  return asSdk(omitUndefined(read))
}

function omitUndefined<T>(value: T): Present<T>
function omitUndefined(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
