import { EventStreamCodec } from '@smithy/eventstream-codec'

const encoder = new TextEncoder()
const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes)),
  (text) => encoder.encode(text),
)

/** One message of an event stream of AWS. */
export function encodeMessage(headers: Readonly<Record<string, string>>, body: unknown): Buffer {
  const tagged = Object.entries(headers).map(([name, value]) => [name, { type: 'string' as const, value }])
  return Buffer.from(
    codec.encode({ headers: Object.fromEntries(tagged), body: encoder.encode(JSON.stringify(body)) }),
  )
}

/** An event of the model's own format, as Amazon Bedrock sends it; `json` is its text. */
export function encodeChunk(json: string): Buffer {
  const bytes = Buffer.from(json).toString('base64')
  return encodeMessage(
    { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' },
    // AWS pads messages, so that their length tells less about the text.
    { bytes, p: 'abcdefghij' },
  )
}

export function encodeException(type: string, message: string): Buffer {
  return encodeMessage({ ':exception-type': type, ':message-type': 'exception' }, { message })
}

/** The events of a stream of server-sent events, as Amazon Bedrock sends them. */
export function encodeEventStream(sse: string): Buffer {
  const data = [...sse.matchAll(/^data: ?(\{.*\})\r?$/gm)].map((match) => match[1] ?? '')
  return Buffer.concat(data.map(encodeChunk))
}
