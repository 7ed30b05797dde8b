// Where and how providers and models are called.
import type { Authorization } from '../../../shared/authorization.ts'
import type { Network } from '../../../shared/network.ts'
import type { ApiFormat, ProviderFormat } from '../../../shared/providers.ts'
import type { PassThroughPaths } from './pass-through.ts'
import type { ReasoningSignatures } from './reasoning.ts'
import type { Effort, Thinking } from './request-fields.ts'

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

/** A cloud that serves API formats of other vendors with paths, lists of models or streams of its own. */
export type Hosting = 'azure' | 'bedrock' | 'vertex'

/** The endpoint for text completions of a provider of OpenAI's format. */
export interface TextCompletions {
  path: string
  /** The ids of the models that have them; absent: all models. */
  models?: RegExp
}

/** Where a provider is called, and how; the same for all its models. */
export interface Endpoint {
  providerId: string
  apiFormat: ProviderFormat
  /** Further formats that the base URL serves, for clients of these formats. */
  otherFormats: readonly ApiFormat[]
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

/** Where one request is sent. */
export interface Target extends ModelEndpoint {
  /** Indexes of the provider's credentials, in the order of use. */
  credentialOrder: readonly number[]
  /** Tokens; the largest output limit that may be sent, because no more is reserved. Null leaves it to client and model. */
  enforcedOutputTokens?: number | null
  /** The signatures of the API key that the call is made for. */
  signatures: ReasoningSignatures
}

/** The output limit to send, in tokens: the client's own, or the target's if that is smaller. Null for none. */
export function limitOutput(
  requested: number | null | undefined,
  { enforcedOutputTokens }: Pick<Target, 'enforcedOutputTokens'>,
): number | null {
  const given = requested ?? Infinity
  const limit = Math.min(given, enforcedOutputTokens ?? Infinity)
  return limit === Infinity ? null : limit
}

/** Later ones override earlier ones, except that `dropFields` accumulate. */
export function mergeQuirks(...all: readonly (Quirks | undefined)[]): Quirks {
  const given = all.filter((quirks) => quirks !== undefined)
  const dropFields = given.flatMap((quirks) => quirks.dropFields ?? [])
  const merged: Quirks = Object.assign({}, ...given)
  return dropFields.length > 0 ? { ...merged, dropFields } : merged
}
