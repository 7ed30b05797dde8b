// What the prompts of a session consisted of on a day, and what its caches saved and lost: numbers and the names of tools, in one
// row, so that requests can be pruned.

import type { StorePart } from '../../../gateway/store/part.ts'
import { setFeatureField } from '../../../gateway/store/rows/request-columns.ts'
import { findSession } from '../../../gateway/store/rows/session-rows.ts'
import {
  type Condition,
  condition,
  type Db,
  joinConditions,
  type SqlValue,
  statement,
} from '../../../gateway/store/sql/statement.ts'
import type { CacheCause } from '../api/prompts.ts'
import { CACHE_CAUSES, PROMPT_PARTS } from '../api/terms.ts'

const DAY_MS = 86_400_000

/** The size of each part of a prompt in characters, the number of tools, and the break of its cache, if there was one. */
export type StoredPrompt = readonly [
  ...sizes: [number, number, number, number, number],
  tools: number,
  ...cacheBreak: [] | [cause: number, tokens: number, nano: number],
]

/** Nano-dollars are whole numbers; sizes are characters. */
export interface PromptSums {
  requests: number
  /** The cost of the prompts. */
  promptNano: number
  savedNano: number
  /** Tokens written to caches. */
  written: number
  /** Tokens of the largest prompt. */
  largest: number
  /** The definitions of tools in all requests together. */
  definitions: number
  /** The cost of each part, in the order of `PROMPT_PARTS`, and its size. */
  partNano: number[]
  partSizes: number[]
  /** The definitions of tools by MCP server: the most in a request, their cost and their size. */
  servers: Record<string, [tools: number, nano: number, size: number]>
  /** The results of tools: cost and size. */
  results: Record<string, [nano: number, size: number]>
  /** The tools that were called. */
  called: string[]
  breaks: Partial<Record<CacheCause, [count: number, tokens: number, nano: number]>>
}

export interface PromptFacts {
  requestId: string
  sessionId: string
  createdAt: number
  stored: StoredPrompt
  sums: PromptSums
}

interface PromptSumsFilter {
  from?: number
  to?: number
  session?: string
  client?: string
}

export interface SessionDay extends PromptSums {
  sessionId: string
  client: string
  /** Epoch milliseconds of its beginning in UTC. */
  day: number
}

const readSums = statement<[number, number], { sums: string }>(
  'SELECT sums FROM prompt_sums WHERE session = ? AND day = ?',
)
const putSums = statement<[number, number, string]>(
  'INSERT OR REPLACE INTO prompt_sums (day, session, sums) VALUES (?, ?, ?)',
)

/** Records the prompts of settled requests. */
function recordPrompts(db: Db, facts: readonly PromptFacts[]): void {
  const added = new Map<string, { sessionId: string; day: number; sums: PromptSums }>()
  for (const { requestId, sessionId, createdAt, stored, sums } of facts) {
    setFeatureField(db, requestId, 'prompt', stored)
    const day = Math.floor(createdAt / DAY_MS)
    const name = `${sessionId} ${day}`
    const sessionDay = added.get(name)
    if (sessionDay) addPromptSums(sessionDay.sums, sums)
    else added.set(name, { sessionId, day, sums })
  }
  for (const { sessionId, day, sums } of added.values()) {
    const session = findSession(db, sessionId)
    const row = session === null ? undefined : readSums(db).get(session, day)
    const storedSums: PromptSums | null = row ? JSON.parse(row.sums) : null
    if (storedSums) addPromptSums(storedSums, sums)
    if (session !== null) putSums(db).run(day, session, JSON.stringify(storedSums ?? sums))
  }
}

/** The sums of sessions and days, in order. */
function listPromptSums(db: Db, { from, to, session, client }: PromptSumsFilter): SessionDay[] {
  const terms: Condition[] = [
    ...condition('day >= ?', from === undefined ? undefined : Math.floor(from / DAY_MS)),
    ...condition('day * 86400000 < ?', to),
    ...condition('sessions.id = ?', session),
    ...condition('client = ?', client),
  ]
  const { where, values } = joinConditions(terms)
  return db
    .prepare<SqlValue[], Pick<SessionDay, 'day' | 'sessionId' | 'client'> & { sums: string }>(
      `SELECT day, sessions.id AS sessionId, client, sums FROM prompt_sums JOIN sessions ON nr = session ${where}
      ORDER BY day, session`,
    )
    .all(...values)
    .map(({ day, sums, ...place }) => {
      const read: PromptSums = JSON.parse(sums)
      return { ...read, ...place, day: day * DAY_MS }
    })
}

/** Names of tools that one row keeps. */
const MAX_NAMES = 200
const NUMBERS = ['requests', 'promptNano', 'savedNano', 'written', 'definitions'] as const

/** Adds those of a request or of another day of the same session. */
export function addPromptSums(sum: PromptSums, more: PromptSums): void {
  for (const name of NUMBERS) sum[name] += more[name]
  sum.largest = Math.max(sum.largest, more.largest)
  for (const [at] of PROMPT_PARTS.entries()) {
    sum.partNano[at] = (sum.partNano[at] ?? 0) + (more.partNano[at] ?? 0)
    sum.partSizes[at] = (sum.partSizes[at] ?? 0) + (more.partSizes[at] ?? 0)
  }
  for (const [name, [tools, nano, size]] of Object.entries(more.servers)) {
    const [most, before, sizes] = sum.servers[name] ?? [0, 0, 0]
    sum.servers[name] = [Math.max(most, tools), before + nano, sizes + size]
  }
  for (const [name, [nano, size]] of Object.entries(more.results)) {
    const known = sum.results[name]
    if (known) sum.results[name] = [known[0] + nano, known[1] + size]
    else if (Object.keys(sum.results).length < MAX_NAMES) sum.results[name] = [nano, size]
  }
  sum.called = [...new Set([...sum.called, ...more.called])].slice(0, MAX_NAMES)
  for (const cause of CACHE_CAUSES) {
    const added = more.breaks[cause]
    if (!added) continue
    const [count, tokens, nano] = sum.breaks[cause] ?? [0, 0, 0]
    sum.breaks[cause] = [count + added[0], tokens + added[1], nano + added[2]]
  }
}

export function noPromptSums(): PromptSums {
  return {
    requests: 0,
    promptNano: 0,
    savedNano: 0,
    written: 0,
    largest: 0,
    definitions: 0,
    partNano: PROMPT_PARTS.map(() => 0),
    partSizes: PROMPT_PARTS.map(() => 0),
    servers: {},
    results: {},
    called: [],
    breaks: {},
  }
}

/** The first versions of the app had it among the tables of the core. */
const TABLE = `
-- What the prompts of a session consisted of, by the day in UTC since 1970.
CREATE TABLE IF NOT EXISTS prompt_sums (
  day INTEGER NOT NULL,
  session INTEGER NOT NULL REFERENCES sessions (nr) ON DELETE CASCADE,
  sums TEXT NOT NULL,
  PRIMARY KEY (day, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS prompt_sums_by_session ON prompt_sums (session);
`

export const promptRows = {
  name: 'prompt-doctor',
  migrations: [TABLE],
  writes: { recordPrompts },
  reads: { listPromptSums },
} satisfies StorePart

declare module '../../../gateway/store/calls.ts' {
  interface Writes extends Readonly<typeof promptRows.writes> {}
  interface Reads extends Readonly<typeof promptRows.reads> {}
}
