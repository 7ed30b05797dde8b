import type { ChatCompletion } from '../../../shared/chat-completion.ts'
import { finishReason, isChoiceIndex } from './choice-members.ts'
import type { CompletionIdentity } from './codec.ts'

type Fields = Record<string, unknown>

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function repairToolCall(value: unknown, id: string, position: number): Fields | null {
  if (!isFields(value)) return null
  const { function: called, ...rest } = value
  const repaired: Fields = {
    ...rest,
    id: text(value.id) ?? `call_${id}_${position}`,
    type: text(value.type) ?? 'function',
  }
  if (isFields(called)) {
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

function repairChoice(value: unknown, position: number, id: string): Fields | null {
  if (!isFields(value) || !isFields(value.message)) return null
  const { content, tool_calls: calls, ...rest } = value.message
  // Some servers send a single call without the array.
  const listed = Array.isArray(calls) ? calls : isFields(calls) ? [calls] : []
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

function isCompletion(value: Fields): value is ChatCompletion {
  return (
    Array.isArray(value.choices) &&
    value.choices.length > 0 &&
    value.choices.every((choice) => choice !== null)
  )
}

/** Adds fields that clients rely on and an upstream omitted. Null when there are no choices, or one without a message. */
export function normalizeCompletion(value: Fields, defaults: CompletionIdentity): ChatCompletion | null {
  const id = text(value.id) ?? defaults.id
  const { usage, ...rest } = value
  const repaired: Fields = {
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
