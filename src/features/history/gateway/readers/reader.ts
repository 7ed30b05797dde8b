// The usage that agents have written to this disk: the form that all readers bring it to.

import type { HistoryTool } from '../../../../shared/api/history-tools.ts'
import type { LogFile } from '../imported-rows.ts'

/** Disjoint buckets, as the gateway prices them. Reasoning is part of `output`. */
export interface Tokens {
  input: number
  cacheRead: number
  cacheWrite5m: number
  cacheWrite1h: number
  output: number
  reasoning: number
}

/** One call of a model, as a log has it. */
export interface UsageRow {
  tool: HistoryTool
  /** Rows with the same identity are the same call, in whatever file they are. */
  identity: string
  /** Milliseconds since 1970. */
  time: number
  model: string
  /** The tool's own name of the provider. */
  provider: string | null
  session: string
  /** The sub-agent, by the tool's own id; null for the main agent. */
  agent: string | null
  /** The folder that the tool worked in. */
  project: string | null
  branch: string | null
  /** 1, but for sums of tools that recorded no single calls. */
  calls: number
  tokens: Tokens
  webSearches: number
  /** The tier of service, if its prices are not the standard ones. */
  tier: string | null
  /** The id that the tool received with the answer: that of the request, where this gateway answered. */
  answerId: string | null
  /** Whether the log has no division of cache writes by lifetime. */
  unsplitWrites?: true
  /** What a sub-agent repeats if it repeats this call. */
  original?: string
  /** The row does not count if there is one row with this `original`. */
  repeats?: string
}

/** The reasons for which something in a log is not counted. `because` follows "was not counted, because". */
export const SKIP_REASONS = {
  'long-line': { noun: 'line', because: 'a line may have 8 MB at most' },
  'damaged-line': { noun: 'line', because: 'of damage' },
  'damaged-file': { noun: 'file', because: 'of damage' },
  'damaged-row': { noun: 'database row', because: 'of damage' },
  'damaged-database': { noun: 'database', because: 'it is damaged, or has another form' },
  'large-file': { noun: 'file', because: 'a file of this kind may have 64 MB at most' },
  unreadable: { noun: 'path', because: 'the system refused to read it' },
  'busy-database': { noun: 'database', because: 'the tool was changing it during each of three attempts' },
  'no-time': { noun: 'call', because: 'the log does not say when' },
  'no-parent': {
    noun: 'call',
    because: 'the session that was forked is missing, and the fork may repeat its calls',
  },
} as const
export type SkipReason = keyof typeof SKIP_REASONS

/** What a tool itself states as the sum of a session. */
export interface StatedTotal {
  session: string
  tokens: Tokens
}

/** Takes what a reader finds, and remembers what it has read. */
export interface Sink {
  /** Whether a file is the same as when it was last read, so that nothing in it is new. */
  isRead(file: LogFile): boolean
  /** To be awaited when all calls of these files were added. */
  endFiles(files: readonly LogFile[]): Promise<void>
  /** Whether calls of the session are known by the ids of their answers, from a file that may be gone. */
  hasAnswers(session: string): boolean
  add(row: UsageRow): void
  skip(reason: SkipReason, tokens?: number): void
  /** A later total of a session replaces an earlier one. */
  state(total: StatedTotal): void
}

/** Where a tool may have its files. */
export interface Place {
  home: string
  env: Readonly<Record<string, string | undefined>>
}

export interface Reader {
  /** The folders and files that are read, whether or not they exist. */
  locate(place: Place): string[]
  /** Reads all of them, and writes nothing next to them. */
  read(place: Place, sink: Sink): Promise<void>
}

export function sumTokens({ input, cacheRead, cacheWrite5m, cacheWrite1h, output }: Tokens): number {
  return input + cacheRead + cacheWrite5m + cacheWrite1h + output
}

/** A count in a log: 0 for anything that is none. */
export function readCount(value: unknown): number {
  return typeof value === 'number' && value > 0 && Number.isSafeInteger(value) ? value : 0
}

interface InclusiveCounts {
  /** All prompt tokens, those of the cache included. */
  prompt: number
  cacheRead?: number
  cacheWrite?: number
  /** All answered tokens, reasoning included. */
  output: number
  reasoning?: number
}

/** Makes disjoint buckets of the counts of tools that report the cached part of the prompt within the prompt. */
export function splitPrompt(counts: InclusiveCounts): Tokens {
  const { prompt, cacheRead = 0, cacheWrite = 0, output, reasoning = 0 } = counts
  return {
    input: Math.max(0, prompt - cacheRead - cacheWrite),
    cacheRead,
    cacheWrite5m: cacheWrite,
    cacheWrite1h: 0,
    output,
    reasoning: Math.min(reasoning, output),
  }
}

/** A moment as ISO 8601 or in milliseconds; null for anything else. */
function readTime(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : value
  return typeof time === 'number' && Number.isFinite(time) && time > 0 ? time : null
}

export function readName(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** A call as a log has it: members that it lacks are empty in the row. */
type LoggedCall = Pick<UsageRow, 'tool' | 'identity' | 'session' | 'tokens'> &
  Partial<Omit<UsageRow, 'time' | 'model'>> & { time: unknown; model: unknown }

/** Null for what is no call: it has no tokens, or, which is noted, no time. */
export function createRow(call: LoggedCall, sink: Pick<Sink, 'skip'>): UsageRow | null {
  const tokens = sumTokens(call.tokens)
  const time = readTime(call.time)
  if (tokens > 0 && time === null) sink.skip('no-time', tokens)
  if (tokens === 0 || time === null) return null
  return { ...EMPTY_ROW, ...call, time, model: readName(call.model) ?? 'unknown' }
}

const EMPTY_ROW = {
  provider: null,
  agent: null,
  project: null,
  branch: null,
  calls: 1,
  webSearches: 0,
  tier: null,
  answerId: null,
} satisfies Partial<UsageRow>
