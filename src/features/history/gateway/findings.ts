import type { LogFile } from './imported-rows.ts'
import {
  type Sink,
  type SkipReason,
  type StatedTotal,
  sumTokens,
  type Tokens,
  type UsageRow,
} from './readers/reader.ts'

export interface Skipped {
  reason: SkipReason
  count: number
  tokens: number
}

/** The sums that a tool states for its sessions, and those of the rows of the same sessions. */
export interface Comparison {
  sessions: number
  statedTokens: number
  countedTokens: number
}

export interface History {
  rows: UsageRow[]
  skipped: Skipped[]
  /** Null where the tool states none. */
  comparison: Comparison | null
}

/** Makes one row of each call, however often and in however many files the logs of a tool have it. */
export class Findings implements Sink {
  readonly #rows = new Map<string, UsageRow>()
  readonly #skipped = new Map<SkipReason, Skipped>()
  readonly #stated = new Map<string, Tokens>()
  /** The identity of the only call with an `original`; null where several have it, as some servers give all answers one id. */
  readonly #originals = new Map<string, string | null>()
  /** The sessions that have calls in common with others: their own totals may include those, or not. */
  readonly #forked = new Set<string>()

  add(row: UsageRow): void {
    const previousRow = this.#rows.get(row.identity)
    this.#rows.set(row.identity, previousRow ? mergeRows(previousRow, row) : row)
    if (row.original !== undefined) this.#addOriginal(row.original, row.identity)
    if (previousRow && previousRow.session !== row.session)
      this.#forked.add(previousRow.session).add(row.session)
  }

  #addOriginal(original: string, identity: string): void {
    const previousIdentity = this.#originals.get(original)
    this.#originals.set(
      original,
      previousIdentity === undefined || previousIdentity === identity ? identity : null,
    )
  }

  skip(reason: SkipReason, tokens = 0): void {
    const { count = 0, tokens: others = 0 } = this.#skipped.get(reason) ?? {}
    this.#skipped.set(reason, { reason, count: count + 1, tokens: others + tokens })
  }

  isRead(_file: LogFile): boolean {
    return false
  }

  async endFiles(_files: readonly LogFile[]): Promise<void> {}

  hasAnswers(_session: string): boolean {
    return false
  }

  state({ session, tokens }: StatedTotal): void {
    this.#stated.set(session, tokens)
  }

  /** All rows, also those that repeat others. */
  rows(): Iterable<UsageRow> {
    return this.#rows.values()
  }

  finish(): History {
    const rows = [...this.#rows.values()].filter(
      ({ repeats }) => repeats === undefined || !this.#originals.get(repeats),
    )
    return { rows, skipped: [...this.#skipped.values()], comparison: this.#compare(rows) }
  }

  #compare(rows: readonly UsageRow[]): Comparison | null {
    const sessions = new Set([...this.#stated.keys()].filter((session) => !this.#forked.has(session)))
    if (sessions.size === 0) return null
    let [statedTokens, countedTokens] = [0, 0]
    for (const [session, tokens] of this.#stated) if (sessions.has(session)) statedTokens += sumTokens(tokens)
    for (const { session, tokens } of rows) if (sessions.has(session)) countedTokens += sumTokens(tokens)
    return { sessions: sessions.size, statedTokens, countedTokens }
  }
}

/** A log repeats a call while its answer grows, so the highest count of each kind is the last. */
function mergeRows(first: UsageRow, second: UsageRow): UsageRow {
  // A call of the main agent stays one where a sub-agent repeats it.
  const { unsplitWrites: _, ...row } =
    first.repeats !== undefined && second.original !== undefined ? second : first
  const [a, b] = [first.tokens, second.tokens]
  const tokens: Tokens = {
    input: Math.max(a.input, b.input),
    cacheRead: Math.max(a.cacheRead, b.cacheRead),
    cacheWrite5m: Math.max(a.cacheWrite5m, b.cacheWrite5m),
    cacheWrite1h: Math.max(a.cacheWrite1h, b.cacheWrite1h),
    output: Math.max(a.output, b.output),
    reasoning: Math.max(a.reasoning, b.reasoning),
  }
  const divided = [first, second].find((each) => !each.unsplitWrites && countWrites(each) > 0)
  if (divided && (first.unsplitWrites || second.unsplitWrites)) {
    tokens.cacheWrite5m = divided.tokens.cacheWrite5m
    tokens.cacheWrite1h = divided.tokens.cacheWrite1h
  }
  return {
    ...row,
    tokens,
    time: Math.min(first.time, second.time),
    webSearches: Math.max(first.webSearches, second.webSearches),
    tier: first.tier ?? second.tier,
    answerId: first.answerId ?? second.answerId,
    ...(!divided && countWrites({ tokens }) > 0 && { unsplitWrites: true }),
  }
}

function countWrites({ tokens }: Pick<UsageRow, 'tokens'>): number {
  return tokens.cacheWrite5m + tokens.cacheWrite1h
}
