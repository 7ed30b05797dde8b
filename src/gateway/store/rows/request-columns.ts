// The shape of a request row, once: the columns of the table `requests`, how each is stored, and who writes it. The SELECT list,
// the INSERT, and the types of what goes in and comes out are all made from this table.

import type {
  AppliedPrice,
  Attempt,
  FeatureField,
  RequestAgent,
  RequestRecord,
  UsageBuckets,
} from '../../../shared/api/requests.ts'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import type { FinishReason } from '../../../shared/formats/chat-completion.ts'
import { type NanoUsd, nanoUsd } from '../../../shared/money/money.ts'
import { clientName } from '../../../shared/values/client-name.ts'
import { type Db, type SqlValue, statement } from '../sql/statement.ts'
import { type Codec, flag, json } from '../sql/table.ts'
import { type NewSession, putSession } from './session-rows.ts'

/** The values that features record of a request, by the names of the API's fields. Only the feature knows their form. */
export type FeatureFields = Readonly<Partial<Record<FeatureField, unknown>>>

/** Fields of the API's record that are stored under another name or as another type, or not at all. */
type ApiOnly =
  | ('agent' | FeatureField)
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
  /** Null where no feature has recorded anything. */
  features: FeatureFields | null
  /** A sum of `REQUEST_NEEDS`; null for a request from before they were recorded. */
  needs: number | null
}

/** The members of a row that are not columns. */
type ComputedColumn = 'seq' | 'bodiesKept'

type Columns = Omit<StoredRequest, ComputedColumn>

interface ColumnOptions<T> {
  /** The name in SQL, if it differs. */
  sql?: string
  /** Where the value is a reference to another table: how SQL finds it, and how it finds the row of a value. */
  read?: string
  write?: string
  /** The default of a new row. Without it, every new row must have a value. */
  initial?: T
  /** Written when the request is settled. */
  settled?: true
}

/** SQLite stores strings and numbers itself; other types need a codec. */
type Column<T> = ColumnOptions<T> &
  ([T] extends [SqlValue] ? { codec?: Codec<NonNullable<T>> } : { codec: Codec<NonNullable<T>> })

const MICROS_PER_MS = 1_000

const nano: Codec<NanoUsd> = { encode: (value) => value, decode: (stored) => nanoUsd(Number(stored)) }

/** Milliseconds to three decimals. */
const millis: Codec<number> = {
  encode: (ms) => Math.round(ms * MICROS_PER_MS),
  decode: (stored) => Number(stored) / MICROS_PER_MS,
}

/** The counts that a text can name. */
export type NamedCounts = UsageBuckets & Record<string, number | undefined>

const usage: Codec<UsageBuckets> = { encode: encodeUsage, decode: (stored) => readUsage(String(stored)) }

/** JSON of the counts that are not zero. */
export function encodeUsage(buckets: Partial<UsageBuckets>): string {
  const usual: Readonly<Record<string, unknown>> = NO_USAGE
  return JSON.stringify(buckets, (name, count) => (count === usual[name] ? undefined : count))
}

export function readUsage(stored: string): NamedCounts {
  return { ...NO_USAGE, ...JSON.parse(stored) }
}

type AttemptValues = [string, string, number | null, number | null, number, string | null]

/** A list of values for each attempt; NULL for none. */
const attempts: Codec<Attempt[]> = {
  encode: (list) => (list.length === 0 ? null : encodeAttempts(list)),
  decode: (stored) =>
    json<AttemptValues[]>()
      .decode(stored)
      .map(([provider, model, status, startMs, ms, error]) => {
        const start = startMs === null ? {} : { startMs }
        return { provider, model, status, ...start, ms, error }
      }),
  absent: [],
}

export function encodeAttempts(list: readonly Attempt[]): string {
  const values: AttemptValues[] = list.map(({ provider, model, status, startMs = null, ms, error }) => [
    provider,
    model,
    status,
    startMs,
    ms,
    error,
  ])
  return JSON.stringify(values)
}

const unset = { initial: null, settled: true } as const

/** The columns by the names in a StoredRequest: the column of `costNano` is `cost_nano`. */
const COLUMNS = {
  id: {},
  createdAt: {},
  keyId: {},
  requestedModel: {},
  model: unset,
  provider: unset,
  stream: { codec: flag },
  status: { initial: 'running', settled: true },
  httpStatus: unset,
  error: { codec: json<NonNullable<Columns['error']>>(), ...unset },
  tokensIn: { initial: 0, settled: true },
  tokensOut: { initial: 0, settled: true },
  usage: { codec: usage, ...unset },
  costNano: { codec: nano, ...unset },
  costStatus: { initial: 'pending', settled: true },
  worthNano: { codec: nano, ...unset },
  savedNano: { codec: nano, ...unset },
  costLowNano: { codec: nano, ...unset },
  costHighNano: { codec: nano, ...unset },
  reservedNano: { codec: nano },
  estimateNano: { codec: nano },
  price: {
    codec: json<AppliedPrice>(),
    read: '(SELECT price FROM prices WHERE nr = requests.price)',
    write: '(SELECT nr FROM prices WHERE price = ?)',
    ...unset,
  },
  attempts: { codec: attempts, initial: [], settled: true },
  queueMs: { codec: millis, sql: 'queue_us', ...unset },
  firstByteMs: { codec: millis, sql: 'first_byte_us', ...unset },
  totalMs: { codec: millis, sql: 'total_us', ...unset },
  client: {},
  endpoint: { initial: null },
  sessionId: {
    sql: 'session',
    read: '(SELECT id FROM sessions WHERE nr = requests.session)',
    write: '(SELECT nr FROM sessions WHERE id = ?)',
    initial: null,
  },
  tag: { initial: null },
  count: { initial: 1 },
  lastAt: { initial: null },
  needs: { initial: null },
  agentId: { initial: null },
  agentParent: { initial: null },
  agentType: { initial: null },
  agentRole: { initial: null },
  toolMs: { codec: json<RequestAgent['toolMs']>(), initial: null },
  overflowFrom: { initial: null },
  features: { codec: json<FeatureFields>(), initial: null },
  finishReason: unset,
  settledAt: unset,
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

interface AnyColumn extends ColumnOptions<unknown> {
  // Methods, not properties: TypeScript compares their parameters bivariantly, and the column decides their types.
  codec?: Codec<unknown>
}

const columns = Object.entries<AnyColumn>(COLUMNS).map(([name, column]) => ({
  ...column,
  name,
  sql: column.sql ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
}))
const settledColumns = columns.filter(({ settled }) => settled)

/** The values of a new row where it does not set others. */
export const INITIAL_ROW = Object.fromEntries(
  columns.filter((column) => 'initial' in column).map(({ name, initial }) => [name, initial]),
) as Pick<Columns, WithInitial>

/** The SELECT list of an EncodedRow. */
export const REQUEST_COLUMNS = [
  'seq',
  ...columns.map(({ name, sql, read = `requests.${sql}` }) => `${read} AS ${name}`),
  'EXISTS (SELECT 1 FROM request_bodies WHERE seq = requests.seq) AS bodiesKept',
].join(', ')

/** A row as SQLite returns it. */
export type EncodedRow = Record<keyof StoredRequest, SqlValue> & Pick<StoredRequest, 'createdAt' | 'seq'>

export function decodeRow(row: EncodedRow): StoredRequest {
  const stored: Readonly<Record<string, SqlValue>> = row
  const decoded = columns.map(({ name, codec }) => {
    const value = stored[name] ?? null
    if (!codec) return [name, value]
    return [name, value === null ? (codec.absent ?? null) : codec.decode(value)]
  })
  return { ...Object.fromEntries(decoded), seq: row.seq, bodiesKept: row.bodiesKept === 1 }
}

function encode(
  { name, codec }: (typeof columns)[number],
  row: { readonly [name: string]: unknown },
): SqlValue {
  const value = row[name]
  if (value === null || value === undefined) return null
  return codec ? codec.encode(value) : (value as SqlValue)
}

/** The row of a request that is not recorded yet, and the known facts of its session, so that this gets a row with its first request. */
export type NewRequest = Omit<NewRow, 'status' | 'costStatus'> & { session?: NewSession }

const insert = statement<SqlValue[]>(`
  INSERT INTO requests (client_name, ${columns.map(({ sql }) => sql).join(', ')})
  VALUES (?, ${columns.map(({ write = '?' }) => write).join(', ')})`)
const addPrice = statement<[string]>('INSERT INTO prices (price) VALUES (?) ON CONFLICT DO NOTHING')

/** Returns its `seq`. Throws `failed` when its key is unknown, and `conflict` when there is a request with its id. */
export function insertRow(db: Db, row: NewRow & Pick<NewRequest, 'session'>): number {
  const whole = { ...INITIAL_ROW, ...row }
  if (row.session) putSession(db, row.session, row.createdAt)
  putPrice(db, row.price)
  const values = columns.map((column) => encode(column, whole))
  return Number(insert(db).run(clientName(row.client), ...values).lastInsertRowid)
}

const settle = statement<SqlValue[], SettledRow>(`
  UPDATE requests SET ${settledColumns.map(({ sql, write = '?' }) => `${sql} = ${write}`).join(', ')}
  WHERE id = ? AND status = 'running'
  RETURNING seq, key_id AS keyId, created_at AS createdAt, requested_model AS requestedModel,
    client_name AS clientName, session, tag`)

/** What the charge of a request has from its row, whatever its settlement. */
export interface SettledRow
  extends Pick<StoredRequest, 'seq' | 'keyId' | 'createdAt' | 'requestedModel' | 'tag'> {
  clientName: string
  session: number | null
}

/** Writes the outcome of a running request. Returns undefined for any other. */
export function settleRow(db: Db, settlement: SettledColumns): SettledRow | undefined {
  putPrice(db, settlement.price)
  const row = { ...settlement }
  return settle(db).get(...settledColumns.map((column) => encode(column, row)), settlement.id)
}

const setField = statement<[string, string, string]>(
  "UPDATE requests SET features = json_set(ifnull(features, '{}'), '$.' || ?, json(?)) WHERE id = ?",
)

/** Records the field of a feature, of a request in any state. */
export function setFeatureField(db: Db, id: string, name: FeatureField, value: unknown): void {
  setField(db).run(name, JSON.stringify(value), id)
}

function putPrice(db: Db, price: AppliedPrice | null | undefined): void {
  if (price) addPrice(db).run(JSON.stringify(price))
}
