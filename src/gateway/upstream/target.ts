// Owns what an attempt needs to know of where it goes. The catalogue makes targets; the upstream room calls them.
import type { Wire } from '../../shared/providers.ts'

/** How a vendor departs from its wire format. Rows of data in `catalog/known-providers.ts`; all optional. */
export interface Quirks {
  /** Request fields the vendor rejects. */
  dropFields?: readonly string[]
  /** Request fields it knows by another name: ours to theirs. */
  renameFields?: Readonly<Record<string, string>>
  /** It rejects `stream_options`, so no usage can be asked of a stream. */
  noStreamOptions?: true
  /** It has no `n`: the gateway calls once for each choice and merges. */
  noN?: true
  /** Reasoning tokens come on top of `completion_tokens` instead of inside. */
  additiveReasoning?: true
}

export interface Target {
  providerId: string
  wire: Wire | 'sandbox'
  /** Without a trailing slash; for the OpenAI wire it ends where `/chat/completions` is appended. */
  baseUrl: string
  /** The model id the provider knows. */
  upstreamModel: string
  /** The model id the client is told (`X-Service-Model`). */
  servedModel: string
  /** Extra headers of the provider's own (its configuration), never the caller's. */
  headers: Readonly<Record<string, string>>
  quirks: Quirks
  needsCredential: boolean
  connectTimeoutMs: number
  firstByteTimeoutMs: number
  stallTimeoutMs: number
  totalTimeoutMs: number
}
