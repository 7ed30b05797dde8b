// Views with stable names, for people who query the database with their own SQL (docs/data.md). They decode what the tables
// store in few bytes, and need no function that SQLite does not have. They show no secret, prompt or answer.
import { splitWords } from '../../../shared/values/text.ts'
import {
  AGENT_ROLE_CODES,
  COST_STATUS_CODES,
  FINISH_REASON_CODES,
  STATUS_CODES,
} from '../ledger/request-codecs.ts'
import { SOURCE_CODES } from '../ledger/session-numbers.ts'
import { type Db, statement } from './statement.ts'

/** Zones in which midnight is more than 12 hours before that of UTC, for a part of the year at least. */
const FAR_EAST = splitWords(`
  Pacific/Auckland NZ Antarctica/McMurdo Antarctica/South_Pole Pacific/Chatham NZ-CHAT Pacific/Apia
  Pacific/Fakaofo Pacific/Tongatapu Pacific/Kanton Pacific/Enderbury Pacific/Kiritimati Etc/GMT-13
  Etc/GMT-14`)

/** A column of type ANY has the number of a text, or a text. */
const text = (column: string) =>
  `CASE typeof(${column}) WHEN 'integer' THEN (SELECT text FROM texts WHERE nr = ${column}) ELSE ${column} END`

const named = (column: string) => `nullif(${text(column)}, '')`

const time = (ms: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', (${ms}) / 1000.0, 'unixepoch')`

const usd = (nano: string) => `${nano} / 1e9`

const hexId = (prefix: string, id: string) =>
  `CASE typeof(${id}) WHEN 'blob' THEN '${prefix}' || lower(hex(${id})) ELSE ${id} END`

const coded = (column: string, codes: Readonly<Record<string, number>>) =>
  `CASE ${column} ${Object.entries(codes)
    .map(([name, code]) => `WHEN ${code} THEN '${name}'`)
    .join(' ')} END`

/** Buckets of usage that are 0 unless the row has JSON that says otherwise. */
const bucket = (...names: string[]) =>
  `CASE typeof(usage) WHEN 'null' THEN NULL WHEN 'text' THEN ${names
    .map((name) => `coalesce(usage ->> '$.${name}', 0)`)
    .join(' + ')} ELSE 0 END`

const list = (columns: Readonly<Record<string, string>>) =>
  Object.entries(columns)
    .map(([name, sql]) => (name === sql ? sql : `${sql} AS ${name}`))
    .join(',\n  ')

/** Columns that are shown as they are stored. */
const plain = (...columns: string[]) => Object.fromEntries(columns.map((column) => [column, column]))

const keyName = (table: string) => `(SELECT name FROM keys WHERE id = ${text(`${table}.key_id`)})`

const requestColumns = {
  seq: 'seq',
  id: hexId('req_', 'id'),
  created_at: time('created_at'),
  created_at_ms: 'created_at',
  ended_at: time('created_at + settled_after'),
  key_id: text('key_id'),
  key_name: keyName('requests'),
  tag: text('tag'),
  session_id: `(SELECT 'ses_' || lower(hex(sessions.id)) FROM sessions WHERE nr = requests.session)`,
  client: text('client'),
  endpoint: text('endpoint'),
  requested_model: text('requested_model'),
  model: text('model'),
  provider: text('provider'),
  stream: 'stream',
  status: coded('status', STATUS_CODES),
  http_status: 'http_status',
  error_type: `error ->> '$.type'`,
  error_code: `error ->> '$.code'`,
  ...plain('tokens_in', 'tokens_out'),
  tokens_cache_read: bucket('cacheRead'),
  tokens_cache_write: bucket('cacheWrite5m', 'cacheWrite1h'),
  tokens_reasoning: bucket('reasoning'),
  cost_status: coded('cost_status', COST_STATUS_CODES),
  cost_nano_usd: 'cost_nano',
  cost_usd: usd('cost_nano'),
  cost_low_usd: usd('cost_low_nano'),
  cost_high_usd: usd('cost_high_nano'),
  attempts: `CASE typeof(attempts) WHEN 'null' THEN 0 WHEN 'text' THEN json_array_length(attempts) ELSE 1 END`,
  queue_ms: 'queue_us / 1000.0',
  first_byte_ms: 'first_byte_us / 1000.0',
  total_ms: 'total_us / 1000.0',
  count: 'count',
  last_at: time('last_at'),
  worth_nano_usd: 'worth_nano',
  worth_usd: usd('worth_nano'),
  saved_nano_usd: 'saved_nano',
  saved_usd: usd('saved_nano'),
  agent_id: text('agent_id'),
  agent_type: text('agent_type'),
  agent_role: coded('agent_role', AGENT_ROLE_CODES),
  finish_reason: coded('finish_reason', FINISH_REASON_CODES),
  overflow_from: text('overflow_from'),
}

const SUMS = {
  ...plain('tokens_in', 'tokens_out', 'tokens_cached'),
  cost_nano_usd: 'cost_nano',
  cost_usd: usd('cost_nano'),
  worth_nano_usd: 'worth_nano',
  worth_usd: usd('worth_nano'),
  saved_nano_usd: 'saved_nano',
  saved_usd: usd('saved_nano'),
}

const dayZone = `(SELECT value FROM meta WHERE name = 'day_zone')`
// Days are stored as the moment at which they begin. Half a day later it is the same date in UTC, in all zones but these.
const hoursToDate = `iif(${dayZone} IN (${FAR_EAST.map((zone) => `'${zone}'`).join(', ')}), 14, 12)`

const dayColumns = {
  day: `date(bucket / 1000 + ${hoursToDate} * 3600, 'unixepoch')`,
  time_zone: dayZone,
  key_id: text('key_id'),
  key_name: keyName('day_sums'),
  model: named('model'),
  provider: named('provider'),
  client_name: named('client'),
  tag: named('tag'),
  ...plain('requests', 'errors'),
  unpriced_requests: 'unpriced',
  ...SUMS,
}

const keyColumns = {
  ...plain('id', 'name', 'scope', 'purpose', 'tag'),
  created_at: time('created_at'),
  last_used_at: time('last_used_at'),
  expires_at: time('expires_at'),
  revoked_at: time('revoked_at'),
  paused_at: time('paused_at'),
  pause_reason: 'pause_reason',
  spend_nano_usd: 'spend_nano',
  spend_usd: usd('spend_nano'),
  ...plain('spend_limit_usd', 'spend_limits', 'allowed_models', 'rpm_limit', 'tpm_limit', 'strict'),
}

const sessionColumns = {
  id: `'ses_' || lower(hex(id))`,
  source: coded('source', SOURCE_CODES),
  client_session_id: 'client_session_id',
  key_id: text('key_id'),
  key_name: keyName('sessions'),
  client_name: named('client'),
  tag: text('tag'),
  started_at: time('started_at'),
  last_at: time('last_at'),
  ...plain('requests', 'errors'),
  refused_requests: 'refused',
  unpriced_requests: 'unpriced',
  ...SUMS,
}

/** Columns may be added at the end; none is removed or changes its meaning. */
const VIEWS: Readonly<Record<string, string>> = {
  // Without those that run, whose table is another one: SQLite could use no index of a view of two tables.
  tollgate_requests: `SELECT\n  ${list(requestColumns)}\nFROM requests`,
  tollgate_daily_spend: `SELECT\n  ${list(dayColumns)}\nFROM day_sums`,
  tollgate_keys: `SELECT\n  ${list(keyColumns)}\nFROM keys`,
  tollgate_sessions: `SELECT\n  ${list(sessionColumns)}\nFROM sessions`,
}

const VIEW_PREFIX = 'tollgate_'

/** Whether each start replaces the view. A name with other characters is of someone who wants more than a view. */
export function isReplacedView(name: string): boolean {
  return /^tollgate_[a-z_]+$/.test(name)
}

const views = Object.entries(VIEWS).map(([name, select]) => ({
  name,
  sql: `CREATE VIEW ${name} AS\n${select}`,
}))

const existing = statement<[], { name: string; sql: string }>(
  `SELECT name, sql FROM sqlite_schema WHERE type = 'view' AND name GLOB '${VIEW_PREFIX}*'`,
)

/** Creates the views, or replaces those of an earlier version. Writes nothing if they are there. */
export function createViews(db: Db): void {
  const found = new Map(
    existing(db)
      .all()
      .map(({ name, sql }) => [name, sql]),
  )
  if (found.size === views.length && views.every(({ name, sql }) => found.get(name) === sql)) return
  db.transaction(() => {
    dropViews(db)
    for (const { sql } of views) db.exec(sql)
  }).immediate()
}

/** Migrations change tables without regard for the views, which SQLite would not let them. */
export function dropViews(db: Db): void {
  for (const { name } of existing(db).all()) db.exec(`DROP VIEW "${name.replaceAll('"', '""')}"`)
}
