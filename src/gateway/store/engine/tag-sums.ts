// A migration: the sums get the tag as a dimension. What was summed up before has no tag.

import { textsOf } from '../ledger/texts.ts'
import type { Db } from './statement.ts'

const PLACE = 'bucket, key_id, model, provider, client'
const SUMS = 'requests, tokens_in, tokens_out, cost_nano, tokens_cached, errors, unpriced, timings'

const TABLE = `(
  bucket INTEGER NOT NULL,
  key_id ANY NOT NULL,
  model ANY NOT NULL,
  provider ANY NOT NULL,
  client ANY NOT NULL,
  -- The number of '' for requests without one.
  tag ANY NOT NULL,
  requests INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  cost_nano INTEGER NOT NULL,
  tokens_cached INTEGER NOT NULL DEFAULT 0,
  errors INTEGER NOT NULL DEFAULT 0,
  unpriced INTEGER NOT NULL DEFAULT 0,
  -- Histograms of the durations of requests that succeeded; NULL where there are none.
  timings BLOB,
  PRIMARY KEY (${PLACE}, tag)
) STRICT, WITHOUT ROWID`

export function addTagToSums(db: Db): void {
  const none = textsOf(db).put('')
  for (const table of ['rollups', 'day_sums']) {
    db.exec(`CREATE TABLE tagged ${TABLE}`)
    db.prepare(
      `INSERT INTO tagged (${PLACE}, tag, ${SUMS}) SELECT ${PLACE}, ?, ${SUMS} FROM ${table} ORDER BY ${PLACE}`,
    ).run(none)
    db.exec(`DROP TABLE ${table}; ALTER TABLE tagged RENAME TO ${table}`)
  }
}
