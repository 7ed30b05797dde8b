// Copies a database with the tables of an earlier version into one with those of this version. Earlier tables had a column less or
// more, numbers for texts that occur often, bytes for ids, and running requests in a table of their own.

import { renameSync } from 'node:fs'
import { clientName } from '../../../shared/values/client-name.ts'
import { syncFile } from '../../platform/durable-files.ts'
import { charge } from '../ledger/ledger.ts'
import { getBySeq } from '../listings/request-log.ts'
import { encodeAttempts, encodeUsage } from '../rows/request-columns.ts'
import { findSession } from '../rows/session-rows.ts'
import { RECEIPT_KEY } from '../settings/settings.ts'
import { type Db, statement } from '../sql/statement.ts'
import { StoreError } from '../sql/store-error.ts'
import { IS_SETTLED, MEASURES, rebuildDays, rollupTimeZone, TIMINGS_OF_ROWS } from '../sums/rollup-columns.ts'
import { schemaOfFile, withConnection } from './connection.ts'
import { createPrivateFile, removeDatabase } from './files.ts'
import { createTables, FIRST_SCHEMA, migrate } from './migrations.ts'

/** Whether a database file has the tables of an earlier version. */
export function isOlder(path: string): boolean {
  return schemaOfFile(path) < FIRST_SCHEMA
}

/** Replaces the file of a database with earlier tables, which nothing else uses. A crash before the end leaves it unchanged. */
export function convertFile(path: string): void {
  // A write-ahead log that stayed would be taken for that of the new file.
  const mode = withConnection(path, (db) => db.pragma('journal_mode = DELETE', { simple: true }))
  if (mode !== 'delete') throw new StoreError('locked', 'Another program has the database open.')
  const converted = `${path}.converted`
  removeDatabase(converted)
  try {
    createDatabase(converted, 0, (db) => copyOlder(db, path))
    renameSync(converted, path)
  } finally {
    removeDatabase(converted)
  }
  syncFile(path)
}

/**
 * Creates a database file with all tables. Durable when it returns, but for its name. `fill`: fills the tables as they are before
 * the migrations, and returns the numbers of requests that are to be charged after them.
 */
export function createDatabase(path: string, now: number, fill: (db: Db) => readonly number[]): void {
  createPrivateFile(path)
  withConnection(path, (db) => {
    db.pragma('auto_vacuum = INCREMENTAL')
    // The whole file is synced before it gets its name.
    db.pragma('synchronous = OFF')
    createTables(db, now)
    const uncharged = fill(db)
    migrate(db, now)
    chargeRows(db, uncharged)
  })
  syncFile(path)
}

/** Tables whose rows are made from those of others. */
const MADE = ['prices', 'cache_sizes']
const newTables = statement<[], { name: string }>(
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'",
)

function listTables(db: Db): string[] {
  const names = newTables(db)
    .all()
    .map(({ name }) => name)
  return names.filter((name) => !MADE.includes(name))
}

interface OldColumn {
  table: string
  name: string
  type: string
}

const oldColumns = statement<[], OldColumn>(`
  SELECT m.name AS "table", c.name, c.type FROM old.sqlite_schema AS m JOIN pragma_table_xinfo(m.name, 'old') AS c
  WHERE m.type = 'table' AND m.sql LIKE 'CREATE TABLE%'`)
const newColumns = statement<[string], { name: string }>('SELECT name FROM pragma_table_info(?)')

function copyOlder(db: Db, path: string): readonly number[] {
  defineFunctions(db)
  db.pragma('foreign_keys = OFF')
  db.prepare<[string]>('ATTACH ? AS old').run(path)
  const uncharged = db.transaction(() => {
    const old = new Map<string, Map<string, string>>()
    for (const { table, name, type } of oldColumns(db).all())
      old.set(table, (old.get(table) ?? new Map<string, string>()).set(name, type))
    const texts = old.has('texts')
    if (old.get('requests')?.has('price')) db.exec(copyPrices(texts))
    for (const table of listTables(db)) {
      const columns = old.get(table)
      if (columns) copyTable(db, table, columns, texts)
    }
    if (old.has('running')) copyTable(db, 'requests', old.get('requests') ?? new Map(), texts, 'running')
    db.exec(`
      DELETE FROM settings WHERE name = 'installKeys';
      INSERT INTO meta (name, value) VALUES ('${RECEIPT_KEY}', '1');
      DELETE FROM sqlite_sequence;
      INSERT INTO sqlite_sequence SELECT name, seq FROM old.sqlite_sequence WHERE name = 'activity';`)
    compare(db, old)
    if (!old.get('rollups')?.has('timings')) fillSums(db)
    return old.has('running') ? leftOver(db).all() : []
  })()
  db.exec('DETACH old')
  const [missing] = db.prepare('PRAGMA foreign_key_check').all()
  const damage = db.pragma('quick_check(1)', { simple: true })
  if (missing || damage !== 'ok')
    throw new StoreError('failed', `The converted database is not sound: ${String(damage)}`)
  return uncharged.map(({ seq }) => seq)
}

/** The text of a column of type ANY, which has the number of a text, or a text. */
function readText(column: string): string {
  return `CASE typeof(${column}) WHEN 'integer' THEN (SELECT text FROM old.texts WHERE nr = ${column}) ELSE ${column} END`
}

function coded(column: string, names: string): string {
  const cases = names.split(' ').map((name, code) => `WHEN ${code} THEN '${name}'`)
  return `CASE typeof(${column}) WHEN 'integer' THEN CASE ${column} ${cases.join(' ')} END ELSE ${column} END`
}

const hexId = (prefix: string) => `CASE typeof(id) WHEN 'blob' THEN '${prefix}' || lower(hex(id)) ELSE id END`

const COST_STATUS = coded(
  'cost_status',
  'pending exact estimated unsettled confirmed unknown free plan cached',
)

type Expression = (
  columns: ReadonlyMap<string, string>,
  read: (column: string) => string,
) => string | undefined

/** How columns are read that had another name or form. */
const EXPRESSIONS: Readonly<Record<string, Readonly<Record<string, Expression>>>> = {
  providers: {
    api_format: (columns) =>
      columns.has('wire')
        ? `CASE wire WHEN 'openai' THEN 'openai-chat' WHEN 'anthropic' THEN 'anthropic-messages'
            WHEN 'gemini' THEN 'gemini-generate' ELSE wire END`
        : 'api_format',
    credential_count: (columns) =>
      columns.has('credential_expected') ? 'credential_expected' : 'credential_count',
  },
  sessions: {
    id: () => hexId('ses_'),
    source: () => coded('source', 'pause header claude-code codex opencode metadata user'),
  },
  requests: {
    id: () => hexId('req_'),
    status: () => coded('status', 'running succeeded failed canceled refused rejected'),
    cost_status: () => COST_STATUS,
    finish_reason: (columns) =>
      columns.has('finish_reason')
        ? coded('finish_reason', 'stop length tool_calls content_filter')
        : undefined,
    agent_role: (columns) =>
      columns.has('agent_role')
        ? coded('agent_role', 'main subagent workflow compaction auxiliary')
        : undefined,
    client_name: (_columns, read) => `client_name(${read('client')})`,
    price: (_columns, read) => `(SELECT nr FROM prices WHERE prices.price = ${read('price')})`,
    usage: () => 'read_usage(usage, tokens_in, tokens_out)',
    attempts: (_columns, read) => `read_attempts(attempts, ${read('provider')}, ${read('model')})`,
    settled_at: (columns) => (columns.has('settled_after') ? 'created_at + settled_after' : 'settled_at'),
    queue_us: (columns) => readMicros(columns, 'queue'),
    first_byte_us: (columns) => readMicros(columns, 'first_byte'),
    total_us: (columns) => readMicros(columns, 'total'),
    count: (columns) => (columns.has('count') ? 'count' : '1'),
  },
  request_bodies: {
    seq: (columns) =>
      columns.has('seq') ? 'seq' : '(SELECT seq FROM old.requests AS r WHERE r.id = request_id)',
  },
  cost_confirmations: { cost_status: () => COST_STATUS },
  rollups: { tag: noTag },
  day_sums: { tag: noTag },
}

function noTag(columns: ReadonlyMap<string, string>): string | undefined {
  return columns.has('tag') ? undefined : "''"
}

function readMicros(columns: ReadonlyMap<string, string>, name: string): string {
  return columns.has(`${name}_us`) ? `${name}_us` : `CAST(round(${name}_ms * 1000) AS INTEGER)`
}

function copyTable(
  db: Db,
  table: string,
  columns: ReadonlyMap<string, string>,
  texts: boolean,
  from = table,
): void {
  const read = (column: string) =>
    texts && columns.get(column) === 'ANY' ? readText(`was.${column}`) : `was.${column}`
  const expressions = newColumns(db)
    .all(table)
    .flatMap(({ name }) => {
      const sql = EXPRESSIONS[table]?.[name]?.(columns, read) ?? (columns.has(name) ? read(name) : undefined)
      return sql === undefined ? [] : [{ name, sql }]
    })
  db.exec(`
    INSERT OR REPLACE INTO main.${table} (${expressions.map(({ name }) => name).join(', ')})
    SELECT ${expressions.map(({ sql }) => sql).join(', ')} FROM old.${from} AS was`)
}

function copyPrices(texts: boolean): string {
  return `INSERT INTO prices (price) SELECT DISTINCT ${texts ? readText('price') : 'price'} FROM old.requests WHERE price IS NOT NULL`
}

function defineFunctions(db: Db): void {
  db.function('client_name', (client: string | null) => clientName(client))
  db.function('read_usage', (stored: string | number | null, tokensIn: number, tokensOut: number) => {
    if (stored === null) return null
    const other = typeof stored === 'string' ? JSON.parse(stored) : {}
    return encodeUsage({ input: tokensIn, output: tokensOut, ...other })
  })
  db.function('read_attempts', (stored: string | number | null, provider: string, model: string) => {
    if (stored === null || stored === '[]') return null
    if (typeof stored === 'string') return encodeAttempts(JSON.parse(stored))
    return encodeAttempts([{ provider, model, status: 200, startMs: 0, ms: stored / 1_000, error: null }])
  })
}

/** Throws unless each table has as many rows as before, and all amounts have the same sums. */
function compare(db: Db, old: ReadonlyMap<string, ReadonlyMap<string, string>>): void {
  for (const table of listTables(db)) {
    const columns = old.get(table)
    if (!columns || table === 'settings' || table === 'meta') continue
    const amounts = [...columns.keys()].filter((name) => name.endsWith('_nano') && !name.startsWith('energy'))
    const list = ['count(*)', ...amounts.map((name) => `ifnull(sum(${name}), 0)`)].join(', ')
    const sources = table === 'requests' && old.has('running') ? ['requests', 'running'] : [table]
    const parts = sources.map((source) => sum(db, `SELECT ${list} FROM old.${source}`))
    const before = parts.reduce((a, b) => a.map((value, at) => value + (b[at] ?? 0n)))
    const after = sum(db, `SELECT ${list} FROM main.${table}`)
    if (before.some((value, at) => value !== after[at]))
      throw new StoreError('failed', `The table ${table} could not be converted: its sums differ.`)
  }
}

function sum(db: Db, sql: string): bigint[] {
  return db.prepare<[], bigint[]>(sql).raw().safeIntegers().get() ?? []
}

/** Fills what the sums of the first version did not have from the rows of requests. */
function fillSums(db: Db): void {
  const filled = ['tokensCached', 'errors', 'unpriced'] as const
  db.exec(`
    UPDATE rollups SET ${filled.map((name) => `${MEASURES[name].column} = measured.${name}`).join(', ')}, timings = measured.timings
    FROM (
      SELECT created_at / 900000 * 900000 AS bucket, key_id, coalesce(model, requested_model) AS model,
        ifnull(provider, '') AS provider, client_name AS client,
        ${filled.map((name) => `${MEASURES[name].ofRows} AS ${name}`).join(', ')}, ${TIMINGS_OF_ROWS} AS timings
      FROM requests WHERE ${IS_SETTLED} GROUP BY 1, 2, 3, 4, 5) AS measured
    WHERE (rollups.bucket, rollups.key_id, rollups.model, rollups.provider, rollups.client)
      = (measured.bucket, measured.key_id, measured.model, measured.provider, measured.client)`)
  rebuildDays(db, rollupTimeZone(db))
}

/** Requests that were settled, and in no sum yet when the process ended: their rows were among those that ran. */
const leftOver = statement<[], { seq: number }>('SELECT seq FROM old.running WHERE status <> 0')

function chargeRows(db: Db, numbers: readonly number[]): void {
  db.transaction(() => {
    for (const row of numbers.map((seq) => getBySeq(db, seq)))
      charge(db, { ...row, clientName: clientName(row.client), session: findSession(db, row.sessionId) }, row)
  })()
}
