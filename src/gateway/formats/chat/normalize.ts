// SDK helpers expect a strict order: role first, tool calls with stable indexes, one id throughout, a finish reason
// at the end. A chunk that already conforms keeps its raw bytes.
import {
  type ChatChunk,
  type ChatCompletion,
  type ChunkChoice,
  FINISH_REASONS,
  type ToolCallDelta,
} from '../../../shared/formats/chat-completion.ts'
import { isObject, type JsonObject } from '../json/json.ts'
import type { CompletionIdentity } from './codec-types.ts'
import type { ChatEvent } from './events.ts'

// Clients make decisions by these fields of a choice, so only values that the format defines reach them.

/** The finish reasons of the format, and that of its deprecated function calls. */
const KNOWN: ReadonlySet<string> = new Set([...FINISH_REASONS, 'function_call'])

/** Other vendors' values. Sources: Mistral's, DeepSeek's and Hugging Face's API references. */
const VENDORS: ReadonlyMap<string, string> = new Map([
  ['model_length', 'length'],
  ['max_tokens', 'length'],
  ['insufficient_system_resource', 'length'],
  ['tool_use', 'tool_calls'],
  ['safety', 'content_filter'],
])

const MAX_CHOICES = 128

export function isFinishReason(value: unknown): value is string {
  return typeof value === 'string' && KNOWN.has(value)
}

/** The finish reason for an upstream's value; an unknown value means that the answer is complete. */
export function finishReason(value: string, hasCalls: boolean): string {
  if (KNOWN.has(value)) return value
  return VENDORS.get(value) ?? (hasCalls ? 'tool_calls' : 'stop')
}

export function isChoiceIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < MAX_CHOICES
}

interface OpenCall {
  /** The index that the client receives. */
  index: number
  id: string
  name: string
}

interface ChoiceState {
  /** Indexed by the upstream's index; a parallel call with the same index replaces the earlier one. */
  calls: Map<number, OpenCall>
  nextIndex: number
  finished: boolean
}

/**
 * Normalizes one stream, event by event. The first chunk's `id`, `created` and `model` apply to the whole stream;
 * `fallback` replaces missing ones.
 */
export class StreamNormalizer {
  readonly #fallback: CompletionIdentity
  #identity: CompletionIdentity | null = null
  readonly #choices = new Map<number, ChoiceState>()

  constructor(fallback: CompletionIdentity) {
    this.#fallback = fallback
  }

  /** The events that replace this one; usually the same event. */
  next(event: ChatEvent): ChatEvent[] {
    if (event.type === 'chunk') {
      // Azure starts with content filter results: no choices, and an id that later chunks do not have.
      if (event.chunk.choices.length === 0 && !this.#identity) return []
      const chunk = this.#repairChunk(event.chunk)
      return [chunk === event.chunk ? event : { type: 'chunk', chunk, raw: null }]
    }
    if (event.type !== 'done') return [event]
    const unfinished = [...this.#choices].filter(([, state]) => !state.finished)
    if (unfinished.length === 0) return [event]
    return [{ type: 'chunk', chunk: this.#finishChunk(unfinished), raw: null }, event]
  }

  #repairChunk(chunk: ChatChunk): ChatChunk {
    const identity = this.#identityFrom(chunk)
    let choices = chunk.choices
    for (let at = 0; at < chunk.choices.length; at += 1) {
      const choice = chunk.choices[at]
      if (!choice) continue
      const repaired = this.#repairChoice(choice)
      if (repaired === choice) continue
      if (choices === chunk.choices) choices = [...chunk.choices]
      choices[at] = repaired
    }
    const fits =
      choices === chunk.choices &&
      chunk.id === identity.id &&
      chunk.created === identity.created &&
      chunk.model === identity.model &&
      chunk.object === 'chat.completion.chunk'
    return fits ? chunk : { ...chunk, ...identity, object: 'chat.completion.chunk', choices }
  }

  #identityFrom(chunk: ChatChunk): CompletionIdentity {
    this.#identity ??= {
      id: chunk.id || this.#fallback.id,
      created: chunk.created || this.#fallback.created,
      model: chunk.model || this.#fallback.model,
    }
    return this.#identity
  }

  #repairChoice(choice: ChunkChoice): ChunkChoice {
    let state = this.#choices.get(choice.index)
    let { delta } = choice
    if (!state) {
      state = { calls: new Map(), nextIndex: 0, finished: false }
      this.#choices.set(choice.index, state)
      if (delta.role !== 'assistant') delta = { ...delta, role: 'assistant' }
    }
    if (delta.tool_calls) {
      const calls = repairCalls(delta.tool_calls, state, choice.index)
      if (calls !== delta.tool_calls) delta = { ...delta, tool_calls: calls }
    }
    if (choice.finish_reason) state.finished = true
    const finishReason = choice.finish_reason || null
    if (delta === choice.delta && finishReason === choice.finish_reason) return choice
    return { ...choice, delta, finish_reason: finishReason }
  }

  #finishChunk(unfinished: [number, ChoiceState][]): ChatChunk {
    const identity = this.#identity ?? this.#fallback
    const choices = unfinished.map(([index, state]) => ({
      index,
      delta: {},
      finish_reason: state.nextIndex > 0 ? 'tool_calls' : 'stop',
    }))
    return { ...identity, object: 'chat.completion.chunk', choices }
  }
}

function repairCalls(calls: ToolCallDelta[], state: ChoiceState, choiceIndex: number): ToolCallDelta[] {
  let repaired = calls
  for (let at = 0; at < calls.length; at += 1) {
    const call = calls[at]
    if (!call) continue
    const fitting = repairCall(call, state, choiceIndex)
    if (fitting === call) continue
    if (repaired === calls) repaired = [...calls]
    repaired[at] = fitting
  }
  return repaired
}

/**
 * A delta starts a new call when its index has no open call, or when it names a function with a different id (some
 * vendors send index 0 for every parallel call). An id without a name continues the open call: some servers generate a
 * new id for every delta.
 */
function repairCall(call: ToolCallDelta, state: ChoiceState, choiceIndex: number): ToolCallDelta {
  const open = state.calls.get(call.index)
  const name = call.function?.name ?? ''
  const differs = open && name !== '' && (call.id ? call.id !== open.id : name !== open.name)
  if (open && !differs) {
    if (open.index === call.index) return call
    return { ...call, index: open.index }
  }
  const index = assignIndex(state, call.index)
  const id = call.id || `call_${choiceIndex}_${index}`
  const opened = { index, id, name }
  state.calls.set(call.index, opened)
  const custom = call.type !== undefined && call.type !== '' && call.type !== 'function'
  if (
    index === call.index &&
    call.id === id &&
    (custom || (call.type === 'function' && call.function?.name))
  ) {
    return call
  }
  if (custom) return { ...call, index, id }
  return { ...call, index, id, type: 'function', function: { arguments: '', ...call.function, name } }
}

/** The upstream's index if it is free, else the next free one. */
function assignIndex(state: ChoiceState, requested: number): number {
  const taken = requested < state.nextIndex
  const index = taken ? state.nextIndex : requested
  state.nextIndex = index + 1
  return index
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function repairToolCall(value: unknown, id: string, position: number): JsonObject | null {
  if (!isObject(value)) return null
  const { function: called, ...rest } = value
  const repaired: JsonObject = {
    ...rest,
    id: text(value.id) ?? `call_${id}_${position}`,
    type: text(value.type) ?? 'function',
  }
  if (isObject(called)) {
    const { name, arguments: args } = called
    repaired.function = {
      ...called,
      name: text(name) ?? '',
      // Some servers send the arguments as an object instead of its JSON text.
      arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
    }
  }
  return repaired
}

function repairChoice(value: unknown, position: number, id: string): JsonObject | null {
  if (!isObject(value) || !isObject(value.message)) return null
  const { content, tool_calls: calls, ...rest } = value.message
  // Some servers send a single call without the array.
  const listed = Array.isArray(calls) ? calls : isObject(calls) ? [calls] : []
  const toolCalls = listed
    .map((call, index) => repairToolCall(call, id, index))
    .filter((call) => call !== null)
  // OpenAI's schema requires `refusal` and `logprobs`, null or not.
  const message = {
    refusal: null,
    ...rest,
    role: 'assistant',
    content: typeof content === 'string' ? content : null,
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  }
  return {
    logprobs: null,
    ...value,
    index: isChoiceIndex(value.index) ? value.index : position,
    message,
    finish_reason: finishReason(text(value.finish_reason) ?? '', toolCalls.length > 0),
  }
}

function isCompletion(value: JsonObject): value is ChatCompletion {
  return (
    Array.isArray(value.choices) &&
    value.choices.length > 0 &&
    value.choices.every((choice) => choice !== null)
  )
}

/** Adds fields that clients rely on and an upstream omitted. Null when there are no choices, or one without a message. */
export function normalizeCompletion(value: JsonObject, defaults: CompletionIdentity): ChatCompletion | null {
  const id = text(value.id) ?? defaults.id
  const { usage, ...rest } = value
  const repaired: JsonObject = {
    ...rest,
    id,
    object: 'chat.completion',
    created: Number.isSafeInteger(value.created) ? value.created : defaults.created,
    model: text(value.model) ?? defaults.model,
    choices: Array.isArray(value.choices)
      ? value.choices.map((choice, position) => repairChoice(choice, position, id))
      : [],
  }
  return isCompletion(repaired) ? repaired : null
}
