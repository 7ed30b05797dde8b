import {
  type Account,
  type AccountUpdate,
  type Plan,
  type PlanId,
  PlanId as PlanIdSchema,
  type PlanLimits,
} from '../../shared/api/account.ts'
import { findMain, mergeLimits } from '../../shared/api/main-limit.ts'
import {
  type AccountSpendLimit,
  type AccountSpendLimitState,
  AccountSpendLimits,
} from '../../shared/api/spend-limits.ts'
import { MAIN_PERIOD } from '../../shared/api/terms.ts'
import { type NanoUsd, nanoToUsd, usdToNano, ZERO_USD } from '../../shared/money/money.ts'
import { formatTime } from '../platform/clock.ts'
import { omitUndefined } from '../platform/fields.ts'
import { SerialQueue } from '../platform/wait.ts'
import { type CommonServices, PauseSwitch } from '../settings/settings.ts'
import { SpendTracker } from './spend-tracker.ts'

/** Knows what is spent under the limits of the account. */
interface AccountLimits {
  ofAccount: { states(): AccountSpendLimitState[] }
}

/**
 * What is spent and reserved in all, up to which requests are admitted. Sums are exact up to about 9 million USD: this leaves
 * room for ten requests that cost the most, whatever they have reserved.
 */
const CAPACITY_NANO = usdToNano(8_000_000)

interface AccountDeps extends Omit<CommonServices, 'log'> {
  limits: AccountLimits
}

/** The account: its plan, its total and monthly spend, its limits. Sample costs are in none of its amounts. */
export class AccountService {
  readonly #deps: AccountDeps
  readonly pauseSwitch: PauseSwitch
  #planId: PlanId
  /** The plan with the user's rate limits, as long as these are not changed. */
  #plan: { value: Plan; limits: PlanLimits } | null = null
  /** The limits that were set last. */
  spendLimits: readonly AccountSpendLimit[]
  readonly #changes = new SerialQueue()
  readonly counters: SpendTracker
  reservedNano: NanoUsd = ZERO_USD

  /** `spendNano`: the total spend as stored, with sample costs. */
  constructor(deps: AccountDeps, spendNano: NanoUsd) {
    const { store, clock, settings } = deps
    this.#deps = deps
    this.pauseSwitch = new PauseSwitch(
      { store, clock, onChange: () => this.announce() },
      settings.stored(PauseSwitch.setting),
    )
    this.counters = new SpendTracker(store, clock, spendNano, () => this.announce())
    const plan = PlanIdSchema.safeParse(settings.stored('plan'))
    this.#planId = plan.success ? plan.data : 'pay-as-you-go'
    const limits = AccountSpendLimits.safeParse(settings.stored('spendLimits'))
    this.spendLimits = limits.success ? limits.data : []
  }

  get plan(): Plan {
    const { planLimits: limits } = this.#deps.settings.value
    if (this.#plan?.limits !== limits || this.#plan.value.id !== this.#planId)
      this.#plan = { value: planById(this.#planId, limits), limits }
    return this.#plan.value
  }

  plans(): Plan[] {
    return applyPlanLimits(this.#deps.settings.value.planLimits)
  }

  /** Whether the account's limits are strict for every key. */
  get strictLimits(): boolean {
    return this.#deps.settings.value.strictLimits
  }

  get isLedgerFull(): boolean {
    return this.counters.totalNano >= CAPACITY_NANO
  }

  /** The rest of the ledger's capacity beyond all that is spent and reserved. */
  get roomNano(): number {
    return CAPACITY_NANO - this.counters.totalNano - this.reservedNano
  }

  /** Epoch milliseconds; null while requests are sent. */
  get pausedAt(): number | null {
    return this.pauseSwitch.pausedAt
  }

  /**
   * To be called at start and when the time zone changes: sets the zone of the daily rollups, and reads the spend of the
   * current day and month from them.
   */
  recount(): Promise<void> {
    return this.counters.recount(this.#deps.settings.timeZone)
  }

  close(): void {
    this.counters.close()
    this.pauseSwitch.close()
  }

  /** One after another: each change of limits builds on the one before. */
  update({ plan, monthlyLimitUsd: mainUsd, spendLimits: limits }: AccountUpdate): Promise<Account> {
    return this.#changes.run(async () => {
      const spendLimits = mergeLimits(this.spendLimits, { mainUsd, limits }, MAIN_PERIOD.account)
      await this.#deps.store.write('putSettings', [
        ...(plan === undefined ? [] : [{ name: 'plan', value: plan }]),
        ...(spendLimits === this.spendLimits ? [] : [{ name: 'spendLimits', value: spendLimits }]),
      ])
      if (plan !== undefined) this.#planId = plan
      this.spendLimits = spendLimits
      this.announce()
      return this.view()
    })
  }

  view(): Account {
    const { month, day, lifetime, zone } = this.counters
    return {
      plan: this.#planId,
      spendUsd: nanoToUsd(lifetime.spentNano),
      reservedUsd: nanoToUsd(this.reservedNano),
      monthSpendUsd: nanoToUsd(month.spentNano),
      monthlyLimitUsd: findMain(this.spendLimits, MAIN_PERIOD.account)?.usd ?? null,
      monthStartsAt: new Date(month.span.start).toISOString(),
      monthResetsAt: new Date(month.span.end).toISOString(),
      todaySpendUsd: nanoToUsd(day.spentNano),
      spendLimits: this.#deps.limits.ofAccount.states(),
      timeZone: zone,
      pausedAt: formatTime(this.pausedAt),
    }
  }

  announce(): void {
    this.#deps.events.publish('account', () => ({ type: 'account', account: this.view() }))
  }
}

// The account's plan decides the discount and the rate limits.

const PLANS: Readonly<Record<PlanId, Omit<Plan, 'id'>>> = {
  'pay-as-you-go': {
    name: 'Pay as you go',
    monthlyUsd: 0,
    discountPercent: 0,
    requestsPerMinute: 3_000,
    tokensPerMinute: 10_000_000,
  },
  bundle: {
    name: 'Bundle',
    monthlyUsd: 99,
    discountPercent: 20,
    requestsPerMinute: 10_000,
    tokensPerMinute: 30_000_000,
  },
}

/** The plans with the user's own rate limits. */
export function applyPlanLimits(limits: PlanLimits): Plan[] {
  return [planById('pay-as-you-go', limits), planById('bundle', limits)]
}

export function planById(id: PlanId, limits: PlanLimits): Plan {
  return { id, ...PLANS[id], ...omitUndefined(limits[id] ?? {}) }
}
