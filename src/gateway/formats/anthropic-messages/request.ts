// Owns the way of a request from the chat-completions format into Anthropic's. Source: Anthropic's Messages API
// reference, version 2023-06-01. A field that is not named here is not passed on.
import { type ChatRequest, type KnownChatRequest, outputLimit } from '../../../shared/chat.ts'
import { isObject, type JsonObject } from '../json.ts'
import { narrowSchema, type SchemaLimits } from '../narrow-schema.ts'
import { knownRequest } from '../openai-chat/known-types.ts'
import { omitFields } from '../openai-chat/message-content.ts'
import {
  EFFORTS,
  type Effort,
  nearestEffort,
  readEffort,
  THINKING_BUDGETS,
} from '../openai-chat/reasoning-effort.ts'
import { type FunctionTool, readToolUse } from '../openai-chat/tools.ts'
import { ASSUMED_MAX_OUTPUT, type Target } from '../target.ts'
import { encodeConversation, readCacheControl } from './messages.ts'

/** Below it Anthropic refuses a budget to think with. */
const MIN_BUDGET = 1_024

/** What Anthropic's structured outputs know of JSON Schema; objects must be closed. */
const OUTPUT_SCHEMA: SchemaLimits = {
  keywords: [
    '$defs',
    '$ref',
    'additionalProperties',
    'allOf',
    'anyOf',
    'const',
    'default',
    'definitions',
    'description',
    'enum',
    'format',
    'items',
    'properties',
    'required',
    'title',
    'type',
  ],
  closedObjects: true,
}

interface Thinking {
  thinking?: JsonObject
  output_config?: { effort: Effort }
}

function encodeBudget(effort: Effort, maxTokens: number): Thinking {
  const budget_tokens = Math.min(THINKING_BUDGETS[effort], maxTokens - MIN_BUDGET)
  return budget_tokens < MIN_BUDGET ? {} : { thinking: { type: 'enabled', budget_tokens } }
}

/** How hard to think, in the model's own terms: adaptive thinking with an effort, or a budget on older models. */
function encodeThinking(effort: Effort | null, target: Target, maxTokens: number): Thinking {
  const { thinking: style, efforts = EFFORTS } = target.quirks
  if (effort === null) return {}
  if (style === 'budget') return effort === 'none' ? {} : encodeBudget(effort, maxTokens)
  if (effort === 'none' && efforts.includes('none')) return { thinking: { type: 'disabled' } }
  const [weakest = 'low', ...stronger] = efforts.filter((each) => each !== 'none' && each !== 'minimal')
  return {
    // Newer models leave their thoughts out unless a summary is asked for.
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort: nearestEffort(effort, [weakest, ...stronger]) },
  }
}

function encodeTool({ name, description, parameters, strict, given }: FunctionTool): JsonObject {
  return {
    name,
    ...(description !== null && description !== '' && { description }),
    // The type is required here; in the chat-completions format it often goes without saying.
    input_schema: { type: 'object', properties: {}, ...parameters },
    ...(strict && { strict }),
    ...readCacheControl(given),
  }
}

interface Tooling {
  fields: JsonObject
  forced: boolean
  /** What must be said in words, for models that refuse a forced choice. */
  instruction: string | null
}

function encodeTools(request: KnownChatRequest, target: Target): Tooling {
  const { tools, choice } = readToolUse(request)
  if (tools.length === 0) return { fields: {}, forced: false, instruction: null }
  const single = request.parallel_tool_calls === false ? { disable_parallel_tool_use: true } : {}
  const made = { tools: tools.map(encodeTool) }
  const named = typeof choice === 'object' && choice !== null ? choice.name : null
  const forced = named !== null || choice === 'required'
  if (forced && target.quirks.noForcedTools) {
    const what = named === null ? 'one of the tools' : `the tool "${named}"`
    return {
      fields: { ...made, tool_choice: { type: 'auto', ...single } },
      forced: false,
      instruction: `Answer only by calling ${what}.`,
    }
  }
  const toolChoice =
    choice === 'none'
      ? { type: 'none' }
      : named !== null
        ? { type: 'tool', name: named, ...single }
        : choice === 'required'
          ? { type: 'any', ...single }
          : { type: 'auto', ...single }
  const said = choice !== null || request.parallel_tool_calls === false
  return { fields: { ...made, ...(said && { tool_choice: toolChoice }) }, forced, instruction: null }
}

interface Format {
  format: JsonObject | null
  instruction: string | null
}

/** There is no mode for "some JSON object": the model is asked for it in words. A schema without its body is the same. */
function encodeResponseFormat({ response_format: asked }: KnownChatRequest): Format {
  if (!asked || asked.type === 'text') return { format: null, instruction: null }
  const schema = asked.type === 'json_schema' ? asked.json_schema.schema : null
  if (isObject(schema))
    return {
      format: { type: 'json_schema', schema: narrowSchema(schema, OUTPUT_SCHEMA) },
      instruction: null,
    }
  return {
    format: null,
    instruction: 'Answer with a single JSON object and nothing else: no words around it, no code fence.',
  }
}

function encodeSampling(request: KnownChatRequest, thinks: boolean): JsonObject {
  // With thinking on, Anthropic takes neither; and never both.
  if (thinks) return {}
  const { temperature, top_p: topP } = request
  if (typeof temperature === 'number') return { temperature: Math.min(temperature, 1) }
  return typeof topP === 'number' ? { top_p: topP } : {}
}

/** `system` with instructions of ours at its end. */
function appendInstructions(system: string | JsonObject[] | null, instructions: readonly string[]) {
  if (instructions.length === 0) return system
  const text = instructions.join('\n')
  if (Array.isArray(system)) return [...system, { type: 'text', text }]
  return system === null ? text : `${system}\n${text}`
}

/** The body of `POST /messages`. Throws 400 for what Anthropic's format cannot say. */
export function encodeBody(given: ChatRequest, target: Target): JsonObject {
  const request = omitFields(knownRequest(given), target.quirks.dropFields)
  const { messages, system, thinkingLost } = encodeConversation(request.messages, target.signatures)
  const asked = outputLimit(request) ?? target.enforcedOutputTokens ?? Number.POSITIVE_INFINITY
  const maxTokens = Math.min(
    asked,
    target.maxOutputTokens ?? (asked === Number.POSITIVE_INFINITY ? ASSUMED_MAX_OUTPUT : asked),
  )
  const tooling = encodeTools(request, target)
  const { format, instruction } = encodeResponseFormat(request)
  const effort = readEffort(request, target.quirks)
  // A forced call and thinking exclude each other, and older models refuse to think on without their earlier
  // thoughts. The effort is a wish, so it is what gives way.
  const mayThink = !tooling.forced && !(thinkingLost && target.quirks.thinking === 'budget')
  const { thinking, output_config: outputConfig } = mayThink ? encodeThinking(effort, target, maxTokens) : {}
  const thinks = thinking !== undefined && thinking.type !== 'disabled'
  const instructions = [tooling.instruction, instruction].filter((text) => text !== null)
  const whole = appendInstructions(system, instructions)
  const config = { ...outputConfig, ...(format && { format }) }
  const stop = typeof request.stop === 'string' ? [request.stop] : (request.stop ?? [])
  return {
    model: target.upstreamModel,
    max_tokens: maxTokens,
    ...(whole !== null && { system: whole }),
    messages,
    ...tooling.fields,
    ...(thinking && { thinking }),
    ...(Object.keys(config).length > 0 && { output_config: config }),
    ...encodeSampling(request, thinks),
    ...(stop.length > 0 && { stop_sequences: stop }),
    ...(request.user && { metadata: { user_id: request.user } }),
    ...(request.stream && { stream: true }),
  }
}
