// The rows of batches, of their files and of their lines. A line is settled in the transaction that adds its request to the ledger.

import type { Units } from '../../../gateway/formats/chat/pass-through.ts'
import { openRequest, type Settlement, settleRequest } from '../../../gateway/store/ledger/ledger.ts'
import type { StorePart } from '../../../gateway/store/part.ts'
import type { FeatureFields, NewRequest } from '../../../gateway/store/rows/request-columns.ts'
import { type NewSession, putSession } from '../../../gateway/store/rows/session-rows.ts'
import { type Db, type SqlValue, statement } from '../../../gateway/store/sql/statement.ts'
import {
  changed,
  created,
  defineTable,
  json,
  type NewRow,
  type RowOf,
  recorded,
} from '../../../gateway/store/sql/table.ts'
import type { Plan } from '../../../shared/api/account.ts'
import type { PriceOrigin, Pricing } from '../../../shared/api/models.ts'
import { BATCH_TABLES } from './batch-schema-rows.ts'

type JsonObject = Record<string, unknown>

/** A model of a batch as it was when the batch was created: a later price does not change what it costs. */
export interface BatchModel {
  /** The id that clients use. */
  id: string
  upstreamModel: string
  vendorModel: string
  contextWindow: number | null
  maxOutputTokens: number | null
  /** The factor of what is reserved, because usage or the price may be higher than usual. */
  margin: number
  /** Null without a known price. */
  price: { bands: { above: number; pricing: Pricing }[]; origin: PriceOrigin } | null
}

/** What the cost of a line depends on. */
export interface LineFacts {
  /** Its index among the models of the file or batch. */
  model: number
  /** The most tokens that it can take. */
  prompt: number
  output: number
  /** The most other units that it can be billed for. */
  units?: Units
  /** The tier of service that it asks for, where that has another price. */
  tier?: string
  /** The extra whose price is not known; `strict`: only under a strict limit. */
  unpriced?: { message: string; strict: boolean }
  /** The model that the client has asked for, if another one serves. */
  asked?: string
  /** The fields of its record. */
  features?: FeatureFields
}

export interface FileLine {
  customId: string
  /** The first line is 1. */
  line: number
  facts: LineFacts
}

/** What a client's file is known to have, once it is read. */
interface FileDetails {
  /** The path that all lines have. */
  endpoint: string
  /** The models by the names that its lines have. */
  models: string[]
  lines: number
}

const FILE = {
  nr: recorded<number>(),
  id: created<string>(),
  keyId: created<string>(),
  createdAt: created<number>(),
  provider: created<string>(),
  credential: created<number>(),
  providerFile: changed<string | null>(),
  batch: created<string | null>(),
  object: changed<JsonObject>(json<JsonObject>()),
  details: changed<FileDetails>(json<FileDetails>()),
}
export type StoredFile = RowOf<typeof FILE>

/** The facts that all lines of a batch share. */
export interface BatchDetails {
  endpoint: string
  /** Null for a batch whose requests came with it. */
  inputFile: string | null
  client: string | null
  tag: string | null
  session: NewSession
  plan: Plan
  models: BatchModel[]
}

const BATCH = {
  nr: recorded<number>(),
  id: created<string>(),
  keyId: created<string>(),
  createdAt: created<number>(),
  endedAt: changed<number | null>(),
  provider: created<string>(),
  credential: created<number>(),
  providerBatch: changed<string | null>(),
  state: changed<'preparing' | 'creating' | 'running' | 'settled'>(),
  lines: recorded<number>(),
  openLines: recorded<number>(),
  openNano: recorded<number>(),
  succeeded: recorded<number>(),
  failed: recorded<number>(),
  costNano: recorded<number>(),
  object: changed<JsonObject>(json<JsonObject>()),
  details: created<BatchDetails>(json<BatchDetails>()),
  problem: changed<string | null>(),
}
export type StoredBatch = RowOf<typeof BATCH>

const files = defineTable('batch_files', FILE)
const batches = defineTable('batches', BATCH)
const putFile = files.insert()
const fileById = files.select<[string]>('WHERE id = ?')
const putBatch = batches.insert()
const batchById = batches.select<[string]>('WHERE id = ?')
const openBatches = batches.select<[]>("WHERE state <> 'settled' ORDER BY nr")

function addBatchFile(db: Db, file: NewRow<typeof FILE>): StoredFile {
  putFile(db, file)
  return requireOne(fileById(db, file.id))
}

const addFileLine = statement<[number, string, number, string]>(
  'INSERT INTO batch_file_lines (file, custom_id, line, facts) VALUES (?, ?, ?, ?)',
)
function addFileLines(db: Db, file: number, lines: readonly FileLine[]): void {
  for (const { customId, line, facts } of lines)
    addFileLine(db).run(file, customId, line, JSON.stringify(facts))
}

const changeFile = statement<[string | null, string, string, number]>(
  'UPDATE batch_files SET provider_file = ?, object = ?, details = ? WHERE nr = ?',
)
function completeBatchFile(
  db: Db,
  { nr, providerFile, object, details }: Pick<StoredFile, 'nr' | 'providerFile' | 'object' | 'details'>,
): void {
  changeFile(db).run(providerFile, JSON.stringify(object), JSON.stringify(details), nr)
}

const removeFile = statement<[string]>('DELETE FROM batch_files WHERE id = ?')
function removeBatchFile(db: Db, id: string): void {
  removeFile(db).run(id)
}

const fileLines = statement<[number, string, number], { customId: string; line: number; facts: string }>(
  `SELECT custom_id AS customId, line, facts FROM batch_file_lines WHERE file = ? AND custom_id > ?
   ORDER BY custom_id LIMIT ?`,
)
/** The lines of a file after a custom id, in the order of these. */
function readFileLines(db: Db, file: number, after: string, limit: number): FileLine[] {
  return fileLines(db)
    .all(file, after, limit)
    .map(({ facts, ...line }) => ({ ...line, facts: JSON.parse(facts) }))
}

function getBatchFile(db: Db, id: string): StoredFile | null {
  return fileById(db, id)[0] ?? null
}

const ofProvider = statement<[string, string], { id: string }>(
  'SELECT id FROM batches WHERE provider = ? AND provider_batch = ?',
)
/** Those of the provider's ids that batches have. */
function findProviderBatches(db: Db, provider: string, ids: readonly string[]): string[] {
  return ids.filter((id) => ofProvider(db).get(provider, id) !== undefined)
}

interface ListOptions {
  /** Null for those of all keys. */
  keyId: string | null
  /** Null or absent for those of all sessions. */
  session?: string | null
  /** The id of the last one of the page before. */
  after?: string | undefined
  /** The id of the first one of the page after. */
  before?: string | undefined
  limit: number
  /** The beginning of the ids. */
  prefix: string
}

const PAGE = "WHERE (? IS NULL OR key_id = ?) AND id GLOB ? || '*'"
const latestFiles = files.select<SqlValue[]>(`${PAGE} AND provider_file IS NOT NULL
  AND nr < ifnull((SELECT nr FROM batch_files WHERE id = ?), 9e15) ORDER BY nr DESC LIMIT ?`)
const latestBatches = batches.select<SqlValue[]>(`${PAGE} AND state <> 'preparing'
  AND (? IS NULL OR details ->> '$.session.id' = ?)
  AND nr < ifnull((SELECT nr FROM batches WHERE id = ?), 9e15)
  AND nr > ifnull((SELECT nr FROM batches WHERE id = ?), 0) ORDER BY nr DESC LIMIT ?`)

/** The newest first. */
function listBatchFiles(db: Db, { keyId, after = '', limit, prefix }: ListOptions): StoredFile[] {
  return latestFiles(db, keyId, keyId, prefix, after, limit)
}

/** The newest first. */
function listBatches(
  db: Db,
  { keyId, session = null, after = '', before = '', limit, prefix }: ListOptions,
): StoredBatch[] {
  return latestBatches(db, keyId, keyId, prefix, session, session, after, before, limit)
}

function getBatch(db: Db, id: string): StoredBatch | null {
  return batchById(db, id)[0] ?? null
}

/** Records a batch that is being prepared. Returns its number. */
function addBatch(db: Db, batch: NewRow<typeof BATCH>): number {
  putBatch(db, batch)
  return requireOne(batchById(db, batch.id)).nr
}

export interface BatchLine extends FileLine {
  mostNano: number
}

const addLine = statement<[number, string, number, string, number]>(
  'INSERT INTO batch_lines (batch, custom_id, line, facts, most_nano) VALUES (?, ?, ?, ?, CAST(? AS INTEGER))',
)
function addBatchLines(db: Db, batch: number, lines: readonly BatchLine[]): void {
  for (const { customId, line, facts, mostNano } of lines)
    addLine(db).run(batch, customId, line, JSON.stringify(facts), mostNano)
}

const reserve = statement<[number]>(`
  UPDATE batches SET state = 'creating', (lines, open_lines, open_nano) =
    (SELECT count(*), count(*), ifnull(sum(most_nano), 0) FROM batch_lines WHERE batch = batches.nr)
  WHERE nr = ? AND state = 'preparing'`)
/** Reserves the sum of what its lines may cost: from here on, a crash does not release it. Returns it with the details that only now are known. */
function reserveBatch(db: Db, id: string, details: BatchDetails): StoredBatch {
  const { nr, createdAt } = requireOne(batchById(db, id))
  // Its lines become requests of the session when they are done, and the batch is shown in it before.
  putSession(db, details.session, createdAt)
  setDetails(db).run(JSON.stringify(details), nr)
  reserve(db).run(nr)
  return requireOne(batchById(db, id))
}
const setDetails = statement<[string, number]>('UPDATE batches SET details = ? WHERE nr = ?')

const removeOne = statement<[number]>('DELETE FROM batches WHERE nr = ?')
/** Removes a batch that its provider has never had. */
function removeBatch(db: Db, nr: number): void {
  removeOne(db).run(nr)
}

export interface BatchChange extends Pick<StoredBatch, 'nr' | 'providerBatch' | 'object' | 'problem'> {
  /** The files with its answers, which are added unless they are known. */
  files: readonly NewRow<typeof FILE>[]
}

const changeBatch = statement<[string | null, string, string | null, number]>(`
  UPDATE batches SET provider_batch = ?, object = ?, problem = ?,
    state = iif(state = 'creating', 'running', state) WHERE nr = ?`)
/** Records what the provider says of a batch. */
function updateBatch(db: Db, { nr, providerBatch, object, problem, files: written }: BatchChange): void {
  changeBatch(db).run(providerBatch, JSON.stringify(object), problem, nr)
  for (const file of written) if (fileById(db, file.id).length === 0) putFile(db, file)
}

const setProblem = statement<[string, number]>('UPDATE batches SET problem = ? WHERE nr = ?')
function noteBatchProblem(db: Db, nr: number, problem: string): void {
  setProblem(db).run(problem, nr)
}

const lineById = statement<
  [number, string],
  { customId: string; line: number; facts: string; mostNano: number; settled: number }
>(`SELECT custom_id AS customId, line, facts, most_nano AS mostNano, settled FROM batch_lines
   WHERE batch = ? AND custom_id = ?`)
/** Finds the lines with these ids; the batch may lack some. */
function findBatchLines(
  db: Db,
  batch: number,
  customIds: readonly string[],
): (BatchLine & { isSettled: boolean })[] {
  return customIds.flatMap((customId) => {
    const row = lineById(db).get(batch, customId)
    if (!row) return []
    const { settled, facts, ...line } = row
    return [{ ...line, facts: JSON.parse(facts), isSettled: settled === 1 }]
  })
}

const costliest = statement<[number, number], { customId: string }>(
  `SELECT custom_id AS customId FROM batch_lines WHERE batch = ? AND settled = 0
   ORDER BY most_nano DESC, line LIMIT ?`,
)
/** The custom ids of the open lines that may cost most. */
function findCostliestLines(db: Db, batch: number, limit: number): string[] {
  return costliest(db)
    .all(batch, limit)
    .map(({ customId }) => customId)
}

/** How a line ended, and its request as the ledger gets it. */
export interface LineEnd {
  customId: string
  request: NewRequest
  settlement: Settlement
}

const settleLine = statement<[number, string], { mostNano: number }>(`
  UPDATE batch_lines SET settled = 1 WHERE batch = ? AND custom_id = ? AND settled = 0
  RETURNING most_nano AS mostNano`)
const count = statement<[number, number, number, number, number, number]>(`
  UPDATE batches SET open_lines = open_lines - ?, open_nano = open_nano - CAST(? AS INTEGER), succeeded = succeeded + ?,
    failed = failed + ?, cost_nano = cost_nano + CAST(? AS INTEGER) WHERE nr = ?`)
/**
 * Settles the lines that are open: charges each, adds its request to the ledger, and releases what was reserved for it. Returns
 * the ends that took effect, and what stays reserved.
 */
function settleBatchLines(
  db: Db,
  id: string,
  ends: readonly LineEnd[],
): { settled: string[]; batch: StoredBatch } {
  const { nr } = requireOne(batchById(db, id))
  const settled: string[] = []
  let [released, succeeded, costNano] = [0, 0, 0]
  for (const { customId, request, settlement } of ends) {
    const line = settleLine(db).get(nr, customId)
    if (!line) continue
    openRequest(db, request)
    settleRequest(db, settlement)
    settled.push(customId)
    released += line.mostNano
    succeeded += Number(settlement.status === 'succeeded')
    costNano += settlement.costNano ?? 0
  }
  count(db).run(settled.length, released, succeeded, settled.length - succeeded, costNano, nr)
  return { settled, batch: requireOne(batchById(db, id)) }
}

const end = statement<[number, string | null, number]>(`
  UPDATE batches SET state = 'settled', ended_at = ?, open_nano = 0, problem = ? WHERE nr = ?`)
const removeLines = statement<[number]>('DELETE FROM batch_lines WHERE batch = ?')
/** Releases what is reserved for the lines that are open: they were not done. */
function finishBatch(
  db: Db,
  id: string,
  { now, problem }: { now: number; problem: string | null },
): StoredBatch {
  const { nr } = requireOne(batchById(db, id))
  end(db).run(now, problem, nr)
  removeLines(db).run(nr)
  return requireOne(batchById(db, id))
}

const removeUnsent = statement<[]>("DELETE FROM batches WHERE state = 'preparing'")
const removeHalfSent = statement<[]>('DELETE FROM batch_files WHERE provider_file IS NULL')
/** The batches that are not settled. To be called once at start: what was being prepared then was not sent. */
function loadOpenBatches(db: Db): StoredBatch[] {
  removeUnsent(db).run()
  removeHalfSent(db).run()
  return openBatches(db)
}

/** Providers delete the files of batches after a month. */
const KEPT_MS = 31 * 24 * 3_600_000
const sweepFiles = statement<[number]>('DELETE FROM batch_files WHERE created_at < ?')

function requireOne<T>(rows: readonly T[]): T {
  const [row] = rows
  if (row === undefined) throw new Error('the row of a batch is gone')
  return row
}

export const batchRows = {
  name: 'batches',
  migrations: [BATCH_TABLES],
  writes: {
    addBatchFile,
    addFileLines,
    completeBatchFile,
    removeBatchFile,
    addBatch,
    addBatchLines,
    reserveBatch,
    removeBatch,
    updateBatch,
    noteBatchProblem,
    settleBatchLines,
    finishBatch,
    loadOpenBatches,
  },
  reads: {
    getBatchFile,
    readFileLines,
    listBatchFiles,
    getBatch,
    listBatches,
    findProviderBatches,
    findBatchLines,
    findCostliestLines,
  },
  running: `SELECT ifnull(sum(open_lines), 0) FROM batches WHERE state <> 'settled' AND details ->> '$.session.id' = sessions.id`,
  sweep: (db: Db, now: number) => void sweepFiles(db).run(now - KEPT_MS),
} satisfies StorePart

declare module '../../../gateway/store/calls.ts' {
  interface Writes extends Readonly<typeof batchRows.writes> {}
  interface Reads extends Readonly<typeof batchRows.reads> {}
}
