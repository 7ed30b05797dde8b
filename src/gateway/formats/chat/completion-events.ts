// For upstreams that send a plain answer to a streaming request.
import type { ToolCall } from '../../../shared/chat.ts'
import type { ChatChunk, ChunkChoice, ToolCallDelta } from '../../../shared/chat-completion.ts'
import type { ChatEvent, PlainAnswer } from './events.ts'

/** A complete tool call as one delta of a stream. */
export function toolCallDelta(call: ToolCall, index: number): ToolCallDelta {
  const { type, function: called, ...rest } = call
  return { ...rest, index, ...(type !== undefined && { type }), ...(called && { function: called }) }
}

/** The events of an equivalent stream: each choice's message and finish reason, then usage, then `done`. */
export async function* completionEvents({
  completion,
  usage,
}: PlainAnswer): AsyncGenerator<ChatEvent[], void, void> {
  const events: ChatEvent[] = []
  const { choices, usage: _, ...members } = completion
  const chunk = (choice: ChunkChoice): ChatEvent => {
    const made: ChatChunk = { ...members, object: 'chat.completion.chunk', choices: [choice] }
    return { type: 'chunk', chunk: made, raw: null }
  }
  for (const { index, message, finish_reason, ...rest } of choices) {
    const { tool_calls: calls, ...delta } = message
    const toolCalls = calls?.map(toolCallDelta)
    events.push(
      chunk({ index, delta: { ...delta, ...(toolCalls && { tool_calls: toolCalls }) }, finish_reason: null }),
      chunk({ ...rest, index, delta: {}, finish_reason: finish_reason ?? 'stop' }),
    )
  }
  if (usage) events.push({ type: 'usage', usage, members })
  events.push({ type: 'done' })
  yield events
}
