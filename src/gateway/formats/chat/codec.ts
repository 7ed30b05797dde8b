// A codec translates between text and chat events: no network, no clock, no credential store.
import type { Authorization } from '../../../shared/authorization.ts'
import type { ChatRequest } from '../../../shared/chat.ts'
import type { Capability, Pricing } from '../../../shared/models.ts'
import type { SseEvent } from '../framing/sse.ts'
import type { EncodedRequest } from './encoded-request.ts'
import type { ChatEvent, PlainAnswer } from './events.ts'
import type { UpstreamFailure } from './failure.ts'
import type { NativeCodec } from './native.ts'
import type { Quirks, Target } from './target.ts'

/** What identifies an answer in the chat-completions format. */
export interface CompletionIdentity {
  id: string
  /** Seconds since the epoch. */
  created: number
  model: string
}

/** The upstream's error message and codes, not yet redacted. */
export interface UpstreamErrorBody {
  message: string
  code: string | null
  param: string | null
  type: string | null
}

export interface StreamParser {
  /** The chat events in one server-sent event. Nothing follows a `done` or `failed`. */
  event(event: SseEvent): ChatEvent[]
  /** Called at the end of input. Returns a final `done` or `failed` unless one was returned before. */
  end(): ChatEvent[]
  /** Whether the last event shows progress that no chat event carries, such as reasoning that is not exposed. */
  readonly hiddenProgress?: boolean
  /** Whether the model may send nothing for as long as before its first output, because it reasons or runs a tool unseen. */
  readonly worksUnseen?: boolean
  /** Whether the end of the answer was announced, though more of it may follow. */
  readonly hasFinished?: boolean
}

/** An entry of a provider's model list; unknown fields are absent. */
export interface UpstreamModel {
  id: string
  name?: string
  /** Seconds since the epoch. */
  created?: number
  /** Tokens. */
  contextWindow?: number
  /** Tokens. */
  maxOutputTokens?: number
  capabilities?: Capability[]
  pricing?: Pricing
  /** The vendor's id of the model, where `id` is a name that the user chose. */
  vendorModel?: string
}

export interface ModelListAddress {
  url: string
  /** A failure with this status means that there are no models in it. */
  emptyAt?: readonly number[]
}

export interface FormatCodec {
  /** Those of every provider that uses this format. */
  quirks: Quirks
  /** Sent with every call. */
  headers: Readonly<Record<string, string>>
  /** How the format's vendor takes the credential; hosts of the format may take it otherwise. */
  authorization: Authorization
  chatRequest(request: ChatRequest, target: Target): EncodedRequest
  /** Passes requests of clients that use the same format through; absent where that is not supported. */
  native?: NativeCodec
  /** Reads the JSON of a non-streamed answer (status 200). Failures are returned, not thrown. */
  plainAnswer(body: unknown, target: Target, defaults: CompletionIdentity): PlainAnswer | UpstreamFailure
  streamParser(target: Target, defaults: CompletionIdentity): StreamParser
  /** Reads the body of an error response, JSON or not. */
  errorBody(text: string): UpstreamErrorBody
  /** May include a query. */
  modelsPath: string
  /** The lists of a cloud that hosts the format, where they are not at `modelsPath`. All of them are read. */
  modelLists?(baseUrl: string): readonly ModelListAddress[]
  /** The query for the next page of a model list; null after the last. */
  nextPage(body: unknown): string | null
  /** Reads a model list: at most `limit` entries, without duplicate ids. Null when it is not a list. */
  models(body: unknown, limit: number): UpstreamModel[] | null
}
