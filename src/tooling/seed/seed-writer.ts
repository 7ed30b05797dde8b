import { hashSecret, newSecret } from '../../gateway/platform/ids.ts'
import { openRequest, recordRefused, settleRequest } from '../../gateway/store/ledger/ledger.ts'
import { insertKey, readKeys, revokeKey, touchKeys, updateKey } from '../../gateway/store/settings/keys.ts'
import type { Db } from '../../gateway/store/sql/statement.ts'
import { createSecretHint } from '../../shared/api/terms.ts'
import { type NanoUsd, nanoToUsd, ZERO_USD } from '../../shared/money/money.ts'
import type { FinishedRequest } from './draw-request.ts'
import type { SeedKey } from './keys.ts'

export interface OpenKey extends SeedKey {
  id: string
  createdAt: number
  revokedAt: number | null
}

/** Writes seeded keys and requests with the store's own operations, so that its totals agree. */
export class SeedWriter {
  readonly #db: Db
  readonly #keys = new Map<string, { key: OpenKey; lastUsedAt: number | null }>()

  constructor(db: Db) {
    this.#db = db
  }

  addKey(key: OpenKey): void {
    const { id, name, scope, purpose, createdAt, rpmLimit, tag, storeBodies } = key
    // The secret is discarded. To call the gateway, create a key in the app.
    const secret = purpose === 'playground' ? null : newSecret()
    const secretHash = secret === null ? null : hashSecret(secret)
    const secretHint = secret === null ? null : createSecretHint(secret)
    const limits = { spendLimitUsd: null, rpmLimit, tpmLimit: null }
    insertKey(this.#db, {
      id,
      name,
      scope,
      purpose,
      createdAt,
      secretHash,
      secretHint,
      ...limits,
      tag,
      storeBodies,
    })
    this.#keys.set(id, { key, lastUsedAt: null })
  }

  addRequest(request: FinishedRequest): void {
    const { keyId, createdAt } = 'refused' in request ? request.refused : request.opened
    const state = this.#keys.get(keyId)
    if (state) state.lastUsedAt = Math.max(state.lastUsedAt ?? 0, createdAt)
    if ('refused' in request) {
      recordRefused(this.#db, request.refused)
      return
    }
    openRequest(this.#db, request.opened)
    settleRequest(this.#db, request.settled)
  }

  /** Sets what depends on all requests: caps, last uses and revocations. */
  finish(): void {
    const spent = new Map(readKeys(this.#db).map(({ id, spendNano }) => [id, spendNano]))
    for (const [id, { key, lastUsedAt }] of this.#keys) {
      const usd = computeCap(key, spent.get(id) ?? ZERO_USD)
      updateKey(this.#db, { id, spendLimits: usd === null ? [] : [{ usd, per: 'lifetime' }] })
      if (lastUsedAt !== null) touchKeys(this.#db, [{ id, at: lastUsedAt }])
      if (key.revokedAt !== null) revokeKey(this.#db, { id, at: key.revokedAt })
    }
  }
}

/** A round figure of which the key has spent about as much as it should have. */
function computeCap({ capUsed }: SeedKey, spendNano: NanoUsd): number | null {
  if (capUsed === null) return null
  const exact = nanoToUsd(spendNano) / capUsed
  const step = 10 ** Math.floor(Math.log10(Math.max(exact, 0.1)) - 1)
  return Number((Math.ceil(exact / step) * step).toFixed(2))
}
