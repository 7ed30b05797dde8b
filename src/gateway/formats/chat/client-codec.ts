// The counterpart of `codec.ts`: it serves clients of an API format. Their requests are converted to chat requests, and chat
// events to their answers. Neither network nor clock.
import type { ChatRequest } from '../../../shared/chat.ts'
import type { ChatChunk, ChatCompletion, ChatUsage } from '../../../shared/chat-completion.ts'
import type { ErrorBody } from '../../../shared/errors.ts'
import type { JsonObject } from '../json/json.ts'
import type { ChunkPieces } from './events.ts'
import type { UpstreamFailure } from './failure.ts'

/** A client's request as a chat request. */
export interface DecodedRequest {
  request: ChatRequest
  /**
   * What the request asks for and only a provider of the client's own format can do; `request` lacks it. Every other
   * provider fails with it (see `refuseRequest`). Null if all providers can be sent the request.
   */
  untranslatable: UpstreamFailure | null
  /**
   * Whether a provider of the client's own format may add to the prompt by an option or a tool of the request: earlier
   * responses, cached content, search results. Parts and items of the conversation are read by `readSentContent`.
   */
  externalContent: boolean
}

/** What an answer states besides the model's output. */
export interface AnswerContext {
  /** The id of the request record. */
  requestId: string
  /** The model that served. */
  model: string
  /** Seconds since the epoch. */
  created: number
  /** The client's request, validated: some answers repeat its fields. */
  body: JsonObject
}

/** Writes one stream, as server-sent events. Each method returns the text to send, which may be empty. */
export interface StreamWriter {
  /**
   * `raw`: the chunk's exact JSON, if the upstream's format is chat completions and the chunk was not changed; `pieces`: the
   * same, if other chunks differ in their texts only.
   */
  chunk(chunk: ChatChunk, raw: string | null, pieces?: ChunkPieces): string
  /** Overrides the media type of server-sent events. */
  readonly mediaType?: string
  /** What keeps an idle connection open, if comments of server-sent events cannot. */
  readonly keepAlive?: string
  /** Called with the data of each native event. Returns the text to send, or null for a server-sent event. */
  nativeEvent?(data: string): string | null
  /** What follows the last native event, if anything does. */
  nativeEnd?(): string
  /** Called with the other fields of the upstream's usage chunk. */
  recordUsageMembers?(members: Readonly<Record<string, unknown>>): void
  /** The rest of a complete answer. `usage.cost` is in USD, and absent if no price is known. */
  end(usage: ChatUsage): string
  /** The end of a failed answer, after which the connection is closed; also the only text of an answer that fails at once. */
  fail(error: ErrorBody, status: number): string
}

/** `Body`: the client's request, as the schema of its operation has validated it. */
export interface ClientCodec<Body extends JsonObject = JsonObject> {
  /** Throws GatewayError 400 with `param` in the client's own terms for what no provider could be sent. */
  decodeRequest(body: Body): DecodedRequest
  /** The JSON of a complete answer. Its usage is `usage`, whose `cost` is in USD, and absent if no price is known. */
  answerBody(completion: ChatCompletion, usage: ChatUsage, context: AnswerContext): JsonObject
  streamWriter(context: AnswerContext): StreamWriter
  /** Called with the JSON of each plain native answer. */
  observeNative?(json: string): void
  /** The JSON of an error response. */
  errorBody(error: ErrorBody, status: number, requestId: string): JsonObject
}
