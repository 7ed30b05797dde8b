// Views with stable names, for people who query the database with their own SQL (docs/data.md). They need no function that SQLite
// does not have, and show no secret, prompt or answer.
import { splitWords } from '../../../shared/values/text.ts'
import { type Db, statement } from '../sql/statement.ts'

/** Zones in which midnight is more than 12 hours before that of UTC, for a part of the year at least. */
const FAR_EAST = splitWords(`
  Pacific/Auckland NZ Antarctica/McMurdo Antarctica/South_Pole Pacific/Chatham NZ-CHAT Pacific/Apia
  Pacific/Fakaofo Pacific/Tongatapu Pacific/Kanton Pacific/Enderbury Pacific/Kiritimati Etc/GMT-13
  Etc/GMT-14`)

const time = (column: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`

/** A bucket of usage: NULL without usage, and else 0 unless the row's JSON says otherwise. */
const bucket = (name: string) => `iif(usage IS NULL, NULL, ifnull(usage ->> '$.${name}', 0))`

const KEY_NAME = '(SELECT name FROM keys WHERE id = key_id) AS key_name'

const SUMS = `tokens_in, tokens_out, tokens_cached, cost_nano AS cost_nano_usd, cost_nano / 1e9 AS cost_usd,
    worth_nano AS worth_nano_usd, worth_nano / 1e9 AS worth_usd, saved_nano AS saved_nano_usd, saved_nano / 1e9 AS saved_usd`

/** The cap of a key: the limit of its lifetime that stops all its requests. */
const CAP = `(SELECT value ->> '$.usd' FROM json_each(spend_limits) WHERE value ->> '$.per' = 'lifetime'
      AND value ->> '$.model' IS NULL AND ifnull(value ->> '$.action', 'stop') = 'stop')`

const DAY_ZONE = `(SELECT value FROM meta WHERE name = 'day_zone')`
// Days are stored as the moment at which they begin. Half a day later it is the same date in UTC, in all zones but these.
const HOURS_TO_DATE = `iif(${DAY_ZONE} IN (${FAR_EAST.map((zone) => `'${zone}'`).join(', ')}), 14, 12)`

/** Columns may be added at the end; none is removed or changes its meaning. */
const VIEWS: Readonly<Record<string, string>> = {
  tollgate_requests: `
  SELECT seq, id, ${time('created_at')} AS created_at, created_at AS created_at_ms, ${time('settled_at')} AS ended_at,
    key_id, ${KEY_NAME}, tag, (SELECT id FROM sessions WHERE nr = requests.session) AS session_id, client, endpoint,
    requested_model, model, provider, stream, status, http_status,
    error ->> '$.type' AS error_type, error ->> '$.code' AS error_code,
    tokens_in, tokens_out, ${bucket('cacheRead')} AS tokens_cache_read,
    ${bucket('cacheWrite5m')} + ${bucket('cacheWrite1h')} AS tokens_cache_write, ${bucket('reasoning')} AS tokens_reasoning,
    cost_status, cost_nano AS cost_nano_usd, cost_nano / 1e9 AS cost_usd,
    cost_low_nano / 1e9 AS cost_low_usd, cost_high_nano / 1e9 AS cost_high_usd,
    ifnull(json_array_length(attempts), 0) AS attempts,
    queue_us / 1000.0 AS queue_ms, first_byte_us / 1000.0 AS first_byte_ms, total_us / 1000.0 AS total_ms,
    count, ${time('last_at')} AS last_at, worth_nano AS worth_nano_usd, worth_nano / 1e9 AS worth_usd,
    saved_nano AS saved_nano_usd, saved_nano / 1e9 AS saved_usd,
    agent_id, agent_type, agent_role, finish_reason, overflow_from
  FROM requests WHERE status NOT IN ('running', 'rejected')`,

  tollgate_daily_spend: `
  SELECT date(bucket / 1000 + ${HOURS_TO_DATE} * 3600, 'unixepoch') AS day, ${DAY_ZONE} AS time_zone,
    key_id, ${KEY_NAME}, nullif(model, '') AS model, nullif(provider, '') AS provider, nullif(client, '') AS client_name,
    nullif(tag, '') AS tag, requests, errors, unpriced AS unpriced_requests, ${SUMS}
  FROM day_sums`,

  tollgate_keys: `
  SELECT id, name, scope, purpose, tag, ${time('created_at')} AS created_at, ${time('last_used_at')} AS last_used_at,
    ${time('expires_at')} AS expires_at, ${time('revoked_at')} AS revoked_at, ${time('paused_at')} AS paused_at,
    pause_reason, spend_nano AS spend_nano_usd, spend_nano / 1e9 AS spend_usd,
    ${CAP} AS spend_limit_usd, spend_limits, allowed_models, rpm_limit, tpm_limit, strict
  FROM keys`,

  tollgate_sessions: `
  SELECT id, source, client_session_id, key_id, ${KEY_NAME}, nullif(client, '') AS client_name, tag,
    ${time('started_at')} AS started_at, ${time('last_at')} AS last_at, requests, errors,
    refused AS refused_requests, unpriced AS unpriced_requests, ${SUMS}
  FROM sessions`,
}

const VIEW_PREFIX = 'tollgate_'

/** Whether each start replaces the view. A name with other characters is of someone who wants more than a view. */
export function isReplacedView(name: string): boolean {
  return /^tollgate_[a-z_]+$/.test(name)
}

const views = Object.entries(VIEWS).map(([name, select]) => `CREATE VIEW ${name} AS${select}`)

const existing = statement<[], { name: string; sql: string }>(
  `SELECT name, sql FROM sqlite_schema WHERE type = 'view' AND name GLOB '${VIEW_PREFIX}*'`,
)

/** Creates the views, or replaces those of an earlier version. Writes nothing if they are there. */
export function createViews(db: Db): void {
  const found = new Set(
    existing(db)
      .all()
      .map(({ sql }) => sql),
  )
  if (found.size === views.length && views.every((sql) => found.has(sql))) return
  db.transaction(() => {
    dropViews(db)
    for (const sql of views) db.exec(sql)
  }).immediate()
}

/** Migrations change tables without regard for the views, which SQLite would not let them. */
export function dropViews(db: Db): void {
  for (const { name } of existing(db).all()) db.exec(`DROP VIEW "${name.replaceAll('"', '""')}"`)
}
