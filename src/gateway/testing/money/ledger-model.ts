// The reference model of the ledger: what each key was charged, call by call. It takes from the gateway only what the
// contract leaves open: a cost within bounds.
import type { PlanId } from '../../../shared/account.ts'
import { type AccountLimitModel, type ChargeModel, type LimitModel, spentUnder } from './limit-model.ts'

export interface KeyModel {
  id: string
  secret: string
  /** Nano-dollars. */
  limit: number | null
  /** Those per period and session. */
  limits: readonly LimitModel[]
  /** Of calls that name none. */
  project: string | null
  spent: number
  revoked: boolean
  paused: boolean
}

export class LedgerModel {
  readonly keys: KeyModel[] = []
  readonly charges: ChargeModel[] = []
  /** Nano-dollars; null for none. */
  monthlyLimit: number | null = null
  accountLimits: readonly AccountLimitModel[] = []
  /** Every key is paused. */
  paused = false
  plan: PlanId = 'pay-as-you-go'
  #calls = 0

  nextTag(): string {
    this.#calls += 1
    return `call-${this.#calls}`
  }

  get usable(): KeyModel[] {
    return this.keys.filter(({ revoked }) => !revoked)
  }

  /** Each session once. */
  get sessions(): Pick<ChargeModel, 'keyId' | 'session'>[] {
    const each = new Map(
      this.charges.map(({ keyId, session }) => [`${keyId} ${session}`, { keyId, session }]),
    )
    return [...each.values()]
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

  /** Keys whose running calls no limit can stop. */
  get unlimited(): KeyModel[] {
    if (this.monthlyLimit !== null || this.accountLimits.length > 0 || this.paused) return []
    return this.usable.filter(({ limit, limits, paused }) => limit === null && limits.length === 0 && !paused)
  }

  /** What a key has spent under one of its limits. `session`: the one whose spend counts, if it is a limit per session. */
  spentUnder({ id }: KeyModel, limit: LimitModel, now: number, session: string | null = null): number {
    const own = this.charges.filter(
      (charge) => charge.keyId === id && (limit.per !== 'session' || charge.session === session),
    )
    return spentUnder(limit, own, now)
  }

  /** What all keys have spent under a limit of the account. A session belongs to a key. */
  spentByAll(limit: AccountLimitModel, now: number, of?: Pick<ChargeModel, 'keyId' | 'session'>): number {
    const counted = this.charges.filter(
      ({ keyId, session, project }) =>
        (limit.project === null || limit.project === project) &&
        (limit.per !== 'session' || (keyId === of?.keyId && session === of.session)),
    )
    return spentUnder(limit, counted, now)
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
