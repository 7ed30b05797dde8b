// Source: Google's Gemini API reference, `generateContent`. Only the fields named here are forwarded;
// `parallel_tool_calls` has no counterpart.
import { type ChatRequest, type KnownChatRequest, outputLimit } from '../../../shared/chat.ts'
import type { EncodedRequest } from '../chat/codec.ts'
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
import { limitOutput, type Target } from '../chat/target.ts'
import { isObject, type JsonObject } from '../json/json.ts'
import { narrowSchema, type SchemaLimits } from '../json/narrow-schema.ts'
import { encodeContents } from './contents.ts'
import { encodeParameters } from './schema.ts'

/** The JSON Schema keywords that `responseJsonSchema` supports. */
const OUTPUT_SCHEMA: SchemaLimits = {
  keywords: [
    '$anchor',
    '$defs',
    '$id',
    '$ref',
    'additionalProperties',
    'anyOf',
    'description',
    'enum',
    'format',
    'items',
    'maxItems',
    'maximum',
    'minItems',
    'minimum',
    'oneOf',
    'prefixItems',
    'properties',
    'required',
    'title',
    'type',
  ],
}

const LEVELS: readonly Effort[] = ['minimal', 'low', 'medium', 'high']

function encodeThinking(effort: Effort | null, { quirks }: Target): JsonObject {
  if (effort === null) return {}
  const efforts = quirks.efforts ?? EFFORTS
  if (quirks.thinking === 'budget') {
    // A model whose thinking cannot be disabled gets the minimum.
    const level = effort === 'none' && !efforts.includes('none') ? 'minimal' : effort
    const thinkingBudget = Math.min(THINKING_BUDGETS[level], THINKING_BUDGETS.high)
    return { thinkingConfig: { thinkingBudget, ...(thinkingBudget > 0 && { includeThoughts: true }) } }
  }
  const [weakest = 'low', ...stronger] = LEVELS.filter((level) => efforts.includes(level))
  const level = nearestEffort(effort, [weakest, ...stronger])
  return {
    thinkingConfig: {
      thinkingLevel: level.toUpperCase(),
      ...(effort !== 'none' && { includeThoughts: true }),
    },
  }
}

function encodeDeclaration({ name, description, parameters }: FunctionTool): JsonObject {
  const narrow = encodeParameters(parameters)
  return {
    name,
    ...(description !== null && description !== '' && { description }),
    ...(narrow && { parameters: narrow }),
  }
}

function encodeTools(request: KnownChatRequest): JsonObject {
  const { tools, choice } = readToolUse(request)
  if (tools.length === 0) return {}
  const base = { tools: [{ functionDeclarations: tools.map(encodeDeclaration) }] }
  if (choice === null) return base
  const config =
    typeof choice === 'object'
      ? { mode: 'ANY', allowedFunctionNames: [choice.name] }
      : { mode: choice === 'required' ? 'ANY' : choice.toUpperCase() }
  return { ...base, toolConfig: { functionCallingConfig: config } }
}

function encodeResponseFormat({ response_format: responseFormat }: KnownChatRequest): JsonObject {
  if (!responseFormat || responseFormat.type === 'text') return {}
  const schema = responseFormat.type === 'json_schema' ? responseFormat.json_schema.schema : null
  return {
    responseMimeType: 'application/json',
    ...(isObject(schema) && { responseJsonSchema: narrowSchema(schema, OUTPUT_SCHEMA) }),
  }
}

/** Numeric fields and Gemini's names for them. */
const NUMBERS = {
  temperature: 'temperature',
  top_p: 'topP',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
} as const

function encodeGenerationConfig(request: KnownChatRequest, target: Target): JsonObject {
  const numbers = Object.entries(NUMBERS).flatMap(([ours, theirs]) =>
    typeof request[ours] === 'number' ? [[theirs, request[ours]]] : [],
  )
  const { seed } = request
  const requested = limitOutput(outputLimit(request), target)
  const limit = target.maxOutputTokens
  const maxOutputTokens = requested === null ? limit : limit === null ? requested : Math.min(requested, limit)
  const stop = typeof request.stop === 'string' ? [request.stop] : (request.stop ?? [])
  return {
    ...Object.fromEntries(numbers),
    // Gemini's seed has 32 bits.
    ...(typeof seed === 'number' && { seed: Number(BigInt.asIntN(32, BigInt(seed))) }),
    ...(maxOutputTokens !== null && { maxOutputTokens }),
    ...(stop.length > 0 && { stopSequences: stop }),
    ...encodeResponseFormat(request),
    ...encodeThinking(readEffort(request, target.quirks), target),
  }
}

const UNSUPPORTED: UnsupportedFields = {
  ...LEGACY_AND_AUDIO,
  // Models that draw need no field for it.
  modalities: (value) => Array.isArray(value) && value.every((each) => each === 'text' || each === 'image'),
  web_search_options: () => false,
}

/** The body of `generateContent` and `streamGenerateContent`. Throws 400 for what Gemini's format cannot express. */
export function encodeBody(given: ChatRequest, target: Target): JsonObject {
  const request = omitFields(knownRequest(given), target.quirks.dropFields)
  refuseFields(request, UNSUPPORTED, 'This provider')
  const style = target.quirks.thinking ?? 'level'
  const { system, contents } = encodeContents(request.messages, target.signatures, style === 'level')
  const generationConfig = encodeGenerationConfig(request, target)
  return {
    ...(system !== null && { systemInstruction: { parts: [{ text: system }] } }),
    contents,
    ...encodeTools(request),
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
  }
}

/** A name without a slash means `models/NAME`; tuned models have a prefix of their own. */
export function resourceName(model: string): string {
  return model.includes('/') ? model : `models/${model}`
}

/** A call of a model's action, such as `countTokens`. */
export function modelCall(model: string, action: string, body: string): EncodedRequest {
  const name = resourceName(model).split('/').map(encodeURIComponent).join('/')
  return {
    path: `/${name}:${action}`,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body,
  }
}

export function generateCall(model: string, stream: boolean, body: string): EncodedRequest {
  if (!stream) return modelCall(model, 'generateContent', body)
  const { headers, ...call } = modelCall(model, 'streamGenerateContent?alt=sse', body)
  return { ...call, headers: { ...headers, accept: 'text/event-stream' } }
}
