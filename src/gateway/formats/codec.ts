// Owns what every API format can do. A codec is pure functions between text and chat events: no network, no
// clock, no credentials store.
import type { ChatRequest } from '../../shared/chat.ts'
import type { Capability, Pricing } from '../../shared/models.ts'
import type { ChatEvent, PlainAnswer } from './events.ts'
import type { SseEvent } from './sse.ts'
import type { Quirks, Target } from './target.ts'
import type { UpstreamFailure } from './upstream-failure.ts'

export interface EncodedRequest {
  /** Appended to the target's base URL. */
  path: string
  headers: Record<string, string>
  body: string
}

/** What identifies an answer in the chat-completions format. */
export interface CompletionIdentity {
  id: string
  /** Seconds since the epoch. */
  created: number
  model: string
}

/** An upstream's own words for what went wrong; not yet redacted. */
export interface UpstreamErrorBody {
  message: string
  code: string | null
  param: string | null
  type: string | null
}

export interface StreamParser {
  /** The chat events that one server-sent event stands for. After a `done` or `failed` there are no more. */
  event(event: SseEvent): ChatEvent[]
  /** What the end of input means; ends with `done` or `failed` unless that came before. */
  end(): ChatEvent[]
  /** Whether the event read last shows that work goes on of which no chat event tells. Absent where there is none such. */
  readonly hiddenProgress?: boolean
}

/** A row of a provider's own list of models; what it does not say is absent. */
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
}

export interface FormatCodec {
  /** What every provider of this format lacks or wants otherwise. */
  quirks: Quirks
  /** Sent with every call, whatever it is. */
  headers: Readonly<Record<string, string>>
  /** Headers that carry the credential. */
  authorization(credential: string): Record<string, string>
  chatRequest(request: ChatRequest, target: Target): EncodedRequest
  /** Reads the JSON of a plain answer (a 200). Failures come back as values. */
  plainAnswer(body: unknown, target: Target, defaults: CompletionIdentity): PlainAnswer | UpstreamFailure
  streamParser(target: Target, defaults: CompletionIdentity): StreamParser
  /** Reads the text of an error response, JSON or not. */
  errorBody(text: string): UpstreamErrorBody
  /** May carry a query. */
  modelsPath: string
  /** The query of the page that follows this one of a model list; null after the last. */
  nextPage(body: unknown): string | null
  /** Reads the JSON of a model list: at most `limit` rows, each id once. Null when it is not a list. */
  models(body: unknown, limit: number): UpstreamModel[] | null
}
