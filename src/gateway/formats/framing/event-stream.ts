// AWS's binary event streams (`application/vnd.amazon.eventstream`), as Amazon Bedrock uses them: a message is an event of
// Converse, or carries one of the model's own format, in base64. Source: AWS's Smithy specification, "Amazon Event Stream".
import { EventStreamCodec } from '@smithy/eventstream-codec'
import { describeError, errorStatus, UpstreamFailure } from '../chat/failure.ts'
import { asObject, isObject, type JsonObject, parseJson, stringOr } from '../json/json.ts'
import type { SseItem, StreamReader } from './sse.ts'

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
/** The length of a message comes first; prelude and checksums take this much. */
const LENGTH_BYTES = 4
const MIN_MESSAGE_BYTES = 16

/** The HTTP status of each exception. */
const STATUSES: ReadonlyMap<string, number> = new Map([
  ['validationException', 400],
  ['accessDeniedException', 403],
  ['resourceNotFoundException', 404],
  ['modelTimeoutException', 408],
  ['throttlingException', 429],
  ['serviceQuotaExceededException', 429],
  ['internalServerException', 500],
  ['modelStreamErrorException', 502],
  ['serviceUnavailableException', 503],
])

const decoder = new TextDecoder()
const encoder = new TextEncoder()

function malformed(message: string): SseItem {
  return { type: 'malformed', message }
}

/** Reads messages from bytes that may be split anywhere. Memory is bounded by `maxBytes`. */
export class EventStreamReader implements StreamReader {
  readonly #codec = new EventStreamCodec(
    (bytes) => (typeof bytes === 'string' ? bytes : decoder.decode(bytes)),
    (text) => encoder.encode(text),
  )
  readonly #maxBytes: number
  #parts: Uint8Array[] = []
  #pending = 0
  /** Bytes that are needed for the next step: the length of a message, then the message. */
  #needed = LENGTH_BYTES
  #ended = false

  constructor(maxBytes = MAX_MESSAGE_BYTES) {
    this.#maxBytes = maxBytes
  }

  read(bytes: Uint8Array): SseItem[] {
    if (this.#ended) return []
    this.#parts.push(bytes)
    this.#pending += bytes.byteLength
    const items: SseItem[] = []
    while (!this.#ended && this.#pending >= this.#needed) items.push(...this.#advance())
    return items
  }

  end(): SseItem[] {
    if (this.#ended || this.#pending === 0) return []
    this.#ended = true
    return [malformed('The stream ended inside a message.')]
  }

  /** The next item, if the bytes that have come complete one. */
  #advance(): SseItem[] {
    const all = this.#join()
    const length = new DataView(all.buffer, all.byteOffset).getUint32(0)
    if (length < MIN_MESSAGE_BYTES || length > this.#maxBytes) {
      return [this.#stop(malformed(`A message of the stream has an impossible length (${length} bytes).`))]
    }
    if (all.byteLength < length) {
      this.#needed = length
      return []
    }
    const rest = all.subarray(length)
    this.#parts = rest.byteLength === 0 ? [] : [rest]
    this.#pending = rest.byteLength
    this.#needed = LENGTH_BYTES
    const item = this.#decode(all.subarray(0, length))
    return item ? [item.type === 'event' ? item : this.#stop(item)] : []
  }

  #join(): Uint8Array {
    const [first] = this.#parts
    if (first && this.#parts.length === 1) return first
    const all = new Uint8Array(this.#pending)
    let at = 0
    for (const part of this.#parts) {
      all.set(part, at)
      at += part.byteLength
    }
    this.#parts = [all]
    return all
  }

  #stop(item: SseItem): SseItem {
    this.#ended = true
    this.#parts = []
    return item
  }

  #decode(bytes: Uint8Array): SseItem | null {
    try {
      const { headers, body } = this.#codec.decode(bytes)
      const header = (name: string) => stringOr(headers[name]?.value, '')
      return readMessage(header, decoder.decode(body))
    } catch {
      return malformed('A message of the stream is damaged.')
    }
  }
}

/** Null for a message of a kind that is not known. */
function readMessage(header: (name: string) => string, body: string): SseItem | null {
  switch (header(':message-type')) {
    case 'event': {
      const event = header(':event-type')
      return event === 'chunk' ? readChunk(readFields(body).bytes) : { type: 'event', event, data: body }
    }
    case 'exception':
      return failed(header(':exception-type'), readFields(body))
    case 'error':
      return failed(header(':error-code'), { message: header(':error-message') })
    default:
      return null
  }
}

const readFields = (body: string): JsonObject => asObject(parseJson(body))

function readChunk(base64: unknown): SseItem {
  if (typeof base64 !== 'string') return malformed('A message of the stream has no event.')
  const data = Buffer.from(base64, 'base64').toString('utf8')
  const value = parseJson(data)
  const type = isObject(value) ? value.type : null
  return { type: 'event', event: typeof type === 'string' ? type : null, data }
}

/** An exception. One of the model itself may have the model's own status. */
function failed(type: string, { message, originalStatusCode: own }: JsonObject): SseItem {
  const failure = new UpstreamFailure({
    kind: 'status',
    status: errorStatus(own, STATUSES.get(type.charAt(0).toLowerCase() + type.slice(1))),
    code: type === '' ? null : type,
    message: describeError(stringOr(message, '')),
  })
  return { type: 'failed', failure }
}
