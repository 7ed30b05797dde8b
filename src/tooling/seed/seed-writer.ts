import { randomBytes } from 'node:crypto'
import { insertKey, revokeKey, touchKeys, updateKey } from '../../gateway/store/keys.ts'
import { openRequest, recordRefused, settleRequest } from '../../gateway/store/ledger.ts'
import type { Db } from '../../gateway/store/statement.ts'
import { type NanoUsd, nanoToUsd, ZERO_USD } from '../../shared/money.ts'
import type { SeedRequest } from './draw-request.ts'
import type { SeedKey } from './keys.ts'

export interface OpenKey extends SeedKey {
  id: string
  createdAt: number
  revokedAt: number | null
}

/** Writes seeded keys and requests with the store's own operations, so that its totals agree. */
export class SeedWriter {
  readonly #db: Db
  readonly #keys = new Map<string, { key: OpenKey; lastUsedAt: number | null; spendNano: NanoUsd }>()

  constructor(db: Db) {
    this.#db = db
  }

  addKey(key: OpenKey): void {
    const { id, name, scope, purpose, createdAt, rpmLimit } = key
    // The secret is discarded. To call the gateway, create a key in the app.
    const secretHash = purpose === 'playground' ? null : randomBytes(32)
    const limits = { spendLimitUsd: null, rpmLimit, tpmLimit: null }
    insertKey(this.#db, { id, name, scope, purpose, createdAt, secretHash, ...limits })
    this.#keys.set(id, { key, lastUsedAt: null, spendNano: ZERO_USD })
  }

  addRequest(request: SeedRequest): void {
    const { keyId, createdAt } = 'refused' in request ? request.refused : request.opened
    const state = this.#keys.get(keyId)
    if (state) state.lastUsedAt = createdAt
    if ('refused' in request) {
      recordRefused(this.#db, request.refused)
      return
    }
    openRequest(this.#db, request.opened)
    const { keySpendNano } = settleRequest(this.#db, request.settled)
    if (state) state.spendNano = keySpendNano
  }

  /** Sets what depends on all requests: caps, last uses and revocations. */
  finish(): void {
    for (const [id, { key, lastUsedAt, spendNano }] of this.#keys) {
      updateKey(this.#db, { id, spendLimitUsd: capOf(key, spendNano) })
      if (lastUsedAt !== null) touchKeys(this.#db, [{ id, at: lastUsedAt }])
      if (key.revokedAt !== null) revokeKey(this.#db, { id, at: key.revokedAt })
    }
  }
}

/** A round figure of which the key has spent about as much as it should have. */
function capOf({ capUsed }: SeedKey, spendNano: NanoUsd): number | null {
  if (capUsed === null) return null
  const exact = nanoToUsd(spendNano) / capUsed
  const step = 10 ** Math.floor(Math.log10(Math.max(exact, 0.1)) - 1)
  return Number((Math.ceil(exact / step) * step).toFixed(2))
}
