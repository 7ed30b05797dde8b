// The shape of a request row, once: the columns of the table `requests`, how each is stored, and who writes it. The
// SELECT lists, the INSERT and UPDATE texts, and the types of what goes in and comes out are all made from this table.
import { type NanoUsd, nanoUsd } from '../../shared/money.ts'
import type { RequestRecord } from '../../shared/requests.ts'
import type { SqlValue } from './statement.ts'

/** Fields of the API's record that are stored under another name or as another type, or not at all. */
type ApiOnly =
  | ('createdAt' | 'lastAt' | 'requestedModel' | 'keyName' | 'timings')
  | ('costUsd' | 'costLowUsd' | 'costHighUsd' | 'reservedUsd')

type Timings = RequestRecord['timings']

/** A row of the ledger. What it shares with the API's record has the same name and type there. */
export interface StoredRequest extends Omit<RequestRecord, ApiOnly>, Timings {
  /** Order of arrival in the ledger; never reused. */
  seq: number
  createdAt: number
  requestedModel: string
  /** Null while the request runs, and permanently when the price is unknown. */
  costNano: NanoUsd | null
  costLowNano: NanoUsd | null
  costHighNano: NanoUsd | null
  /** The worst case that was reserved while it ran; 0 when nothing was. */
  reservedNano: NanoUsd
  /** What a request with an unknown outcome is charged; null when the price is unknown. */
  estimateNano: NanoUsd | null
  lastAt: number | null
  settledAt: number | null
}

/** What a row has besides its columns. */
type Computed = 'seq' | 'bodiesKept'

type Columns = Omit<StoredRequest, Computed>

/** How a value other than null is stored. */
interface Codec {
  encode(value: unknown): unknown
  /** Only given what `encode` returned. */
  decode(stored: unknown): unknown
}

interface Column<T> {
  codec?: Codec
  /** The default of a new row. Without it, every new row must have a value. */
  initial?: T
  /** Written once more when the request is settled. */
  settled?: true
}

const PLAIN: Codec = { encode: (value) => value, decode: (stored) => stored }
const NANO: Codec = { encode: (value) => value, decode: (stored) => nanoUsd(Number(stored)) }
const BOOLEAN: Codec = { encode: Number, decode: Boolean }
const JSON_TEXT: Codec = {
  encode: (value) => JSON.stringify(value),
  decode: (stored) => JSON.parse(String(stored)),
}
/** Rows written before cached audio was counted lack it. */
const USAGE: Codec = {
  ...JSON_TEXT,
  decode: (stored) => ({ cacheReadAudio: 0, ...JSON.parse(String(stored)) }),
}

/** By the names in a StoredRequest: the column of `firstByteMs` is `first_byte_ms`. */
const COLUMNS = {
  id: {},
  createdAt: {},
  keyId: {},
  requestedModel: {},
  model: { initial: null, settled: true },
  provider: { initial: null, settled: true },
  stream: { codec: BOOLEAN },
  status: { initial: 'running', settled: true },
  httpStatus: { initial: null, settled: true },
  error: { codec: JSON_TEXT, initial: null, settled: true },
  tokensIn: { initial: 0, settled: true },
  tokensOut: { initial: 0, settled: true },
  usage: { codec: USAGE, initial: null, settled: true },
  costNano: { codec: NANO, initial: null, settled: true },
  costStatus: { initial: 'pending', settled: true },
  costLowNano: { codec: NANO, initial: null, settled: true },
  costHighNano: { codec: NANO, initial: null, settled: true },
  reservedNano: { codec: NANO },
  estimateNano: { codec: NANO },
  price: { codec: JSON_TEXT, initial: null, settled: true },
  attempts: { codec: JSON_TEXT, initial: [], settled: true },
  queueMs: { initial: null, settled: true },
  firstByteMs: { initial: null, settled: true },
  totalMs: { initial: null, settled: true },
  client: {},
  endpoint: { initial: null },
  count: { initial: 1 },
  lastAt: { initial: null },
  settledAt: { initial: null, settled: true },
} satisfies { [Name in keyof Columns]-?: Column<Columns[Name]> }

type Table = typeof COLUMNS
type NamesWith<Member> = {
  [Name in keyof Table]: Table[Name] extends Member ? Name : never
}[keyof Table]
type WithInitial = NamesWith<{ initial: unknown }>

/** A row to be inserted. Omitted columns have their defaults. */
export type NewRow = Omit<Columns, WithInitial> & Partial<Pick<Columns, WithInitial>>

/** What a settlement writes, and the id of the row. */
export type SettledColumns = Pick<Columns, NamesWith<{ settled: true }> | 'id'>

const columns = Object.entries<Column<unknown>>(COLUMNS).map(([name, { codec = PLAIN, ...column }]) => ({
  ...column,
  name,
  sqlName: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  codec,
}))

/** What a new row holds where it does not say otherwise. */
export const INITIAL_ROW = Object.fromEntries(
  columns.filter((column) => 'initial' in column).map(({ name, initial }) => [name, initial]),
) as Pick<Columns, WithInitial>

/** The SELECT list of an EncodedRow. `bodiesKept` is an SQL expression. */
export function selectList(bodiesKept: string): string {
  const list = columns.map(({ name, sqlName }) => `${sqlName} AS ${name}`)
  return ['seq', ...list, `${bodiesKept} AS bodiesKept`].join(', ')
}

/** Takes what `encodeRow` returns for a whole row. */
export const INSERT_ROW = `
  INSERT INTO requests (${columns.map(({ sqlName }) => sqlName).join(', ')})
  VALUES (${columns.map(({ name }) => `@${name}`).join(', ')})`

/** Takes what `encodeRow` returns for a settlement. */
export const SETTLED_ASSIGNMENTS = columns
  .filter(({ settled }) => settled)
  .map(({ name, sqlName }) => `${sqlName} = @${name}`)
  .join(', ')

/** A row as SQLite returns it. */
export type EncodedRow = Record<keyof StoredRequest, SqlValue> & Pick<StoredRequest, 'createdAt' | 'seq'>

/** The values to bind, by name: those of the columns that are given. */
export function encodeRow(row: Partial<Columns>): Record<string, unknown> {
  const values: Readonly<Record<string, unknown>> = row
  return Object.fromEntries(
    columns
      .filter(({ name }) => name in values)
      .map(({ name, codec }) => [name, mapNull(values[name], codec.encode)]),
  )
}

export function decodeRow(row: EncodedRow): StoredRequest {
  const values: Readonly<Record<string, unknown>> = row
  const decoded = columns.map(({ name, codec }) => [name, mapNull(values[name], codec.decode)])
  return { ...Object.fromEntries(decoded), seq: row.seq, bodiesKept: row.bodiesKept === 1 }
}

/** NULL stays NULL in a column of any type. */
function mapNull(value: unknown, map: (value: unknown) => unknown): unknown {
  return value === null ? null : map(value)
}
