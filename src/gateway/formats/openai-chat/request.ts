// Requests are forwarded unchanged, except for what the vendor or the model is known to reject or to name differently
// (`Quirks`). Source: OpenAI's API reference.

import { type ChatRequest, outputLimit, type ToolCall } from '../../../shared/formats/chat.ts'
import { splitWords } from '../../../shared/values/text.ts'
import {
  type EncodedRequest,
  encodeCall,
  limitOutput,
  type NativeRequest,
  OUTPUT_LIMIT_FIRST,
  type OutputLimitName,
  type Quirks,
  type Target,
} from '../chat/codec-types.ts'
import {
  EFFORTS,
  type Effort,
  nearestEffort,
  omitFields,
  separateInstructions,
  usesReasoning,
} from '../chat/message-content.ts'
import { withoutSignedReasoning } from '../chat/reasoning.ts'
import { editMembers } from '../json/edit-json.ts'
import { isGiven, type JsonObject } from '../json/json.ts'

/** Sets the output limit in the fields that the vendor supports. */
function setOutputLimit(fields: JsonObject, request: ChatRequest, target: Target): void {
  const limit = limitOutput(outputLimit(request), target)
  const { outputLimit: supportedName = OUTPUT_LIMIT_FIRST } = target.quirks
  const name = supportedName === 'either' ? givenName(request) : supportedName
  delete fields.max_tokens
  delete fields.max_completion_tokens
  if (limit !== null) fields[name] = limit
}

function givenName({ max_tokens: older, max_completion_tokens: newer }: ChatRequest): OutputLimitName {
  return typeof older === 'number' && typeof newer !== 'number' ? 'max_tokens' : 'max_completion_tokens'
}

/** The largest double that serializes to a 64-bit integer. */
const MAX_SEED = 2 ** 63 - 1_024

/** A seed above 2^53 is rounded to the nearest double, which must still fit into 64 bits. */
function setSeed(fields: JsonObject, { seed }: ChatRequest): void {
  if (typeof seed === 'number') fields.seed = Math.max(-MAX_SEED, Math.min(seed, MAX_SEED))
}

/** Whether the model rejects the request's functions unless reasoning is disabled, and the client does not disable it. */
export function mustNotReason(
  { tools, reasoning_effort: effort }: ChatRequest,
  { noReasoningWithTools, reasonsWithTools }: Quirks,
): boolean {
  const hasFunctions = tools?.some(({ type }) => type === 'function') ?? false
  return noReasoningWithTools === true && !reasonsWithTools && hasFunctions && effort !== 'none'
}

/** An effort that the client sets is sent: the provider's answer says why it is rejected. */
function disableReasoningForTools(request: ChatRequest, quirks: Quirks): ChatRequest {
  const { reasoning_effort: effort } = request
  return mustNotReason(request, quirks) && !isGiven(effort)
    ? { ...request, reasoning_effort: 'none' }
    : request
}

function encodeHistory({ messages }: ChatRequest, dropped: readonly string[]): unknown {
  return messages.map((message) => (message.role === 'assistant' ? omitFields(message, dropped) : message))
}

function encodeFields(chatRequest: ChatRequest, target: Target): JsonObject {
  const { quirks } = target
  const request = disableReasoningForTools(chatRequest, quirks)
  const fields: JsonObject = { ...request, model: target.upstreamModel }
  if (quirks.dropAssistantFields) fields.messages = encodeHistory(request, quirks.dropAssistantFields)
  // OpenAI rejects `stream_options` on a request that does not stream.
  delete fields.stream_options
  if (request.stream && !quirks.noStreamOptions) {
    fields.stream_options = { ...request.stream_options, include_usage: true }
  }
  if (quirks.noN) delete fields.n
  setOutputLimit(fields, request, target)
  setSeed(fields, request)
  for (const [ours, theirs] of Object.entries(quirks.renameFields ?? {})) {
    if (fields[ours] === undefined) continue
    fields[theirs] = fields[ours]
    delete fields[ours]
  }
  const whileReasoning = usesReasoning(request, quirks) ? quirks.dropWhileReasoning : undefined
  return omitFields(omitFields(fields, quirks.dropFields), whileReasoning)
}

const CHAT_PATH = '/chat/completions'

/** The history without members that only other API formats have. */
function omitSignedReasoning(request: ChatRequest): ChatRequest {
  if (!request.messages.some((message) => 'signed_reasoning' in message)) return request
  return { ...request, messages: request.messages.map(withoutSignedReasoning) }
}

/** OpenAI sends requests with the same key to the machine that has the beginning of their prompts in its cache. */
export function nameCache<Request extends JsonObject>(
  request: Request,
  { cache, quirks }: Target,
): Request & { prompt_cache_key?: unknown } {
  return cache && quirks.openaiOwned ? { prompt_cache_key: cache.session, ...request } : request
}

export function chatRequest(request: ChatRequest, target: Target): EncodedRequest {
  const fields = encodeFields(nameCache(omitSignedReasoning(request), target), target)
  return encodeCall(CHAT_PATH, JSON.stringify(fields), request.stream === true)
}

/** The client's own bytes with only those members changed that differ in the request to the target. */
export function nativeRequest({ body, chatRequest, stream }: NativeRequest, target: Target): EncodedRequest {
  const fields = encodeFields(chatRequest, target)
  const edits: JsonObject = {}
  for (const name of Object.keys(chatRequest))
    if (fields[name] !== chatRequest[name]) edits[name] = fields[name]
  for (const name of Object.keys(fields)) if (fields[name] !== chatRequest[name]) edits[name] = fields[name]
  return encodeCall(CHAT_PATH, editMembers(body, edits), stream)
}

// Requests that come from clients of other API formats. These ask for what their own vendor's models do, so what is only a
// wish is adapted to the model, and what many servers of this format reject is written in another way.

type Message = ChatRequest['messages'][number]
type Content = Message['content']

/** Anthropic's mark; OpenAI rejects unknown members. */
const MARK = ['cache_control']

function isText(part: JsonObject): part is { type: 'text'; text: string } {
  return part.type === 'text' && typeof part.text === 'string'
}

/** Texts alone become a string, because some servers accept no list. */
function joinTexts(content: Content): Content {
  if (!Array.isArray(content) || !content.every(isText)) return content
  return content.map(({ text }) => text).join('\n')
}

function withoutMarks<Owner extends JsonObject>(owner: Owner): Owner {
  return 'cache_control' in owner ? omitFields(owner, MARK) : owner
}

function omitMarks(message: Message): Message {
  const bare = withoutMarks(message)
  const { content, tool_calls: calls } = bare
  return Object.assign(
    {},
    bare,
    Array.isArray(content) && { content: joinTexts(content.map(withoutMarks)) },
    Array.isArray(calls) && { tool_calls: calls.map((call: ToolCall) => withoutMarks(call)) },
  )
}

function readText(content: Content): string {
  const joined = joinTexts(content)
  return typeof joined === 'string' ? joined : JSON.stringify(joined)
}

/**
 * One system message at the start, because the chat templates of many models accept no other; later instructions are marked
 * as such in a user message.
 */
function placeInstructions(messages: readonly Message[]): Message[] {
  const { instructions, conversation } = separateInstructions(messages, ({ content }) => readText(content))
  const texts = instructions.map(({ content }) => readText(content))
  return texts.length > 0 ? [{ role: 'system', content: texts.join('\n\n') }, ...conversation] : conversation
}

function omitReasoning(message: Message): Message {
  return 'reasoning_content' in message ? omitFields(message, ['reasoning_content']) : message
}

function adaptEffort(effort: string, quirks: Quirks, reasons: boolean): string | null {
  if (quirks.thinking === 'none' || !reasons) return null
  const level = EFFORTS.find((level) => level === effort)
  if (!level) return effort
  const { efforts } = quirks
  const [weakest, ...stronger] = efforts ?? []
  if (weakest) return nearestEffort(level, [weakest, ...stronger])
  const canDisable = quirks.reasoningOffByDefault || quirks.noReasoningWithTools
  if (level === 'none') return canDisable ? level : null
  // Every model with efforts has these.
  const usual: [Effort, ...Effort[]] = ['low', 'medium', 'high']
  return nearestEffort(level, usual)
}

interface Model {
  /** Whether it is known to reason. */
  reasons: boolean
  /** The most tokens that it can answer with. */
  outputTokens: number
}

export function adaptTranslated(
  request: ChatRequest,
  quirks: Quirks,
  { reasons, outputTokens }: Model,
): ChatRequest {
  const { reasoning_effort: effort, max_completion_tokens: limit, tools } = request
  const bare = quirks.cacheControl ? request.messages : request.messages.map(omitMarks)
  const adapted: ChatRequest = {
    ...request,
    messages: quirks.openaiOwned ? bare.map(omitReasoning) : placeInstructions(bare),
    ...(tools && !quirks.cacheControl && { tools: tools.map(withoutMarks) }),
  }
  if (typeof limit === 'number') adapted.max_completion_tokens = Math.min(limit, outputTokens)
  if (typeof effort === 'string') adapted.reasoning_effort = adaptEffort(effort, quirks, reasons)
  if (adapted.reasoning_effort === null) delete adapted.reasoning_effort
  return adapted
}

// Requests for a text completion at providers of OpenAI's format that have the endpoint. Their answers are read as chat
// completions, whose choices have a message or a delta instead of a text.

export const COMPLETIONS_PATH = '/completions'
/** Mistral's endpoint, which rejects unknown fields. */
export const FIM_PATH = '/fim/completions'
const UNKNOWN_TO_FIM = splitWords(`
  best_of echo frequency_penalty n presence_penalty stream_options user`)

export function textCompletionRequest(
  { body, json, chatRequest, stream }: NativeRequest,
  target: Target,
): EncodedRequest {
  const { upstreamModel: model, completionsPath: path, quirks } = target
  const limit = limitOutput(chatRequest.max_tokens, target)
  const edits: Record<string, unknown> = { model }
  // Servers without OpenAI's default would complete up to the end of their context.
  if (limit !== null && json.max_tokens !== limit) edits.max_tokens = limit
  if (stream && !quirks.noStreamOptions) {
    const options = json.stream_options
    edits.stream_options = { ...(typeof options === 'object' ? options : {}), include_usage: true }
  }
  for (const [ours, theirs] of Object.entries(quirks.renameFields ?? {})) {
    if (json[ours] === undefined) continue
    edits[theirs] = json[ours]
    edits[ours] = undefined
  }
  const dropped = [...(quirks.dropFields ?? []), ...(path === FIM_PATH ? UNKNOWN_TO_FIM : [])]
  for (const name of dropped) if (name in json) edits[name] = undefined
  return encodeCall(path ?? COMPLETIONS_PATH, editMembers(body, edits), stream)
}
