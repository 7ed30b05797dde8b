// How much text a model produced, in a message or in a piece of one: the same measure for plain answers and streams.

/** Members that hold text, in the dialects of the chat-completions format. */
const TEXTS = ['content', 'reasoning_content', 'reasoning', 'refusal', 'content_parts'] as const

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  // Parts of a list, and whatever a vendor puts there in the place of a text.
  return typeof value === 'object' && value !== null ? Buffer.byteLength(JSON.stringify(value)) : 0
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** Bytes of a call's name and arguments. */
function callBytes(call: unknown): number {
  return bytesOf(member(call, 'name')) + bytesOf(member(call, 'arguments')) + bytesOf(member(call, 'input'))
}

/** Bytes that the model wrote in a message or a stream's delta: texts, thoughts, calls and what was said aloud. */
export function producedBytes(message: Readonly<Record<string, unknown>>): number {
  let bytes = 0
  for (const name of TEXTS) bytes += bytesOf(message[name])
  bytes += callBytes(message.function_call) + bytesOf(member(message.audio, 'transcript'))
  if (Array.isArray(message.tool_calls)) {
    for (const call of message.tool_calls)
      bytes += callBytes(member(call, 'function')) + callBytes(member(call, 'custom'))
  }
  return bytes
}
