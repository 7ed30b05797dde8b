// Owns what every upstream wire format can do, and the table of those that exist. A wire is pure functions between
// text and chat events: no network, no clock, no credentials store.
import type { ChatRequest } from '../../shared/chat.ts'
import type { Capability, Pricing } from '../../shared/models.ts'
import type { Wire as WireName } from '../../shared/providers.ts'
import type { ChatEvent, PlainAnswer } from '../chat/events.ts'
import { UpstreamFailure } from '../upstream/failure.ts'
import type { Target } from '../upstream/target.ts'
import { openai } from './openai.ts'
import type { SseEvent } from './sse.ts'

export interface WireRequest {
  /** Appended to the target's base URL. */
  path: string
  headers: Record<string, string>
  body: string
}

/** What an answer may lack and gets from us. */
export interface AnswerDefaults {
  id: string
  /** Seconds since the epoch. */
  created: number
  model: string
}

/** An upstream's own words for what went wrong; not yet redacted. */
export interface WireError {
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

export interface Wire {
  /** Headers that carry the credential. */
  authorization(credential: string): Record<string, string>
  chatRequest(request: ChatRequest, target: Target): WireRequest
  /** Reads the JSON of a plain answer (a 200). Failures come back as values. */
  plainAnswer(body: unknown, target: Target, defaults: AnswerDefaults): PlainAnswer | UpstreamFailure
  streamParser(target: Target, defaults: AnswerDefaults): StreamParser
  /** Reads the text of an error response, JSON or not. */
  errorBody(text: string): WireError
  modelsPath: string
  /** Reads the JSON of a model list: at most `limit` rows, each id once. Null when it is not a list. */
  models(body: unknown, limit: number): UpstreamModel[] | null
}

const wires: Partial<Record<WireName, Wire>> = { openai }

/** The wire format of that name. Throws an UpstreamFailure that names it when there is none. */
export function wireOf(name: WireName): Wire {
  const wire = wires[name]
  if (wire) return wire
  throw new UpstreamFailure({
    kind: 'status',
    code: 'wire_unsupported',
    message: `The wire format "${name}" is not supported.`,
  })
}
