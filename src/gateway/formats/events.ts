// Owns what passes between a API format and the gateway: one plain answer, or a sequence of events.
// Knows nothing of sockets on either side. A stream never throws: failure is its last event.
import type { ChatChunk, ChatCompletion } from '../../shared/chat-completion.ts'
import type { ReportedUsage } from './token-usage.ts'
import type { UpstreamFailure } from './upstream-failure.ts'

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
