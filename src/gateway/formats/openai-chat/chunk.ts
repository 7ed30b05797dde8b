import type { ChatChunk, ChunkChoice } from '../../../shared/chat-completion.ts'
import { finishReason, isChoiceIndex, isFinishReason } from '../chat/normalize.ts'
import { isObject, type JsonObject, wholeNumber } from '../json/json.ts'
import { hasTextFields, normalizeTexts } from './content.ts'

function isChoice(value: unknown): value is ChunkChoice {
  if (!isObject(value) || !isChoiceIndex(value.index) || !isObject(value.delta)) return false
  if (!isFinishReason(value.finish_reason) && value.finish_reason !== null) return false
  const { role, tool_calls: calls } = value.delta
  if (role !== undefined && role !== 'assistant') return false
  if (!hasTextFields(value.delta)) return false
  return calls === undefined || (Array.isArray(calls) && calls.every(isToolDelta))
}

function isToolDelta(call: unknown): boolean {
  if (!isObject(call) || wholeNumber(call.index) === null) return false
  const { id, type, function: called } = call
  if ((id !== undefined && typeof id !== 'string') || (type !== undefined && typeof type !== 'string'))
    return false
  if (called === undefined) return true
  if (!isObject(called)) return false
  const { name, arguments: args } = called
  return (name === undefined || typeof name === 'string') && (args === undefined || typeof args === 'string')
}

function isChunk(value: JsonObject): value is ChatChunk {
  return (
    typeof value.id === 'string' &&
    typeof value.created === 'number' &&
    typeof value.model === 'string' &&
    value.object === 'chat.completion.chunk' &&
    Array.isArray(value.choices) &&
    value.choices.every(isChoice)
  )
}

function repairToolDelta(call: unknown, position: number): JsonObject | null {
  if (!isObject(call)) return null
  const { id, type, function: called, index, ...rest } = call
  const repaired: JsonObject = { ...rest }
  repaired.index = wholeNumber(index) ?? position
  if (typeof id === 'string' && id !== '') repaired.id = id
  if (typeof type === 'string') repaired.type = type
  if (isObject(called)) {
    const { name, arguments: args, ...others } = called
    repaired.function = {
      ...others,
      ...(typeof name === 'string' && { name }),
      // Some servers send the arguments as an object instead of its JSON text.
      ...(typeof args === 'string' && { arguments: args }),
      ...(isObject(args) && { arguments: JSON.stringify(args) }),
    }
  }
  return repaired
}

/** Some servers send whole messages; the choices of text completions have a text. */
function readDelta({ delta, message, text }: JsonObject): JsonObject {
  if (isObject(delta)) return delta
  if (isObject(message)) return message
  return typeof text === 'string' ? { content: text } : {}
}

function repairChoice(value: unknown, position: number): JsonObject {
  const choice = isObject(value) ? value : {}
  const delta = readDelta(choice)
  const { role, tool_calls: calls, ...rest } = normalizeTexts(delta)
  // Some servers send a single call without the array.
  const hasCalls = Array.isArray(calls) || isObject(calls)
  const { message: _, text: __, ...others } = choice
  return {
    ...others,
    index: isChoiceIndex(choice.index) ? choice.index : position,
    delta: {
      ...rest,
      ...(typeof role === 'string' && { role: 'assistant' }),
      ...(hasCalls && {
        tool_calls: [calls]
          .flat()
          .map(repairToolDelta)
          .filter((call) => call !== null),
      }),
    },
    // Some servers send an empty one in every chunk but the last.
    finish_reason:
      typeof choice.finish_reason === 'string' && choice.finish_reason.trim() !== ''
        ? finishReason(choice.finish_reason, hasCalls)
        : null,
  }
}

/**
 * Reads a parsed `data` payload, and reports whether it had to be repaired. Missing `id`, `model` and `created` become ''
 * and 0. Null when it has no `choices`. The consistency of successive chunks is the task of `normalize-stream.ts`.
 */
export function readChunk(value: JsonObject): { chunk: ChatChunk; repaired: boolean } | null {
  if (isChunk(value)) return { chunk: value, repaired: false }
  if (!Array.isArray(value.choices)) return null
  const repaired: JsonObject = {
    ...value,
    id: typeof value.id === 'string' ? value.id : '',
    object: 'chat.completion.chunk',
    created: wholeNumber(value.created) ?? 0,
    model: typeof value.model === 'string' ? value.model : '',
    choices: value.choices.map(repairChoice),
  }
  return isChunk(repaired) ? { chunk: repaired, repaired: true } : null
}
