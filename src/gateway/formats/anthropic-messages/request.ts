// Source: Anthropic's Messages API reference, version 2023-06-01. Only the fields named here are forwarded.
import { type ChatRequest, type KnownChatRequest, outputLimit } from '../../../shared/chat.ts'
import { type FunctionTool, omitFields, readToolUse } from '../chat/message-content.ts'
import {
  EFFORTS,
  type Effort,
  knownRequest,
  LEGACY_AND_AUDIO,
  nearestEffort,
  readEffort,
  refuseFields,
  THINKING_BUDGETS,
  type UnsupportedFields,
} from '../chat/request-fields.ts'
import { ASSUMED_MAX_OUTPUT, limitOutput, type Target } from '../chat/target.ts'
import { isObject, type JsonObject } from '../json/json.ts'
import { narrowSchema, type SchemaLimits } from '../json/narrow-schema.ts'
import { encodeConversation, readCacheControl } from './messages.ts'

/** Anthropic's minimum thinking budget in tokens. */
const MIN_BUDGET = 1_024

/** The JSON Schema keywords that Anthropic's structured outputs support; objects must be closed. */
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

/** Adaptive thinking with an effort, or a token budget for older models. */
function encodeThinking(effort: Effort | null, target: Target, maxTokens: number): Thinking {
  const { thinking: style, efforts = EFFORTS } = target.quirks
  if (effort === null) return {}
  if (style === 'budget') return effort === 'none' ? {} : encodeBudget(effort, maxTokens)
  if (effort === 'none' && efforts.includes('none')) return { thinking: { type: 'disabled' } }
  const [weakest = 'low', ...stronger] = efforts.filter((each) => each !== 'none' && each !== 'minimal')
  return {
    // Newer models do not expose their thinking unless a summary is requested.
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort: nearestEffort(effort, [weakest, ...stronger]) },
  }
}

function encodeTool({ name, description, parameters, strict, given }: FunctionTool): JsonObject {
  return {
    name,
    ...(description !== null && description !== '' && { description }),
    // Anthropic requires `type`; chat-completions clients often omit it.
    input_schema: { type: 'object', properties: {}, ...parameters },
    ...(strict && { strict }),
    ...readCacheControl(given),
  }
}

interface Tooling {
  fields: JsonObject
  forced: boolean
  /** Replaces a forced choice for models that reject it. */
  instruction: string | null
}

function encodeTools(request: KnownChatRequest, target: Target): Tooling {
  const { tools, choice } = readToolUse(request)
  if (tools.length === 0) return { fields: {}, forced: false, instruction: null }
  const single = request.parallel_tool_calls === false ? { disable_parallel_tool_use: true } : {}
  const base = { tools: tools.map(encodeTool) }
  const named = typeof choice === 'object' && choice !== null ? choice.name : null
  const forced = named !== null || choice === 'required'
  if (forced && target.quirks.noForcedTools) {
    const what = named === null ? 'one of the tools' : `the tool "${named}"`
    return {
      fields: { ...base, tool_choice: { type: 'auto', ...single } },
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
  const isExplicit = choice !== null || request.parallel_tool_calls === false
  return { fields: { ...base, ...(isExplicit && { tool_choice: toolChoice }) }, forced, instruction: null }
}

interface Format {
  format: JsonObject | null
  instruction: string | null
}

/** Anthropic has no mode for an arbitrary JSON object, so the model is instructed instead. */
function encodeResponseFormat({ response_format: responseFormat }: KnownChatRequest): Format {
  if (!responseFormat || responseFormat.type === 'text') return { format: null, instruction: null }
  const schema = responseFormat.type === 'json_schema' ? responseFormat.json_schema.schema : null
  if (isObject(schema))
    return {
      format: { type: 'json_schema', schema: narrowSchema(schema, OUTPUT_SCHEMA) },
      instruction: null,
    }
  return {
    format: null,
    instruction: 'Answer with a single JSON object and nothing else: no text around it, no code fence.',
  }
}

function encodeSampling(request: KnownChatRequest, isThinking: boolean): JsonObject {
  // Anthropic rejects both with thinking, and the combination of the two.
  if (isThinking) return {}
  const { temperature, top_p: topP } = request
  if (typeof temperature === 'number') return { temperature: Math.min(temperature, 1) }
  return typeof topP === 'number' ? { top_p: topP } : {}
}

function appendInstructions(system: string | JsonObject[] | null, instructions: readonly string[]) {
  if (instructions.length === 0) return system
  const text = instructions.join('\n')
  if (Array.isArray(system)) return [...system, { type: 'text', text }]
  return system === null ? text : `${system}\n${text}`
}

const UNSUPPORTED: UnsupportedFields = { ...LEGACY_AND_AUDIO, web_search_options: () => false }

/** The body of `POST /messages`. Throws 400 for what Anthropic's format cannot express. */
export function encodeBody(given: ChatRequest, target: Target): JsonObject {
  const request = omitFields(knownRequest(given), target.quirks.dropFields)
  refuseFields(request, UNSUPPORTED, 'This provider')
  const { messages, system, thinkingLost } = encodeConversation(request.messages, target.signatures)
  const requested = limitOutput(outputLimit(request), target) ?? Number.POSITIVE_INFINITY
  const maxTokens = Math.min(
    requested,
    target.maxOutputTokens ?? (requested === Number.POSITIVE_INFINITY ? ASSUMED_MAX_OUTPUT : requested),
  )
  const tooling = encodeTools(request, target)
  const { format, instruction } = encodeResponseFormat(request)
  const effort = readEffort(request, target.quirks)
  // A forced call excludes thinking, and older models reject it without their earlier thinking. The effort is only a hint,
  // so it is dropped.
  const mayThink = !tooling.forced && !(thinkingLost && target.quirks.thinking === 'budget')
  const { thinking, output_config: outputConfig } = mayThink ? encodeThinking(effort, target, maxTokens) : {}
  const isThinking = thinking !== undefined && thinking.type !== 'disabled'
  const instructions = [tooling.instruction, instruction].filter((text) => text !== null)
  const systemText = appendInstructions(system, instructions)
  const config = { ...outputConfig, ...(format && { format }) }
  const stop = typeof request.stop === 'string' ? [request.stop] : (request.stop ?? [])
  return {
    model: target.upstreamModel,
    max_tokens: maxTokens,
    ...(systemText !== null && { system: systemText }),
    messages,
    ...tooling.fields,
    ...(thinking && { thinking }),
    ...(Object.keys(config).length > 0 && { output_config: config }),
    ...encodeSampling(request, isThinking),
    ...(stop.length > 0 && { stop_sequences: stop }),
    ...(request.user && { metadata: { user_id: request.user } }),
    ...(request.stream && { stream: true }),
  }
}
