import { addUsd, type NanoUsd } from '../../shared/money.ts'
import type { KeyState } from '../keys/key-state.ts'
import type { CapAlerts } from './cap-alerts.ts'
import type { SpendLimits } from './spend-limits.ts'

/** What a charge is for. */
export interface Charged {
  key: KeyState
  /** When the request was made. */
  createdAt: number
  /** The model and provider that served it, as the ledger names them. */
  model: string
  provider: string
  tag: string | null
  sessionId: string | null
}

/** Adds charges that are durable already to all that counts spend in memory, and alerts. */
export class Charging {
  readonly #limits: SpendLimits
  readonly #alerts: CapAlerts

  constructor(limits: SpendLimits, alerts: CapAlerts) {
    this.#limits = limits
    this.#alerts = alerts
  }

  /** `cost` may be negative, where an estimate is corrected. */
  charge(cost: NanoUsd, { key, createdAt, sessionId, ...what }: Charged): void {
    const of = { keyId: key.id, ...what }
    const meters = this.#limits.metersOfCharge(key, of, sessionId)
    let before: NanoUsd[] = []
    try {
      before = meters.map(({ spentNano }) => spentNano)
    } finally {
      // The charge is durable already: it must count, even if this fails.
      key.spendNano = addUsd(key.spendNano, cost)
      this.#limits.account.charge(cost, createdAt, of)
      this.#limits.chargeSession(key, of, sessionId, cost)
    }
    this.#alerts.charged(meters, before)
  }
}
