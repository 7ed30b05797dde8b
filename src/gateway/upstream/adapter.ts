import type { ChatRequest } from '../../shared/formats/chat.ts'
import type { EncodedRequest, Endpoint, Target, UpstreamModel } from '../formats/chat/codec-types.ts'
import type { Answer, AnswerMode } from '../formats/chat/events.ts'
import type { TraceHeaders } from '../platform/trace-context.ts'
import type { ProviderSockets } from './provider-sockets.ts'

/** One request to one target. */
export interface UpstreamCall {
  target: Target
  request: ChatRequest
  /** The encoded request; null if the adapter still has to encode it. */
  encoded: EncodedRequest | null
  mode: AnswerMode
  /** Null for a target that needs none. */
  credential: string | null
  /** Aborting it closes the connection immediately. */
  signal: AbortSignal
  /** The headers of the trace that the call belongs to, if there is one. */
  trace?: TraceHeaders | undefined
  /** Set for a turn of a client's WebSocket: those of providers that it may go over. */
  sockets?: ProviderSockets | null | undefined
}

/** The part of an endpoint that is needed to list its models. */
export type ModelSource = Omit<
  Endpoint,
  | 'otherFormats'
  | 'completions'
  | 'quirks'
  | 'passThroughPaths'
  | 'needsCredential'
  | 'promptCache'
  | 'webSocket'
>

export interface ModelListCall {
  source: ModelSource
  credential: string | null
  signal: AbortSignal
}

export interface ForwardCall {
  target: Target
  encoded: EncodedRequest
  credential: string | null
  signal: AbortSignal
  /** The headers of the trace that the call belongs to, if there is one. */
  trace?: TraceHeaders | undefined
}

/** A way to call providers. */
export interface UpstreamAdapter {
  /** False where a call needs none, so that none is read. */
  readonly usesCredentials: boolean
  /**
   * The request as the target is sent it; null where nothing leaves the process. Throws the UpstreamFailure of a request
   * that the target's format cannot express.
   */
  encode(request: ChatRequest, target: Target): EncodedRequest | null
  /**
   * Resolves when a plain answer is complete or a stream has brought its first chunk; after that, a stream's failure is
   * its last event. Throws UpstreamFailure, without secrets.
   */
  send(call: UpstreamCall): Promise<Answer>
  /**
   * The JSON of the answer to another request of the target's format, which no model answers; absent where nothing leaves
   * the process. Throws UpstreamFailure, without secrets.
   */
  forward?(call: ForwardCall): Promise<unknown>
  /** The models that the provider lists, each id once. Throws UpstreamFailure, without secrets. */
  listModels(call: ModelListCall): Promise<UpstreamModel[]>
}
