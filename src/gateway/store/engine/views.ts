// Views with stable names, for people who query the database with their own SQL (docs/data.md). They need no function that SQLite
// does not have, and show no secret, prompt or answer.
import { splitWords } from '../../../shared/values/text.ts'
import { type Db, statement } from './statement.ts'

/** Zones in which midnight is more than 12 hours before that of UTC, for a part of the year at least. */
const FAR_EAST = splitWords(`
  Pacific/Auckland NZ Antarctica/McMurdo Antarctica/South_Pole Pacific/Chatham NZ-CHAT Pacific/Apia
  Pacific/Fakaofo Pacific/Tongatapu Pacific/Kanton Pacific/Enderbury Pacific/Kiritimati Etc/GMT-13
  Etc/GMT-14`)

const named = (column: string) => `nullif(${column}, '')`

const time = (ms: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', (${ms}) / 1000.0, 'unixepoch')`

const usd = (nano: string) => `${nano} / 1e9`

/** Buckets of usage that are 0 unless the row's JSON says otherwise. */
const bucket = (...names: string[]) =>
  `iif(usage IS NULL, NULL, ${names.map((name) => `ifnull(usage ->> '$.${name}', 0)`).join(' + ')})`

const list = (columns: Readonly<Record<string, string>>) =>
  Object.entries(columns)
    .map(([name, sql]) => (name === sql ? sql : `${sql} AS ${name}`))
    .join(',\n  ')

/** Columns that are shown as they are stored. */
const plain = (...columns: string[]) => Object.fromEntries(columns.map((column) => [column, column]))

const keyName = (table: string) => `(SELECT name FROM keys WHERE id = ${table}.key_id)`

const requestColumns = {
  ...plain('seq', 'id'),
  created_at: time('created_at'),
  created_at_ms: 'created_at',
  ended_at: time('settled_at'),
  key_id: 'key_id',
  key_name: keyName('requests'),
  tag: 'tag',
  session_id: '(SELECT id FROM sessions WHERE nr = requests.session)',
  ...plain('client', 'endpoint', 'requested_model', 'model', 'provider', 'stream', 'status', 'http_status'),
  error_type: `error ->> '$.type'`,
  error_code: `error ->> '$.code'`,
  ...plain('tokens_in', 'tokens_out'),
  tokens_cache_read: bucket('cacheRead'),
  tokens_cache_write: bucket('cacheWrite5m', 'cacheWrite1h'),
  tokens_reasoning: bucket('reasoning'),
  cost_status: 'cost_status',
  cost_nano_usd: 'cost_nano',
  cost_usd: usd('cost_nano'),
  cost_low_usd: usd('cost_low_nano'),
  cost_high_usd: usd('cost_high_nano'),
  attempts: `ifnull(json_array_length(attempts), 0)`,
  queue_ms: 'queue_us / 1000.0',
  first_byte_ms: 'first_byte_us / 1000.0',
  total_ms: 'total_us / 1000.0',
  count: 'count',
  last_at: time('last_at'),
  worth_nano_usd: 'worth_nano',
  worth_usd: usd('worth_nano'),
  saved_nano_usd: 'saved_nano',
  saved_usd: usd('saved_nano'),
  ...plain('agent_id', 'agent_type', 'agent_role', 'finish_reason', 'overflow_from'),
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
  key_id: 'key_id',
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
  ...plain('id', 'source', 'client_session_id'),
  key_id: 'key_id',
  key_name: keyName('sessions'),
  client_name: named('client'),
  tag: 'tag',
  started_at: time('started_at'),
  last_at: time('last_at'),
  ...plain('requests', 'errors'),
  refused_requests: 'refused',
  unpriced_requests: 'unpriced',
  ...SUMS,
}

/** Columns may be added at the end; none is removed or changes its meaning. */
const VIEWS: Readonly<Record<string, string>> = {
  tollgate_requests: `SELECT\n  ${list(requestColumns)}\nFROM requests WHERE status NOT IN ('running', 'rejected')`,
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
