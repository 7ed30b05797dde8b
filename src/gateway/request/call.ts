// A request to a model as the API has read it, and the services that it uses.
import type { IncomingHttpHeaders } from 'node:http'
import type { RequestAgent } from '../../shared/api/requests.ts'
import type { ClientCodec, DecodedRequest, NativeRequest } from '../formats/chat/codec-types.ts'
import type { PassThrough } from '../formats/chat/pass-through.ts'
import type { JsonObject } from '../formats/json/json.ts'
import type { AnswerSealer } from '../idempotency/idempotency.ts'
import type { KeyState } from '../keys/key-state.ts'
import type { Offer } from '../models/catalog/offers.ts'
import type { LiveSession } from '../sessions/live-sessions.ts'
import type { PlanSignIn } from '../upstream/authorization/plan-sign-in.ts'
import type { ProviderSockets } from '../upstream/provider-sockets.ts'
import type { RequestTrace } from '../upstream/request-trace.ts'
import type { ClientStream } from './in-flight.ts'

/** How a request reaches providers. */
export type RequestMode =
  /** Each provider is sent the chat request in its own format. */
  | { kind: 'translated' }
  /** Providers of the client's own format are sent the client's request, others the chat request. */
  | { kind: 'native'; native: NativeRequest }
  /** The vendor of the client is sent the client's own bytes with the client's own sign-in. */
  | { kind: 'plan'; native: NativeRequest; query: string; signIn: PlanSignIn; bytes: Buffer }
  /** Only providers of the endpoint are sent it, unchanged; the chat request says what the model reads. */
  | { kind: 'raw'; passThrough: PassThrough }

export type PlanMode = Extract<RequestMode, { kind: 'plan' }>

/** Another model that is tried before the one that the client asks for, and the request as that model accepts it. */
export interface Instead extends Pick<DecodedRequest, 'request'> {
  offers: readonly Offer[]
  native: NativeRequest | null
}

/** A request of a client in one of the API formats. */
export interface InferenceCall extends DecodedRequest {
  requestId: string
  /** The method and path: `POST /v1/messages`. */
  endpoint: string
  codec: ClientCodec
  /** The client's request, validated. */
  json: JsonObject
  /** As the client sent them. */
  headers: IncomingHttpHeaders
  /** The path and query, unchanged. */
  url: string
  mode: RequestMode
  /** The plan that would have paid for it, and was used up when its session began; null for all other requests. */
  overflowFrom: string | null
  /** Whether a rule has changed it. */
  ruled: boolean
  /** What a rule has chosen to serve it instead; null for all other requests. */
  instead: Instead | null
  /** The request's bytes as they came, for a log of bodies. */
  body: Buffer
  key: KeyState
  stream: ClientStream
  /** How the client identifies itself. */
  client: string | null
  session: LiveSession
  /** The place in the run of an agent, if the client states it. */
  agent: RequestAgent | null
  /** The project that the request is for; null for none. */
  tag: string | null
  /** Set when the request carries an Idempotency-Key: seals the answer for replays. */
  sealer: AnswerSealer | null
  /** The bearer secret of the key; null if the caller has none, or another key pays. */
  secret: string | null
  /** Null unless traces are exported, or the client has sent a trace. */
  trace: RequestTrace | null
  /** Null unless it is a turn of a client's WebSocket. */
  sockets: ProviderSockets | null
}
