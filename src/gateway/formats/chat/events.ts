// A codec returns a plain answer or a sequence of events. A stream never throws: a failure is its last event.
import type { ChatChunk, ChatCompletion } from '../../../shared/formats/chat-completion.ts'
import type { UpstreamFailure } from './failure.ts'
import type { RawAnswer, UsageReader } from './pass-through.ts'
import type { ReportedUsage } from './usage.ts'

/** An event of an upstream's stream. */
export interface SseEvent {
  type: 'event'
  /** The `event:` field; null when the event has none. */
  event: string | null
  data: string
}

export type ChatEvent =
  /**
   * `raw`: the exact `data` payload when it can be forwarded unchanged; null when the gateway built or changed the chunk.
   * `pieces`: `raw` again, if other chunks differ in their texts only.
   */
  | { type: 'chunk'; chunk: ChatChunk; raw: string | null; pieces?: ChunkPieces }
  /** May be repeated; the last one counts. `members`: the other fields of the upstream's usage chunk. */
  | { type: 'usage'; usage: ReportedUsage; members?: Readonly<Record<string, unknown>> }
  /** An unchanged event of the upstream's stream, after the chat events that were read from it. Only in native answers. */
  | { type: 'native'; event: string | null; data: string; final?: true }
  /** A part of an answer that is passed through as bytes. */
  | { type: 'bytes'; bytes: Buffer }
  /** The upstream completed its answer. Always the last event. */
  | { type: 'done' }
  /** The answer was interrupted. Always the last event. */
  | { type: 'failed'; failure: UpstreamFailure }

/** How an answer reaches the client. */
export type AnswerMode =
  /** The client's codec writes it. */
  | { kind: 'translated' }
  /** Unchanged, to a client of the provider's own format, except for the cost in its usage. */
  | { kind: 'native'; addCost(json: string, costUsd: number): string; namesEvents: boolean }
  /** Unchanged and in any format; only its usage is read. */
  | { kind: 'raw'; readUsage: UsageReader }

export const TRANSLATED: AnswerMode = { kind: 'translated' }

export interface PlainAnswer {
  kind: 'plain'
  completion: ChatCompletion
  usage: ReportedUsage | null
  /** The unchanged answer, if it goes to a client of the same format. */
  native?: string
  /** The answer to a request that is passed through, with its media type. */
  raw?: RawAnswer
  /** Headers of the provider's answer that the client gets, too. */
  headers?: Readonly<Record<string, string>>
}

/**
 * The events of a stream, in batches of one or more: those that one read from the network brought. They end with exactly
 * one `done` or `failed`. Returning early aborts the upstream call.
 */
export type EventBatches = AsyncIterable<readonly ChatEvent[]>

export interface StreamAnswer {
  kind: 'stream'
  events: EventBatches
  /** Absent if the client's codec writes the stream: else it has `native` events, or bytes of the media type. */
  unchanged?: 'events' | { mediaType: string }
  /** Headers of the provider's answer that the client gets, too. */
  headers?: Readonly<Record<string, string>>
}

export type Answer = PlainAnswer | StreamAnswer

/** The JSON of a chunk in pieces. */
export interface ChunkPieces {
  /** The JSON around the texts, with their quotes: the same array for chunks that differ in their texts only. */
  parts: readonly string[]
  /** Strings as JSON has them, without their quotes: one between each two parts. */
  texts: readonly string[]
}

export function joinPieces({ parts, texts }: ChunkPieces): string {
  let json = ''
  for (let at = 0; at < parts.length; at += 1) json += (parts[at] ?? '') + (texts[at] ?? '')
  return json
}
