import { EventStreamCodec } from '@smithy/eventstream-codec'
import { SseReader } from '../framing/sse.ts'

const encoder = new TextEncoder()
const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes)),
  (text) => encoder.encode(text),
)

/** One message of an event stream of AWS. `body`: its text, or what is sent as JSON. */
export function encodeMessage(headers: Readonly<Record<string, string>>, body: unknown): Buffer {
  const tagged = Object.entries(headers).map(([name, value]) => [name, { type: 'string' as const, value }])
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return Buffer.from(codec.encode({ headers: Object.fromEntries(tagged), body: encoder.encode(text) }))
}

/** An event of Amazon Bedrock: of Converse, or a chunk of the model's own format. */
export function encodeEvent(type: string, body: unknown): Buffer {
  return encodeMessage(
    { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
    body,
  )
}

/** An event of the model's own format, as Amazon Bedrock sends it; `json` is its text. */
export function encodeChunk(json: string): Buffer {
  const bytes = Buffer.from(json).toString('base64')
  // AWS pads messages, so that their length tells less about the text.
  return encodeEvent('chunk', { bytes, p: 'abcdefghij' })
}

export function encodeException(type: string, message: string, more: object = {}): Buffer {
  return encodeMessage({ ':exception-type': type, ':message-type': 'exception' }, { message, ...more })
}

/** The events of a stream of server-sent events, as Amazon Bedrock sends them. */
export function encodeEventStream(sse: string): Buffer {
  const data = [...sse.matchAll(/^data: ?(\{.*\})\r?$/gm)].map((match) => match[1] ?? '')
  return Buffer.concat(data.map(encodeChunk))
}

/** A stream of Converse, recorded as server-sent events, as Amazon Bedrock sends it. */
export function encodeConverseStream(sse: Uint8Array): Buffer {
  const reader = new SseReader()
  const items = [...reader.read(sse), ...reader.end()]
  return Buffer.concat(
    items.flatMap((item) => (item.type === 'event' ? [encodeEvent(item.event ?? '', item.data)] : [])),
  )
}
