// Owns what an attempt needs to know of where it goes. The catalogue makes targets; `upstream/` calls them.
import type { ApiFormat } from '../../shared/providers.ts'
import type { Effort, Thinking } from './openai-chat/reasoning-effort.ts'
import type { ReasoningSignatures } from './reasoning-signatures.ts'

/** Tokens; taken for the output of a model whose limit nobody states, when it is reserved and when it is asked for. */
export const ASSUMED_MAX_OUTPUT = 16_384

/**
 * How a vendor or a model departs from its API format. Rows of data in `catalog/known-providers.ts` and
 * `catalog/families.ts`; all optional.
 */
export interface Quirks {
  /** Request fields it rejects. */
  dropFields?: readonly string[]
  /** Request fields it knows by another name: ours to theirs. */
  renameFields?: Readonly<Record<string, string>>
  /** It rejects `stream_options`, so no usage can be asked of a stream. */
  noStreamOptions?: true
  /** It has no `n`: the gateway calls once for each choice and merges. */
  noN?: true
  /** Reasoning tokens come on top of `completion_tokens` instead of inside. */
  additiveReasoning?: true
  /** How it is told how hard to think; by a word when absent. */
  thinking?: Thinking
  /** The words it knows, weakest first; `none` among them when its thinking can be turned off. */
  efforts?: readonly Effort[]
  /** It rejects a tool choice that forces a call. */
  noForcedTools?: true
  /**
   * The name by which it knows the output limit. `either`: it knows both and rejects both at once. Absent: nobody knows,
   * so that the older name, which servers know that ignore the newer one, is sent as well.
   */
  outputLimit?: 'max_tokens' | 'max_completion_tokens' | 'either'
  /** Request fields it rejects unless its reasoning is off. */
  dropWhileReasoning?: readonly string[]
  /** Its reasoning is off unless an effort is asked for. */
  reasoningOffByDefault?: true
  /** It rejects functions while it reasons, so a request that leaves the effort to it gets `none`. */
  noReasoningWithTools?: true
  /** The vendor lets such models reason with functions, by another API of their maker. */
  reasonsWithTools?: true
  /** Members of assistant messages that it rejects in a history, though answers have them. */
  dropAssistantFields?: readonly string[]
}

/** Where a provider is called, and how; the same for all its models. */
export interface Endpoint {
  providerId: string
  apiFormat: ApiFormat | 'sandbox'
  /** Without a trailing slash; it ends where the format's paths are appended. */
  baseUrl: string
  /** Extra headers of the provider's own (its configuration), never the caller's. */
  headers: Readonly<Record<string, string>>
  quirks: Quirks
  needsCredential: boolean
  /** Which of the provider's credentials to use, by their place, in the order in which they are tried. */
  credentialOrder: readonly number[]
  connectTimeoutMs: number
  firstByteTimeoutMs: number
  stallTimeoutMs: number
  totalTimeoutMs: number
}

/** One model at an endpoint. */
export interface Target extends Endpoint {
  /** The model id the provider knows. */
  upstreamModel: string
  /** The model id the client is told (`X-Service-Model`). */
  servedModel: string
  /** Tokens the model can produce at most; null when nobody says. */
  maxOutputTokens: number | null
  /** Tokens; asked for as the output limit where the client gives none, because no more is reserved. */
  enforcedOutputTokens?: number | null
  /** Of the API key that the call is made for. */
  signatures: ReasoningSignatures
}

/** Both together: what the vendor wants of every model, and what this model wants of every vendor. */
export function mergeQuirks(...all: readonly (Quirks | undefined)[]): Quirks {
  const given = all.filter((quirks) => quirks !== undefined)
  const dropFields = given.flatMap((quirks) => quirks.dropFields ?? [])
  const merged: Quirks = Object.assign({}, ...given)
  return dropFields.length > 0 ? { ...merged, dropFields } : merged
}
