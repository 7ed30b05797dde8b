// The shape of a request row, once: the columns of the tables `requests` and `running`, how each is stored, and who
// writes it. The SELECT lists, the INSERT texts, and the types of what goes in and comes out are all made from this table.

import type { AppliedPrice, RequestAgent, RequestRecord } from '../../../shared/api/requests.ts'
import type { FinishReason } from '../../../shared/formats/chat-completion.ts'
import type { NanoUsd } from '../../../shared/money/money.ts'
import { type Db, perConnection, type SqlValue, statement } from '../engine/statement.ts'
import { StoreError } from '../engine/store-error.ts'
import { flag, json } from '../engine/table.ts'
import {
  agentRole,
  attempts,
  type Codec,
  costStatus,
  type DecodedWith,
  type EncodedWith,
  finishReason,
  millis,
  type NumberTables,
  nano,
  plainNumber,
  requestId,
  STATUS_CODES,
  sessionId,
  sharedJson,
  sharedText,
  sinceCreated,
  status,
  usage,
} from './request-codecs.ts'
import { getSessionNumbers, getTexts, type NewSession } from './session-numbers.ts'

/** The size of each part of a prompt in characters, the number of tools, and the break of its cache, if there was one. */
export type StoredPrompt = readonly [
  ...sizes: [number, number, number, number, number],
  tools: number,
  ...broken: [] | [cause: number, tokens: number, nano: number],
]

/** Fields of the API's record that are stored under another name or as another type, or not at all. */
type ApiOnly =
  | ('agent' | 'prompt')
  | ('createdAt' | 'lastAt' | 'requestedModel' | 'keyName' | 'clientName' | 'timings')
  | (
      | 'costUsd'
      | 'worthUsd'
      | 'savedUsd'
      | 'sample'
      | 'costLowUsd'
      | 'costHighUsd'
      | 'reservedUsd'
      | 'heldUsd'
      | 'heldUntil'
    )

type Timings = RequestRecord['timings']

/** A row of the ledger. What it shares with the API's record has the same name and type there. */
export interface StoredRequest extends Omit<RequestRecord, ApiOnly>, Timings {
  /** Order of arrival in the ledger. */
  seq: number
  createdAt: number
  requestedModel: string
  /** Null while the request runs, and permanently when the price is unknown. */
  costNano: NanoUsd | null
  /** The cost by the vendor's API of a request that a plan paid for; null for all others. */
  worthNano: NanoUsd | null
  /** The cost of the stored answer that the response cache gave; null for all other requests. */
  savedNano: NanoUsd | null
  costLowNano: NanoUsd | null
  costHighNano: NanoUsd | null
  /** The worst case that was reserved while it ran; 0 when nothing was. */
  reservedNano: NanoUsd
  /** The charge of a request with an unknown outcome; null when the price is unknown. */
  estimateNano: NanoUsd | null
  lastAt: number | null
  settledAt: number | null
  /** The place in the run of an agent: see `RequestAgent`. */
  agentId: string | null
  agentParent: string | null
  agentType: string | null
  agentRole: RequestAgent['role'] | null
  /** Why the answer ended; null where there was none, or it did not say. */
  finishReason: FinishReason | null
  /** The plan that was used up when the session of the request began, so that it is billed by API key. */
  overflowFrom: string | null
  toolMs: RequestAgent['toolMs'] | null
  /** Written after the settlement; null for a prompt that is too short for a cache. */
  prompt: StoredPrompt | null
  /** A sum of `REQUEST_NEEDS`; null for a request from before they were recorded. */
  needs: number | null
}

/** The members of a row that are not columns. */
type ComputedColumn = 'seq' | 'bodiesKept'

type Columns = Omit<StoredRequest, ComputedColumn>

interface Column<T> {
  codec: Codec<NonNullable<T>>
  /** The name in SQL, if it differs. */
  sql?: string
  /** The default of a new row. Without it, every new row must have a value. */
  initial?: T
  /** Written when the request is settled. */
  settled?: true
}

const error = json<NonNullable<Columns['error']>>()
const price = sharedJson<AppliedPrice>()

/** The columns by the names in a StoredRequest: the column of `costNano` is `cost_nano`. */
const COLUMNS = {
  id: { codec: requestId },
  createdAt: { codec: plainNumber },
  keyId: { codec: sharedText },
  requestedModel: { codec: sharedText },
  model: { codec: sharedText, initial: null, settled: true },
  provider: { codec: sharedText, initial: null, settled: true },
  stream: { codec: flag },
  status: { codec: status, initial: 'running', settled: true },
  httpStatus: { codec: plainNumber, initial: null, settled: true },
  error: { codec: error, initial: null, settled: true },
  tokensIn: { codec: plainNumber, initial: 0, settled: true },
  tokensOut: { codec: plainNumber, initial: 0, settled: true },
  usage: { codec: usage, initial: null, settled: true },
  costNano: { codec: nano, initial: null, settled: true },
  costStatus: { codec: costStatus, initial: 'pending', settled: true },
  worthNano: { codec: nano, initial: null, settled: true },
  savedNano: { codec: nano, initial: null, settled: true },
  costLowNano: { codec: nano, initial: null, settled: true },
  costHighNano: { codec: nano, initial: null, settled: true },
  reservedNano: { codec: nano },
  estimateNano: { codec: nano },
  price: { codec: price, initial: null, settled: true },
  attempts: { codec: attempts, initial: [], settled: true },
  queueMs: { codec: millis, sql: 'queue_us', initial: null, settled: true },
  firstByteMs: { codec: millis, sql: 'first_byte_us', initial: null, settled: true },
  totalMs: { codec: millis, sql: 'total_us', initial: null, settled: true },
  client: { codec: sharedText },
  endpoint: { codec: sharedText, initial: null },
  sessionId: { codec: sessionId, sql: 'session', initial: null },
  tag: { codec: sharedText, initial: null },
  count: { codec: plainNumber, initial: 1 },
  lastAt: { codec: plainNumber, initial: null },
  needs: { codec: plainNumber, initial: null },
  agentId: { codec: sharedText, initial: null },
  agentParent: { codec: sharedText, initial: null },
  agentType: { codec: sharedText, initial: null },
  agentRole: { codec: agentRole, initial: null },
  toolMs: { codec: json<RequestAgent['toolMs']>(), initial: null },
  overflowFrom: { codec: sharedText, initial: null },
  prompt: { codec: json<StoredPrompt>(), initial: null },
  finishReason: { codec: finishReason, initial: null, settled: true },
  settledAt: { codec: sinceCreated, sql: 'settled_after', initial: null, settled: true },
} satisfies { [Name in keyof Columns]-?: Column<Columns[Name]> }

type Table = typeof COLUMNS
type NamesWith<Member> = {
  [Name in keyof Table]: Table[Name] extends Member ? Name : never
}[keyof Table]
type WithInitial = NamesWith<{ initial: unknown }>

/** A row to be inserted. Omitted columns have their defaults. */
export type NewRow = Omit<Columns, WithInitial> & Partial<Pick<Columns, WithInitial>>

/** The columns that a settlement writes, and the id of the row. */
export type SettledColumns = Pick<Columns, NamesWith<{ settled: true }> | 'id'>

interface AnyColumn extends Omit<Column<unknown>, 'codec'> {
  // Methods, not properties: TypeScript compares their parameters bivariantly, and the column decides their types.
  codec: Codec<unknown>
}

const columns = Object.entries<AnyColumn>(COLUMNS).map(([name, { sql, ...column }]) => ({
  ...column,
  name,
  sql: sql ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
}))
const settledColumns = columns.filter(({ settled }) => settled)

/** The values of a new row where it does not set others. */
export const INITIAL_ROW = Object.fromEntries(
  columns.filter((column) => 'initial' in column).map(({ name, initial }) => [name, initial]),
) as Pick<Columns, WithInitial>

export const COLUMN_LIST = columns.map(({ sql }) => sql).join(', ')

const NEXT_SEQ = `
  max(ifnull((SELECT max(seq) FROM requests), 0), ifnull((SELECT max(seq) FROM running), 0)) + 1`

/** The SELECT list of an EncodedRow. `bodiesKept` is an SQL expression. */
export function selectList(bodiesKept: string): string {
  const list = columns.map(({ name, sql }) => `${sql} AS ${name}`)
  return ['seq', ...list, `${bodiesKept} AS bodiesKept`].join(', ')
}

/** Takes what `encodeRow` returns. */
export function insertInto(table: 'requests' | 'running'): string {
  return `INSERT INTO ${table} (seq, ${COLUMN_LIST}) VALUES (${NEXT_SEQ}, ${columns.map(() => '?').join(', ')})`
}

const IS_RUNNING = `status = ${STATUS_CODES.running}`

/** Copies a running request into `requests` as it is settled. Takes what `encodeSettled` returns, and the stored id. */
export const INSERT_SETTLED = `
  INSERT INTO requests (seq, ${COLUMN_LIST})
  SELECT seq, ${columns.map(({ sql, name, settled }) => (settled ? settledValue(name) : sql)).join(', ')}
  FROM running WHERE ${IS_RUNNING} AND id = ?`

/** A settlement does not state when the request was made. */
function settledValue(name: string): string {
  return name === 'settledAt' ? '? - created_at' : '?'
}

/** A row as SQLite returns it. */
export type EncodedRow = Record<keyof StoredRequest, SqlValue> & Pick<StoredRequest, 'createdAt' | 'seq'>

/** The values of all columns, in order. */
function encodeRow(db: Db, row: NewRow): SqlValue[] {
  const numbered = createNumbered(db)
  const whole = { ...INITIAL_ROW, ...row }
  return columns.map((column) => encode(column, whole, numbered))
}

/** The values of the settled columns, in order. */
export function encodeSettled(db: Db, settlement: SettledColumns): SqlValue[] {
  const numbered = createNumbered(db)
  return settledColumns.map((column) =>
    column.name === 'settledAt' ? settlement.settledAt : encode(column, settlement, numbered),
  )
}

function createNumbered(db: Db): NumberTables {
  return { texts: getTexts(db), sessions: getSessionNumbers(db) }
}

function encode(
  { name, codec }: (typeof columns)[number],
  row: EncodedWith & { readonly [name: string]: unknown },
  numbered: NumberTables,
): SqlValue {
  const value = row[name]
  return value === null || value === undefined ? null : codec.encode(value, row, numbered)
}

export function decodeRow(db: Db, row: EncodedRow): StoredRequest {
  const numbered = createNumbered(db)
  const stored: Readonly<Record<string, SqlValue>> & DecodedWith = row
  const decoded = columns.map(({ name, codec }) => {
    const value = stored[name] ?? null
    return [name, value === null ? (codec.absent ?? null) : codec.decode(value, stored, numbered)]
  })
  return { ...Object.fromEntries(decoded), seq: row.seq, bodiesKept: row.bodiesKept === 1 }
}

// The row of a request that is not recorded yet, and that of its session.

interface WithSession {
  /** The known facts of the session `sessionId`, so that it gets a row with its first request. */
  session?: NewSession
}

export type NewRequest = Omit<NewRow, 'status' | 'costStatus'> & WithSession

type RequestTable = 'running' | 'requests'

const INSERT = {
  running: statement<SqlValue[]>(insertInto('running')),
  requests: statement<SqlValue[]>(insertInto('requests')),
}

/** Returns its `seq`. Throws `failed` when its key is unknown, and `conflict` when the table has its id. */
export function insertRow(db: Db, table: RequestTable, row: NewRow & WithSession): number {
  requireKey(db, row.keyId)
  if (row.session) getSessionNumbers(db).put(row.session, row.createdAt)
  return Number(INSERT[table](db).run(...encodeRow(db, row)).lastInsertRowid)
}

// Which keys exist. No key is ever deleted, so each connection asks for each of them once.

const hasKey = statement<[string], { id: string }>('SELECT id FROM keys WHERE id = ?')

/** To be cleared after a rollback, which may have removed keys that were new. */
export const getKnownKeys = perConnection(() => new Set<string>())

/** Throws for a key that is not stored: its requests would be in no sum. */
function requireKey(db: Db, id: string): void {
  const known = getKnownKeys(db)
  if (known.has(id)) return
  if (!hasKey(db).get(id)) throw new StoreError('failed', `The store has no key ${id}.`)
  known.add(id)
}
