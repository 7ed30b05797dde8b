/** Members that hold text, in the dialects of the chat-completions format. */
const TEXTS = ['content', 'reasoning_content', 'reasoning', 'refusal', 'content_parts'] as const

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

/** Bytes that the model wrote in a message or a stream's delta: text, reasoning, tool calls and audio transcripts. */
export function producedBytes(
  message: Readonly<Record<string, unknown>>,
  finish: string | null = null,
): number {
  let bytes = 0
  // With this finish reason, the refusal says why a filter blocked the prompt: the model wrote nothing.
  const texts = finish === 'content_filter' ? TEXTS.filter((name) => name !== 'refusal') : TEXTS
  for (const name of texts) bytes += bytesOf(message[name])
  bytes += callBytes(message.function_call) + bytesOf(readMember(message.audio, 'transcript'))
  if (Array.isArray(message.tool_calls)) {
    for (const call of message.tool_calls)
      bytes += callBytes(readMember(call, 'function')) + callBytes(readMember(call, 'custom'))
  }
  return bytes
}
