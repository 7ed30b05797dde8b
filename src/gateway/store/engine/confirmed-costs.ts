import type { Db } from './statement.ts'

/** A migration: what confirmed costs were before, and comparisons with the exports of providers. */
export const confirmedCosts = {
  name: 'confirmed costs, and comparisons with exports',
  apply(db: Db): void {
    db.exec(`
      CREATE TABLE cost_confirmations (
        seq INTEGER PRIMARY KEY REFERENCES requests (seq) ON DELETE CASCADE,
        confirmed_at INTEGER NOT NULL,
        cost_status INTEGER NOT NULL,
        cost_nano INTEGER NOT NULL,
        cost_low_nano INTEGER,
        cost_high_nano INTEGER,
        -- Null for an amount that the user entered.
        reconciliation_id TEXT
      ) STRICT;
      CREATE TABLE reconciliations (
        id TEXT PRIMARY KEY,
        created_at INTEGER NOT NULL,
        summary TEXT NOT NULL,
        details TEXT NOT NULL
      ) STRICT;`)
  },
}
