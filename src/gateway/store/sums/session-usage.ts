// What sessions used in a range of time. A session within the range has its sums already; rows are counted for those that
// reach beyond it, for those of which rows are pruned, and for requests without a session.

import { type Db, type SqlValue, statement } from '../engine/statement.ts'
import { STATUS_CODES } from '../ledger/request-codecs.ts'
import { hourOf, sessionsOf } from '../ledger/session-numbers.ts'
import { textsOf } from '../ledger/texts.ts'
import { IS_SAMPLE, MEASURE_NAMES, MEASURES, type Measures } from './rollup-columns.ts'

export interface SessionRange {
  from: number
  to: number
  /** Only of this key. */
  key?: string | undefined
}

interface Bound {
  from: number
  to: number
  hour: number
  key: SqlValue
}

type Row = Measures & { session: SqlValue }

const WHOLE = 'started_at >= @from AND last_at < @to AND pruned_requests = 0'
const ACTIVE = 'last_hour >= @hour AND last_at >= @from AND started_at < @to'
const OF_KEY = '(@key IS NULL OR key_id = @key)'
const ROWS = MEASURE_NAMES.map((name) => `${MEASURES[name].ofRows} AS ${name}`).join(', ')
const SETTLED = `created_at >= @from AND created_at < @to AND status <> ${STATUS_CODES.refused} AND ${OF_KEY}`

const SAMPLE_NANO = `(SELECT sum(cost_nano) FROM session_models WHERE session = nr AND ${IS_SAMPLE})`

function ofWhole(name: keyof Measures): string {
  const { column } = MEASURES[name]
  return name === 'costNano' ? `${column} - ifnull(${SAMPLE_NANO}, 0)` : column
}

const whole = statement<Bound, Row>(`
  SELECT nr AS session, ${MEASURE_NAMES.map((name) => `${ofWhole(name)} AS ${name}`).join(', ')}
  FROM sessions INDEXED BY sessions_by_hour WHERE ${ACTIVE} AND ${WHOLE} AND requests > 0 AND ${OF_KEY}`)
const others = statement<Bound, Row>(`
  SELECT session, ${ROWS} FROM requests INDEXED BY requests_by_session
  WHERE session IN (SELECT nr FROM sessions WHERE ${ACTIVE} AND NOT (${WHOLE}) AND ${OF_KEY}) AND ${SETTLED}
  GROUP BY session`)
const without = statement<Bound, Row>(`
  SELECT NULL AS session, ${ROWS} FROM requests INDEXED BY requests_without_session
  WHERE session IS NULL AND ${SETTLED} HAVING count(*) > 0`)

/** The sums of each session, by its id; '' for requests without one. */
export function sumSessions(db: Db, { from, to, key }: SessionRange): (Measures & { group: string })[] {
  const bound = { from, to, hour: hourOf(from), key: key === undefined ? null : textsOf(db).find(key) }
  const rows = [whole, others, without].flatMap((each) => each(db).all(bound))
  const ids = sessionsOf(db)
  return rows.map(({ session, ...sums }) => ({
    ...sums,
    group: session === null ? '' : (ids.idOf(session) ?? ''),
  }))
}
