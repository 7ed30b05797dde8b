// The reference model of the ledger: what each key was charged, call by call. It takes from the gateway only what the
// contract leaves open: a cost within bounds.
import type { PlanId } from '../../../shared/account.ts'

export interface KeyModel {
  id: string
  secret: string
  /** Nano-dollars. */
  limit: number | null
  spent: number
  revoked: boolean
}

export interface ChargeModel {
  keyId: string
  nano: number
  createdAt: number
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

  charge(keyId: string, nano: number, createdAt: number): void {
    const key = this.keys.find(({ id }) => id === keyId)
    if (!key) throw new Error(`a charge for an unknown key: ${keyId}`)
    key.spent += nano
    this.charges.push({ keyId, nano, createdAt })
  }
}

/** The gateway broke a rule, unlike an error of the test program itself. */
class RuleBroken extends Error {
  override name = 'RuleBroken'
}

export function must(holds: boolean, rule: string): asserts holds {
  if (!holds) throw new RuleBroken(rule)
}
