// The reference model of the ledger: what each key was charged, call by call. It takes from the gateway only what the
// contract leaves open: a cost within bounds.
import type { PlanId } from '../../../shared/account.ts'
import { type ChargeModel, type LimitModel, spentUnder } from './limit-model.ts'

export interface KeyModel {
  id: string
  secret: string
  /** Nano-dollars. */
  limit: number | null
  /** Those per period. */
  limits: readonly LimitModel[]
  spent: number
  revoked: boolean
}

export class LedgerModel {
  readonly keys: KeyModel[] = []
  readonly charges: ChargeModel[] = []
  /** Nano-dollars; null for none. */
  monthlyLimit: number | null = null
  plan: PlanId = 'pay-as-you-go'
  #calls = 0

  nextTag(): string {
    this.#calls += 1
    return `call-${this.#calls}`
  }

  get usable(): KeyModel[] {
    return this.keys.filter(({ revoked }) => !revoked)
  }

  get spent(): number {
    return this.keys.reduce((sum, { spent }) => sum + spent, 0)
  }

  /** The sum of the charges for calls that started in the period. */
  spentBetween(from: number, to: number): number {
    return this.charges
      .filter(({ createdAt }) => createdAt >= from && createdAt < to)
      .reduce((sum, { nano }) => sum + nano, 0)
  }

  /** Cost after the plan's discount, rounded half up once. */
  discounted(nano: number): number {
    return this.plan === 'bundle' ? Math.floor((nano * 80 + 50) / 100) : nano
  }

  /** What a key has spent under a limit per period. */
  spentUnder({ id }: KeyModel, limit: LimitModel, now: number): number {
    const own = this.charges.filter(({ keyId }) => keyId === id)
    return spentUnder(limit, own, now)
  }

  charge(charge: ChargeModel): void {
    const key = this.keys.find(({ id }) => id === charge.keyId)
    if (!key) throw new Error(`a charge for an unknown key: ${charge.keyId}`)
    key.spent += charge.nano
    this.charges.push(charge)
  }
}

/** The gateway broke a rule, unlike an error of the test program itself. */
class RuleBroken extends Error {
  override name = 'RuleBroken'
}

export function must(holds: boolean, rule: string): asserts holds {
  if (!holds) throw new RuleBroken(rule)
}
