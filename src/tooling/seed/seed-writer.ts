// Owns how seeded keys and requests are written into the store's tables, with totals that agree. Knows nothing of how
// they were drawn.
import { createHash } from 'node:crypto'
import type Sqlite from 'better-sqlite3'
import { clientName } from '../../gateway/store/client-name.ts'
import { dayBucket, quarterOf } from '../../gateway/store/rollup-slots.ts'
import { nanoToUsd, nanoUsd } from '../../shared/money.ts'
import type { SeedKey } from './keys.ts'
import type { Chance } from './random.ts'
import type { SeedRequest } from './request.ts'
import { sumsInto } from './sums.ts'

interface OpenKey extends SeedKey {
  id: string
  createdAt: number
  revokedAt: number | null
  lastUsedAt: number | null
  spendNano: number
}

export interface Book {
  addKey(key: OpenKey): void
  addRequest(request: SeedRequest, key: OpenKey, client: string | null): void
  /** Writes the totals down: keys, account, the last sums. */
  end(): void
}

/** `timeZone`: whose days are summed up. `now`: no request is settled later. */
export function openBook(
  db: Sqlite.Database,
  { timeZone, now, chance }: { timeZone: string; now: number; chance: Chance },
): Book {
  const insertKey = db.prepare<object>(`
    INSERT INTO keys (id, name, scope, purpose, secret_hash, created_at, revoked_at, rpm_limit)
    VALUES (@id, @name, @scope, @purpose, @secretHash, @createdAt, @revokedAt, @rpmLimit)`)
  const finishKey = db.prepare<object>(`
    UPDATE keys SET spend_nano = @spendNano, last_used_at = @lastUsedAt, spend_limit_usd = @spendLimitUsd
    WHERE id = @id`)
  const insertRequest = db.prepare<object>(`
    INSERT INTO requests (
      id, created_at, key_id, requested_model, model, provider, stream, status, http_status, error,
      tokens_in, tokens_out, usage, cost_nano, cost_status, cost_low_nano, cost_high_nano, reserved_nano,
      estimate_nano, price, attempts, queue_ms, first_byte_ms, total_ms, client, settled_at
    ) VALUES (
      @id, @createdAt, @keyId, @model, @servedBy, @provider, @stream, @status, @httpStatus, @error,
      @tokensIn, @tokensOut, @usage, @costNano, @costStatus, @costLowNano, @costHighNano, @reservedNano,
      @estimateNano, @price, @attempts, @queueMs, @firstByteMs, @totalMs, @client, @settledAt
    )`)
  const quarters = sumsInto(db, 'rollups')
  const days = sumsInto(db, 'day_sums')
  const keys: OpenKey[] = []
  const clients = new Map<string | null, string>()
  const nameOf = (userAgent: string | null) => {
    const name = clients.get(userAgent) ?? clientName(userAgent)
    clients.set(userAgent, name)
    return name
  }

  return {
    addKey(key) {
      keys.push(key)
      // Nobody is told the secret: a program that wants to call makes a key of its own.
      const secretHash =
        key.purpose === 'playground' ? null : createHash('sha256').update(chance.hex(64)).digest()
      insertKey.run({ ...key, secretHash })
    },
    addRequest(request, key, client) {
      const { model, ending, createdAt } = request
      const refused = ending.status === 'refused'
      insertRequest.run({
        ...request,
        keyId: key.id,
        model: model.id,
        servedBy: refused ? null : model.id,
        provider: refused ? null : model.provider,
        stream: Number(request.stream),
        status: ending.status,
        httpStatus: ending.httpStatus,
        error: ending.error && JSON.stringify(ending.error),
        usage: request.usage && JSON.stringify(request.usage),
        price: refused || !model.price ? null : JSON.stringify(model.price),
        attempts: JSON.stringify(request.attempts),
        client,
        settledAt: refused ? createdAt : Math.min(now, createdAt + Math.round(request.totalMs)),
      })
      key.lastUsedAt = createdAt
      if (refused) return
      const costNano = request.costNano ?? 0
      key.spendNano += costNano
      const { tokensIn, tokensOut } = request
      const who = { keyId: key.id, model: model.id, provider: model.provider, client: nameOf(client) }
      quarters.add(quarterOf(createdAt), { ...who, tokensIn, tokensOut, costNano })
      days.add(dayBucket(createdAt, timeZone).start, { ...who, tokensIn, tokensOut, costNano })
    },
    end() {
      quarters.end()
      days.end()
      for (const key of keys) finishKey.run({ ...key, spendLimitUsd: capOf(key) })
      const spent = keys.reduce((sum, key) => sum + key.spendNano, 0)
      db.prepare<[number]>('UPDATE account SET spend_nano = ?').run(nanoUsd(spent))
    },
  }
}

/** A round figure of which the key has spent about as much as it should have. */
function capOf({ capUsed, spendNano }: OpenKey): number | null {
  if (capUsed === null) return null
  const exact = nanoToUsd(nanoUsd(spendNano)) / capUsed
  const step = 10 ** Math.floor(Math.log10(Math.max(exact, 0.1)) - 1)
  return Number((Math.ceil(exact / step) * step).toFixed(2))
}
