function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  // Lists of parts, and other shapes that vendors use instead of text.
  return typeof value === 'object' && value !== null ? Buffer.byteLength(JSON.stringify(value)) : 0
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** Bytes of a call's name and arguments. */
function callBytes(call: unknown): number {
  return (
    bytesOf(readMember(call, 'name')) +
    bytesOf(readMember(call, 'arguments')) +
    bytesOf(readMember(call, 'input'))
  )
}

function toolCallBytes(calls: unknown): number {
  if (!Array.isArray(calls)) return 0
  let bytes = 0
  for (const call of calls)
    bytes += callBytes(readMember(call, 'function')) + callBytes(readMember(call, 'custom'))
  return bytes
}

/** By the members that hold what the model wrote, in the dialects of the chat-completions format. */
function memberBytes(name: string, value: unknown, finish: string | null): number {
  switch (name) {
    case 'content':
    case 'reasoning_content':
    case 'reasoning':
    case 'content_parts':
      return bytesOf(value)
    case 'refusal':
      // With this finish reason, it says why a filter blocked the prompt: the model wrote nothing.
      return finish === 'content_filter' ? 0 : bytesOf(value)
    case 'function_call':
      return callBytes(value)
    case 'audio':
      return bytesOf(readMember(value, 'transcript'))
    case 'tool_calls':
      return toolCallBytes(value)
    default:
      return 0
  }
}

/** Bytes that the model wrote in a message or a stream's delta: text, reasoning, tool calls and audio transcripts. */
export function producedBytes(
  message: Readonly<Record<string, unknown>>,
  finish: string | null = null,
): number {
  let bytes = 0
  for (const name in message) bytes += memberBytes(name, message[name], finish)
  return bytes
}
