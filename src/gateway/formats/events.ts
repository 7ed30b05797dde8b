// Owns what passes between a API format and the gateway: one plain answer, or a sequence of events.
// Knows nothing of sockets on either side. A stream never throws: failure is its last event.
import type { ChatChunk, ChatCompletion, ChatUsage } from '../../shared/chat.ts'
import type { UsageBuckets } from '../../shared/requests.ts'
import type { UpstreamFailure } from './upstream-failure.ts'

/** What a provider said it counted, in disjoint buckets ready for pricing. */
export interface ReportedUsage {
  buckets: UsageBuckets
  /** The counts of each call, where the answer took several: a price may depend on the size of one call's prompt. */
  calls?: readonly UsageBuckets[]
  /** The cost in USD that the provider itself reported; null when it gives none. */
  costUsd: number | null
  /** Served in a tier (`service_tier`) that has prices of its own, which nobody here knows. */
  otherTier?: true
  /** The counts in the clients' format, as the usage chunk or the `usage` member shows them. */
  asChatUsage: ChatUsage
}

export type ChatEvent =
  /** `raw`: the exact `data` payload, when it may go to the client as it came; null when the chunk was made or changed here. */
  | { type: 'chunk'; chunk: ChatChunk; raw: string | null }
  /** May come more than once; the last one counts. `members`: what else the upstream's usage chunk said. */
  | { type: 'usage'; usage: ReportedUsage; members?: Readonly<Record<string, unknown>> }
  /** The upstream ended its answer properly. Always the last event. */
  | { type: 'done' }
  /** The answer broke off. Always the last event. */
  | { type: 'failed'; failure: UpstreamFailure }

export interface PlainAnswer {
  kind: 'plain'
  completion: ChatCompletion
  usage: ReportedUsage | null
}

export interface StreamAnswer {
  kind: 'stream'
  /** Ends with exactly one `done` or `failed`. Returning early aborts the upstream call. */
  events: AsyncIterable<ChatEvent>
}

export type Answer = PlainAnswer | StreamAnswer
