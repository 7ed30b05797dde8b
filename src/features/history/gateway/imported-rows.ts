// Calls from the logs of agents. Importing one again, from whatever copy of its log, adds nothing.

import { type Db, statement } from '../../../gateway/store/sql/statement.ts'
import { created, defineTable, flag, type RowOf } from '../../../gateway/store/sql/table.ts'
import { findSlot15m } from '../../../gateway/store/sums/rollup-columns.ts'
import type { HistoryTool } from '../../../shared/api/history-tools.ts'

/**
 * `metered`: it is a request of this gateway. `repeated`: a sub-agent repeats a call of the main agent. `uncertain`: it may be a request
 * of this gateway whose record was deleted.
 */
type NotCounted = 'metered' | 'repeated' | 'uncertain'

const FIELDS = {
  tool: created<HistoryTool>(),
  identity: created<string>(),
  createdAt: created<number>(),
  model: created<string>(),
  provider: created<string | null>(),
  session: created<string>(),
  agent: created<string | null>(),
  project: created<string | null>(),
  branch: created<string | null>(),
  calls: created<number>(),
  input: created<number>(),
  cacheRead: created<number>(),
  cacheWrite5m: created<number>(),
  cacheWrite1h: created<number>(),
  output: created<number>(),
  reasoning: created<number>(),
  webSearches: created<number>(),
  tier: created<string | null>(),
  isSplit: created<boolean>(flag),
  costNano: created<number | null>(),
  priceOf: created<string | null>(),
  answerId: created<string | null>(),
  content: created<string | null>(),
  event: created<string | null>(),
  requestId: created<string | null>(),
  notCounted: created<NotCounted | null>(),
}

type Row = RowOf<typeof FIELDS>
export type ImportedCall = Omit<Row, 'event' | 'requestId' | 'notCounted'>

/** A file, or a database, of an agent. */
export interface LogFile {
  path: string
  size: number
  /** Milliseconds since 1970, with fractions. */
  modifiedAt: number
}

export interface ImportBatch {
  tool: HistoryTool
  calls: readonly ImportedCall[]
  /** All calls of these files are in this batch or an earlier one. */
  files: readonly LogFile[]
  /** Earlier calls of these files were left out. */
  since: number
}

const table = defineTable('imported_calls', FIELDS)
const insert = table.insert()
type Stored = Pick<Row, 'agent' | 'notCounted'> & {
  seq: number
  isSplit: number
  tokens: number
}
const stored = statement<[string, string], Stored>(`
  SELECT seq, agent, not_counted AS notCounted, is_split AS isSplit,
    input + cache_read + cache_write5m + cache_write1h + output AS tokens
  FROM imported_calls WHERE tool = ? AND identity = ?`)
const replaceUse = statement<ImportedCall & { seq: number; split: number }>(`
  UPDATE imported_calls SET input = @input, cache_read = @cacheRead, cache_write5m = @cacheWrite5m,
    cache_write1h = @cacheWrite1h, output = @output, reasoning = @reasoning, web_searches = @webSearches, tier = @tier,
    is_split = @split, cost_nano = @costNano, price_of = @priceOf
  WHERE seq = @seq`)
const putJoin = statement<[string | null, NotCounted | null, number]>(
  'UPDATE imported_calls SET request_id = ?, not_counted = ? WHERE seq = ?',
)
const makeMain = statement<[number]>('UPDATE imported_calls SET agent = NULL WHERE seq = ?')
/** Where several calls have the same content, a sub-agent's is one more. */
const markRepeated = statement<{ tool: string; content: string }>(`
  UPDATE imported_calls SET not_counted = iif(1 = (
    SELECT count(*) FROM imported_calls AS main
    WHERE main.content = @content AND main.tool = @tool AND main.agent IS NULL), 'repeated', NULL)
  WHERE content = @content AND tool = @tool AND agent IS NOT NULL AND not_counted IS NOT 'metered'`)
const putFile = statement<[string, string, number, number, number]>(
  'INSERT OR REPLACE INTO imported_files (path, tool, size, modified_at, since) VALUES (?, ?, ?, ?, ?)',
)

/** Returns how many of the calls are new. */
export function importCalls(db: Db, { tool, calls, files, since }: ImportBatch): number {
  let added = 0
  for (const call of calls) added += putCall(db, call)
  for (const content of new Set(calls.map((call) => call.content)))
    if (content !== null) markRepeated(db).run({ tool, content })
  for (const { path, size, modifiedAt } of files) putFile(db).run(path, tool, size, modifiedAt, since)
  return added
}

/** A copy of a call that divides cache writes replaces one that does not, and else a copy with more tokens, which was written later. */
function putCall(db: Db, call: ImportedCall): 0 | 1 {
  const known = stored(db).get(call.tool, call.identity)
  if (!known) {
    const sent = findSent(db, call)
    if (sent) remove(db).run(sent.seq)
    insert(db, { ...call, event: sent?.event ?? null, ...findRequest(db, call) })
    return sent ? 0 : 1
  }
  const { seq, agent, notCounted } = known
  const split = Number(call.isSplit)
  if (split > known.isSplit || (split === known.isSplit && sumTokens(call) > known.tokens))
    replaceUse(db).run({ ...call, seq, split })
  if (agent !== null && call.agent === null) makeMain(db).run(seq)
  if (notCounted === null) {
    const join = findRequest(db, call)
    putJoin(db).run(join.requestId, join.notCounted, seq)
  }
  return 0
}

function sumTokens({ input, cacheRead, cacheWrite5m, cacheWrite1h, output }: ImportedCall): number {
  return input + cacheRead + cacheWrite5m + cacheWrite1h + output
}

/** The clocks are the same, but the times of a call in a log, in its event and here may differ by so much. */
const NEAR_MS = 2_000

type Counterpart = { seq: number; event: string | null }
/** A call that only an event has is known by the event. */
const IS_OPEN = { sent: 'identity = event', logged: 'event IS NULL' }
const byEvent = statement<[string, string], Counterpart>(
  'SELECT seq, event FROM imported_calls WHERE tool = ? AND identity = ? AND event = identity',
)
const byAnswer = statement<[string, string, string], Counterpart>(`
  SELECT seq, event FROM imported_calls
  WHERE tool = ? AND session = ? AND answer_id = ? AND ${IS_OPEN.logged} LIMIT 1`)
/** The plus keeps SQLite from reading all calls of the tool instead of those of the time. */
const byTokens = (isOpen: string) =>
  statement<Record<string, string | number | null>, Counterpart>(`
    SELECT seq, event FROM imported_calls
    WHERE created_at BETWEEN CAST(@at - ${NEAR_MS} AS INTEGER) AND CAST(@at + ${NEAR_MS} AS INTEGER)
      AND +tool = @tool AND (+session = @session OR agent = @session OR session = @agent) AND model = @model
      AND (answer_id IS NULL OR @answerId IS NULL) AND output = @output
      AND input + cache_read + cache_write5m + cache_write1h = @prompt AND ${isOpen}
    ORDER BY abs(created_at - @at) LIMIT 1`)
const sentNear = byTokens(IS_OPEN.sent)
const loggedNear = byTokens(IS_OPEN.logged)

const anyEvent = statement<[], { seq: number }>(
  'SELECT seq FROM imported_calls WHERE event IS NOT NULL LIMIT 1',
)

/** The call in an event that an agent has sent; most users have none. */
function findSent(db: Db, call: ImportedCall): Counterpart | undefined {
  if (!anyEvent(db).get()) return undefined
  const { tool, session, answerId } = call
  const answered = answerId === null ? undefined : byEvent(db).get(tool, nameEvent(session, answerId))
  return answered ?? sentNear(db).get(describeUse(call))
}

/** The call in the log of the agent that has sent it in an event. */
function findLogged(db: Db, call: ImportedCall): Counterpart | undefined {
  const { tool, session, answerId } = call
  const answered = answerId === null ? undefined : byAnswer(db).get(tool, session, answerId)
  return answered ?? loggedNear(db).get(describeUse(call))
}

function describeUse(call: ImportedCall): Record<string, string | number | null> {
  const { tool, session, agent, model, answerId, output, createdAt: at } = call
  return { tool, session, agent, model, answerId, output, at, prompt: sumTokens(call) - output }
}

/** The identity of an event. `place`: the id of the answer, or what tells a call without one from others. */
export function nameEvent(session: string, place: string): string {
  return `event ${session} ${place}`
}

const sentBefore = statement<[string], { seq: number }>('SELECT seq FROM imported_calls WHERE event = ?')
const putEvent = statement<[string, number]>('UPDATE imported_calls SET event = ? WHERE seq = ?')
const remove = statement<[number]>('DELETE FROM imported_calls WHERE seq = ?')

/**
 * Adds calls of which agents have sent events, whose identities begin with "event". One that was sent before, or that was imported from
 * the log of the agent, is not added again. Returns how many are new.
 */
export function importEvents(db: Db, calls: readonly ImportedCall[]): number {
  let added = 0
  for (const call of calls) {
    if (sentBefore(db).get(call.identity)) continue
    const logged = findLogged(db, call)
    if (logged) putEvent(db).run(call.identity, logged.seq)
    else insert(db, { ...call, event: call.identity, ...findRequest(db, call) })
    if (!logged) added += 1
  }
  return added
}

type Join = Pick<Row, 'requestId' | 'notCounted'>

const DAY_MS = 86_400_000
/** A request that took longer is not looked for. */
const LONGEST_MS = 30 * 60_000
/** An agent may log a call that long before it sends the request, or after its answer: it loads its parts, and runs tools. */
const APART_MS = 15_000

const request = statement<[string], { id: string }>('SELECT id FROM requests WHERE id = ?')
const oldest = statement<[], { at: number | null }>('SELECT min(created_at) AS at FROM requests')
const inSlot = statement<[number], { model: string }>('SELECT model FROM rollups WHERE bucket = ?')
const same = statement<
  { at: number; earliest: number; latest: number; in: number; cached: number; out: number; model: string },
  { id: string }
>(`
  SELECT id FROM requests
  WHERE created_at >= CAST(@earliest AS INTEGER) AND created_at <= CAST(@latest AS INTEGER)
    AND tokens_in = @in AND tokens_out = @out AND (model = @model OR requested_model = @model)
    AND ifnull(usage ->> '$.cacheRead', 0) = @cached
    AND created_at + ifnull(total_us, 0) / 1000 >= @at - ${APART_MS}
    AND NOT EXISTS (SELECT 1 FROM imported_calls WHERE request_id = requests.id)
  ORDER BY abs(created_at - @at) LIMIT 1`)

/**
 * The request that a call is: by the id that this gateway answered with, which Claude Code logs of every answer. Other tools log none, or
 * the provider's, so it is the request of that time with the same model and tokens.
 */
function findRequest(db: Db, call: ImportedCall): Join {
  const id = readRequestId(call)
  if (id !== null) {
    const isMetered = request(db).get(id.text) !== undefined || findPruned(db, id.at).length > 0
    return { requestId: id.text, notCounted: isMetered ? 'metered' : null }
  }
  if (call.tool === 'claude-code' || call.calls !== 1) return { requestId: null, notCounted: null }
  const { createdAt: at, model, cacheRead: cached, output: out } = call
  const found = same(db).get({
    at,
    earliest: at - LONGEST_MS,
    latest: at + APART_MS,
    model,
    in: sumTokens(call) - out,
    cached,
    out,
  })
  if (found) return { requestId: found.id, notCounted: 'metered' }
  const isUncertain = findPruned(db, at).includes(model)
  return { requestId: null, notCounted: isUncertain ? 'uncertain' : null }
}

/** An id that a gateway has made, and its time. */
function readRequestId({ answerId, createdAt }: ImportedCall): { text: string; at: number } | null {
  const hex = /^(?:req|resp)_([\da-f]{32})$/.exec(answerId ?? '')?.[1]
  if (hex === undefined) return null
  const at = Number.parseInt(hex.slice(0, 12), 16)
  return Math.abs(at - createdAt) < DAY_MS ? { text: `req_${hex}`, at } : null
}

/** The models of the requests of about that time whose records were deleted. */
function findPruned(db: Db, at: number): string[] {
  const first = oldest(db).get()?.at ?? null
  if (first !== null && first <= at) return []
  return inSlot(db)
    .all(findSlot15m(at))
    .map(({ model }) => model)
}

const readFile = statement<[string, number, number, number], { path: string }>(
  'SELECT path FROM imported_files WHERE path = ? AND size = ? AND modified_at = ? AND since <= ?',
)

/** Whether all calls of a file were imported, and it has not changed since. */
export function isImported(db: Db, { path, size, modifiedAt }: LogFile, since: number): boolean {
  return readFile(db).get(path, size, modifiedAt, since) !== undefined
}

/** Those of the files that were not imported, or have changed since. */
export function findUnimported(db: Db, files: readonly LogFile[]): LogFile[] {
  return files.filter((file) => !isImported(db, file, Number.MAX_SAFE_INTEGER))
}

const answered = statement<[string, string], { seq: number }>(
  'SELECT seq FROM imported_calls WHERE tool = ? AND session = ? AND answer_id IS NOT NULL LIMIT 1',
)

/** Whether a session has calls with the ids of their answers. */
export function hasAnswers(db: Db, tool: HistoryTool, session: string): boolean {
  return answered(db).get(tool, session) !== undefined
}

const REMOVED = 2_000
const removeSome = statement<{ tool: string | null; max: number }>(`
  DELETE FROM imported_calls WHERE seq IN (
    SELECT seq FROM imported_calls WHERE @tool IS NULL OR tool = @tool LIMIT @max)`)
const removeFiles = statement<{ tool: string | null }>(
  'DELETE FROM imported_files WHERE @tool IS NULL OR tool = @tool',
)

/** Removes some of the calls of a tool, or of all for null. Returns how many: to be called until there are none. */
export function removeImported(db: Db, tool: HistoryTool | null): number {
  removeFiles(db).run({ tool })
  return removeSome(db).run({ tool, max: REMOVED }).changes
}
