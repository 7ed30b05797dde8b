// A codec translates between text and chat events: no network, no clock, no credential store. That of a provider encodes chat
// requests and reads its answers; that of a client decodes its requests and writes answers.

import type { Network } from '../../../shared/api/account.ts'
import type { Authorization } from '../../../shared/api/authorization.ts'
import type { ErrorBody } from '../../../shared/api/errors.ts'
import type { Capability, Pricing } from '../../../shared/api/models.ts'
import type { ApiFormat, ProviderFormat } from '../../../shared/api/providers.ts'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import type { ChatChunk, ChatCompletion, ChatUsage } from '../../../shared/formats/chat-completion.ts'
import type { JsonObject } from '../json/json.ts'
import type { ChatEvent, ChunkPieces, PlainAnswer, SseEvent } from './events.ts'
import type { UpstreamErrorBody, UpstreamFailure } from './failure.ts'
import type { Effort, Thinking } from './message-content.ts'
import type { PassThroughPaths } from './pass-through.ts'
import type { ReasoningSignatures } from './reasoning.ts'

/** A request as a provider is sent it. */
export interface EncodedRequest {
  /** Appended to the target's base URL, unless it is a whole URL. */
  path: string
  headers: Record<string, string>
  body: string
  /** Sent instead of `body` if the request is not text. */
  bytes?: Buffer
  /** The names of the answer's headers that the client gets, too. */
  answerHeaders?: RegExp | undefined
  /** Set for a client's own request to its own vendor: no header is added, and an error's body goes back unchanged, too. */
  verbatim?: true
}

/** A request with a JSON body, for an answer in JSON or as a stream of server-sent events. */
export function encodeCall(
  path: string,
  body: string,
  stream: boolean,
  headers: Readonly<Record<string, string>> = {},
): EncodedRequest {
  const accept = stream ? 'text/event-stream' : 'application/json'
  return { path, headers: { 'content-type': 'application/json', accept, ...headers }, body }
}

/** The members that identify an answer in the chat-completions format. */
export interface CompletionIdentity {
  id: string
  /** Seconds since the epoch. */
  created: number
  model: string
}

export interface StreamParser {
  /** The chat events in one server-sent event. Nothing follows a `done` or `failed`. */
  event(event: SseEvent): ChatEvent[]
  /** Called at the end of input. Returns a final `done` or `failed` unless one was returned before. */
  end(): ChatEvent[]
  /** Whether the last event shows progress that no chat event carries, such as reasoning that is not exposed. */
  readonly hiddenProgress?: boolean
  /** Whether the model may pause for as long as before its first output, because it reasons or runs a tool unseen. */
  readonly mayStall?: boolean
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
  /** The day from which it is no longer served, such as 2026-12-11. */
  retiresOn?: string
}

export interface ModelListAddress {
  url: string
  /** A failure with this status means that there are no models in it. */
  emptyAt?: readonly number[]
}

/** An error response without its body; the names of headers are in lower case. */
interface ErrorResponse {
  status: number
  headers: Readonly<Record<string, unknown>>
}

export interface FormatCodec {
  /** The quirks of every provider that uses this format. */
  quirks: Quirks
  /** Sent with every call. */
  headers: Readonly<Record<string, string>>
  /** How the format's vendor takes the credential; hosts of the format may take it otherwise. */
  authorization: Authorization
  chatRequest(request: ChatRequest, target: Target): EncodedRequest
  /** Passes requests of clients that use the same format through; absent where that is not supported. */
  native?: NativeCodec
  /** Reads the JSON of a non-streamed answer (status 200). Failures are returned, not thrown. */
  plainAnswer(
    body: unknown,
    target: AnswerTarget,
    defaults: CompletionIdentity,
  ): PlainAnswer | UpstreamFailure
  streamParser(target: AnswerTarget, defaults: CompletionIdentity): StreamParser
  /** Reads the body of an error response, JSON or not. */
  errorBody(text: string, response: ErrorResponse): UpstreamErrorBody
  /** May include a query. */
  modelsPath: string
  /** The lists of a cloud that hosts the format, where they are not at `modelsPath`. All of them are read. */
  modelLists?(baseUrl: string): readonly ModelListAddress[]
  /** The query for the next page of a model list; null after the last. */
  nextPage(body: unknown): string | null
  /** Reads a model list: at most `limit` entries, without duplicate ids. Null when it is not a list. */
  models(body: unknown, limit: number): UpstreamModel[] | null
}

// Requests that go through unchanged because the client and the provider use the same API format.

/** A client's request in its own format. */
export interface NativeRequest {
  format: ApiFormat
  /** The unchanged body: a JSON object. */
  body: string
  /** The body, parsed and validated. */
  json: JsonObject
  /** The request as a chat request; for chat completions, it has exactly the members of the body. */
  chatRequest: ChatRequest
  stream: boolean
  /** A text completion, which only some providers of the format have (`Target.completionsPath`). */
  isTextCompletion?: boolean
  /** The part of the URL's query that is forwarded, with its `?`, or an empty string. */
  query: string
  /** Headers that the vendor defines for clients, such as `anthropic-beta`, by their lower-case names. */
  headers: Readonly<Record<string, string>>
}

/**
 * What OpenAI and Codex define. The organization and the project of a call are those of the credential.
 */
export const openaiHeaders = {
  clientHeaders: /^(?:openai-(?!organization$|project$)|x-codex-)/,
  answerHeaders: /^(?:openai-(?!organization$|project$)|x-codex-|x-ratelimit-)/,
} as const

export interface NativeCodec {
  /** The names of the client's headers that go along, in lower case: vendors add new ones. */
  clientHeaders?: RegExp | undefined
  /** The names of the answer's headers that the client gets, in lower case. */
  answerHeaders?: RegExp | undefined
  /** The names of the parameters in the URL's query that go along. */
  clientParameters?: readonly string[]
  /**
   * The client's request for the target. Only the model's name, a missing output limit (`target.enforcedOutputTokens`) and
   * options that make the provider report usage are set; everything else stays byte for byte.
   */
  request(native: NativeRequest, target: Target): EncodedRequest
  /** The client's request for a count of the tokens of its prompt; absent for a format without one. */
  countTokens?(native: NativeRequest, target: Target): EncodedRequest
  /** Set where each event of a stream has a name, which its data repeats as `type`. */
  namesEvents?: true
  /**
   * The JSON of an answer, or the data of a stream's event, with `cost` in its usage object; unchanged if it has none. Absent
   * for chat completions, whose answers are rewritten with our id and model.
   */
  addCost?(json: string, costUsd: number): string
}

/** A client's request as a chat request. */
export interface DecodedRequest {
  request: ChatRequest
  /**
   * The first feature that only a provider of the client's own format supports; `request` lacks it. Every other
   * provider fails with it (see `refuseRequest`). Null if all providers can be sent the request.
   */
  unsupported: UpstreamFailure | null
}

/** The members of an answer other than the model's output. */
export interface AnswerContext {
  /** The id of the request record. */
  requestId: string
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
  /** Text that keeps an idle connection open, if comments of server-sent events cannot. */
  readonly keepAlive?: string
  /** Called with the data of each native event. Returns the text to send, or null for a server-sent event. */
  nativeEvent?(data: string): string | null
  /** Returns the text to send after the last native event. */
  nativeEnd?(): string
  /** Called with the other fields of the upstream's usage chunk. */
  recordUsageMembers?(members: Readonly<Record<string, unknown>>): void
  /** The rest of a complete answer. `usage.cost` is in USD, and absent if no price is known. */
  end(usage: ChatUsage): string
  /** The end of a failed answer, after which the connection is closed; also the only text of an answer that fails immediately. */
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
  errorBody(error: ErrorBody, status: number, requestId: string): JsonObject
}

// Where and how providers and models are called.

/** Tokens; the output limit assumed for a model without a known one, both for reservations and in requests. */
export const ASSUMED_MAX_OUTPUT = 16_384

export type OutputLimitName = 'max_tokens' | 'max_completion_tokens'
/** The name for servers whose support is unknown: some ignore the newer field without saying so. */
export const OUTPUT_LIMIT_FIRST: OutputLimitName = 'max_tokens'
export const OUTPUT_LIMIT_SECOND: OutputLimitName = 'max_completion_tokens'

/** How a vendor or a model deviates from its API format: data in `providers/known-providers.ts` and `catalog/model-families.ts`. */
export interface Quirks {
  /** Request fields it rejects. */
  dropFields?: readonly string[]
  /** Request fields that have another name there: chat-completions name to vendor's name. */
  renameFields?: Readonly<Record<string, string>>
  /** It rejects `stream_options`, so streams report usage only if it does so by default. */
  noStreamOptions?: true
  /** It does not support `n`: the gateway makes one call per choice and merges the answers. */
  noN?: true
  /** `completion_tokens` does not include the reasoning tokens. */
  additiveReasoning?: true
  /** The output limit does not cover reasoning tokens. */
  unlimitedReasoning?: true
  /** It bills one search of the web with each answer, and does not report it. */
  searchesOnce?: true
  /** How the reasoning effort is set; `level` if absent. */
  thinking?: Thinking
  /** The efforts it accepts, weakest first; includes `none` if reasoning can be disabled. */
  efforts?: readonly Effort[]
  /** It rejects a tool choice that forces a call. */
  noForcedTools?: true
  /**
   * The field for the output limit. `either`: it accepts one of the two, but not both. Absent: unknown, so the older one is
   * sent, and if that is rejected, the newer one.
   */
  outputLimit?: OutputLimitName | 'either'
  /** Request fields it rejects unless reasoning is disabled. */
  dropWhileReasoning?: readonly string[]
  /** Summaries of its reasoning are not requested: OpenAI gives them to verified organizations only, and rejects others. */
  noReasoningSummary?: true
  /** It uses Anthropic's cache control in chat messages; others may reject it. */
  cacheControl?: true
  /** OpenAI's own models: they accept instructions anywhere in a conversation, and no members of other vendors. */
  openaiOwned?: true
  /** It does not reason unless the request sets an effort. */
  reasoningOffByDefault?: true
  /** It rejects functions while it reasons, so a request without an effort is sent `none`. */
  noReasoningWithTools?: true
  /** OpenAI serves it through the Responses API only. */
  onlyResponses?: true
  /** The vendor supports functions with reasoning even for such models. */
  reasonsWithTools?: true
  /** Fields of assistant messages that it rejects in requests, though its answers contain them. */
  dropAssistantFields?: readonly string[]
}

/** A cloud that serves API formats of other vendors with its own paths, lists of models or streams. */
export type Hosting = 'azure' | 'bedrock' | 'vertex'

/** The endpoint for text completions of a provider of OpenAI's format. */
export interface TextCompletions {
  path: string
  /** The ids of the models that have them; absent: all models. */
  models?: RegExp
}

/** Models that an endpoint serves in another format than its own, and in no other. */
export interface OtherModels {
  models: RegExp
  /** The provider's ids that do not name their model: the name that clients use does. */
  unnamed: RegExp
  apiFormat: ApiFormat
}

/** Where a provider is called, and how; the same for all its models. */
export interface Endpoint {
  providerId: string
  apiFormat: ProviderFormat
  /** Further formats that the base URL serves, for clients of these formats. */
  otherFormats: readonly ApiFormat[]
  /** Absent if all models are served in its formats. */
  otherModels?: OtherModels | undefined
  /** Which models have text completions, and where; null if none have. */
  completions: TextCompletions | null
  /** Without a trailing slash; the format's paths are appended to it. */
  baseUrl: string
  /** The cloud that serves the format in its own way; null for the format as its vendor defines it. */
  hosting: Hosting | null
  /** Where it lists its models, below the base URL; absent: as the format defines it. */
  modelsPath?: string | undefined
  /** Null: as the format defines it. */
  authorization: Authorization | null
  /** Extra headers from the provider's configuration, never the client's. */
  headers: Readonly<Record<string, string>>
  /** How connections to it leave this computer; null: as the settings say. */
  network: Network | null
  /** Whether translated requests are marked for the provider's cache of prompts. */
  promptCache: boolean
  /** Whether it has WebSockets for responses. */
  webSocket: boolean
  quirks: Quirks
  /** Where it serves what is passed through. */
  passThroughPaths?: PassThroughPaths
  needsCredential: boolean
  connectTimeoutMs: number
  firstByteTimeoutMs: number
  stallTimeoutMs: number
  totalTimeoutMs: number
}

/** One model at an endpoint; the same for all requests in one format. */
export interface ModelEndpoint extends Endpoint {
  /** The provider's model id. */
  upstreamModel: string
  /** The model id in the answer and in `X-Service-Model`. */
  servedModel: string
  /** The model's output limit in tokens; null when unknown. */
  maxOutputTokens: number | null
  /** Where it has text completions; null if it has none. */
  completionsPath: string | null
}

/** How long a vendor keeps what a mark covers, from its last use on. */
export type CacheLifetime = '5m' | '1h'

/** How a translated request uses the target's cache of prompts. */
export interface PromptCache {
  /** A text that all requests of a session have in common. */
  session: string
  /** The lifetime for vendors that let the client choose. */
  lifetime: CacheLifetime
}

/** Where one request is sent. */
export interface Target extends ModelEndpoint {
  /** Indexes of the provider's credentials, in the order of use. */
  credentialOrder: readonly number[]
  /** Tokens; the largest output limit that may be sent, because no more is reserved. Null leaves it to client and model. */
  enforcedOutputTokens?: number | null
  /** Null or absent: the request is sent without marks of the gateway. */
  cache?: PromptCache | null
  /** The signatures of the API key that the call is made for. */
  signatures: ReasoningSignatures
}

/** The part of a target that the meaning of its answers depends on. */
export type AnswerTarget = Pick<Target, 'quirks' | 'signatures' | 'upstreamModel'>

/** The output limit to send, in tokens: the client's own, or the target's if that is smaller. Null for none. */
export function limitOutput(
  requested: number | null | undefined,
  { enforcedOutputTokens }: Pick<Target, 'enforcedOutputTokens'>,
): number | null {
  const requestedTokens = requested ?? Infinity
  const limit = Math.min(requestedTokens, enforcedOutputTokens ?? Infinity)
  return limit === Infinity ? null : limit
}

/** Later ones override earlier ones, except that `dropFields` accumulate. */
export function mergeQuirks(...all: readonly (Quirks | undefined)[]): Quirks {
  const present = all.filter((quirks) => quirks !== undefined)
  const dropFields = present.flatMap((quirks) => quirks.dropFields ?? [])
  const merged: Quirks = Object.assign({}, ...present)
  return dropFields.length > 0 ? { ...merged, dropFields } : merged
}
