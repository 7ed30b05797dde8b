// Owns the running sums of seeded requests, written down bucket by bucket as time goes on. Knows nothing of days.
import type Sqlite from 'better-sqlite3'

interface Summand {
  keyId: string
  model: string
  provider: string
  client: string
  tokensIn: number
  tokensOut: number
  costNano: number
}

type Sum = Summand & { bucket: number; requests: number }

export interface Sums {
  /** Buckets must not go back. */
  add(bucket: number, summand: Summand): void
  /** Writes the last bucket down. */
  end(): void
}

/** Sums by bucket, key, model, provider and client, for a table of the store that has those columns. */
export function sumsInto(db: Sqlite.Database, table: 'rollups' | 'day_sums'): Sums {
  const insert = db.prepare<Sum>(`
    INSERT INTO ${table} (bucket, key_id, model, provider, client, requests, tokens_in, tokens_out, cost_nano)
    VALUES (@bucket, @keyId, @model, @provider, @client, @requests, @tokensIn, @tokensOut, @costNano)`)
  let current = Number.NaN
  const sums = new Map<string, Sum>()
  const end = () => {
    // In the order of the primary key, SQLite only ever appends.
    for (const [, sum] of [...sums].sort(([a], [b]) => (a < b ? -1 : 1))) insert.run(sum)
    sums.clear()
  }
  return {
    add(bucket, summand) {
      if (bucket !== current) end()
      current = bucket
      const name = `${summand.keyId}\n${summand.model}\n${summand.provider}\n${summand.client}`
      const sum = sums.get(name)
      if (!sum) {
        sums.set(name, { ...summand, bucket, requests: 1 })
        return
      }
      sum.requests += 1
      sum.tokensIn += summand.tokensIn
      sum.tokensOut += summand.tokensOut
      sum.costNano += summand.costNano
    },
    end,
  }
}
