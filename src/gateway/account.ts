// Owns the account: its plan, its lifetime and month spend, its monthly limit. Knows nothing of single requests.
import type { Account, AccountUpdate, Plan, PlanId } from '../shared/account.ts'
import { PlanId as PlanIdSchema } from '../shared/account.ts'
import { dayOf, monthOf, type Span } from '../shared/calendar.ts'
import { addUsd, type NanoUsd, nanoToUsd, nanoUsd, usdToNano, ZERO_USD } from '../shared/money.ts'
import type { Clock } from './clock.ts'
import type { EventHub } from './events.ts'
import { planById, plansWith } from './plans.ts'
import type { Settings } from './settings.ts'
import type { Store } from './store/store.ts'

/** A calendar span, begun anew when it is over. What was spent in it is all that was spent but `otherNano`. */
interface Period {
  span: Span
  zone: string
  /** What of the account's spend does not belong to the span. */
  otherNano: NanoUsd
}

export class AccountBook {
  readonly #store: Store
  readonly #clock: Clock
  readonly #events: EventHub
  readonly #settings: Settings
  #planId: PlanId
  #monthlyLimitUsd: number | null
  #spendNano: NanoUsd
  #month: Period = { span: { start: 0, end: 0 }, zone: '', otherNano: ZERO_USD }
  #day: Period = { span: { start: 0, end: 0 }, zone: '', otherNano: ZERO_USD }
  reservedNano: NanoUsd = ZERO_USD

  constructor(store: Store, clock: Clock, events: EventHub, settings: Settings, spendNano: NanoUsd) {
    this.#store = store
    this.#clock = clock
    this.#events = events
    this.#settings = settings
    this.#spendNano = spendNano
    const plan = PlanIdSchema.safeParse(settings.stored('plan'))
    this.#planId = plan.success ? plan.data : 'pay-as-you-go'
    const limit = settings.stored('monthlyLimitUsd')
    this.#monthlyLimitUsd = typeof limit === 'number' ? limit : null
  }

  get plan(): Plan {
    return planById(this.#planId, this.#settings.value.planLimits)
  }

  plans(): Plan[] {
    return plansWith(this.#settings.value.planLimits)
  }

  get monthSpendNano(): NanoUsd {
    this.#roll()
    return this.#spentIn(this.#month)
  }

  /** Null without a monthly limit. */
  get monthlyLimitNano(): NanoUsd | null {
    return this.#monthlyLimitUsd === null ? null : usdToNano(this.#monthlyLimitUsd)
  }

  /**
   * At start, and when the time zone changes: has the ledger sum up that zone's days, and reads the current day's and
   * month's spend from it.
   */
  async recount(): Promise<void> {
    const zone = this.#settings.timeZone
    await this.#store.write('keepDaysIn', zone)
    const now = this.#clock.now()
    const month = monthOf(now, zone)
    const day = dayOf(now, zone)
    // Charges go on meanwhile. One moment's difference between all spend and the span's stays right whether the charges
    // around it are told to this process before the answer or after it.
    const { accountNano, spentNano } = await this.#store.read('spendIn', [month, day])
    const [monthNano = ZERO_USD, dayNano = ZERO_USD] = spentNano
    this.#month = { span: month, zone, otherNano: nanoUsd(accountNano - monthNano) }
    this.#day = { span: day, zone, otherNano: nanoUsd(accountNano - dayNano) }
  }

  /** Adds a settled charge. It belongs to the day and month in which its request began. */
  charge(cost: NanoUsd, createdAt: number): void {
    this.#roll()
    this.#spendNano = addUsd(this.#spendNano, cost)
    for (const period of [this.#month, this.#day]) {
      if (createdAt < period.span.start) period.otherNano = addUsd(period.otherNano, cost)
    }
  }

  async update(patch: AccountUpdate): Promise<Account> {
    const { plan, monthlyLimitUsd } = patch
    const named = Object.entries(patch).filter(([, value]) => value !== undefined)
    const changes = named.map(([name, value]) => ({ name, value }))
    await this.#store.write('putSettings', changes)
    if (plan !== undefined) this.#planId = plan
    if (monthlyLimitUsd !== undefined) this.#monthlyLimitUsd = monthlyLimitUsd
    this.announce()
    return this.view()
  }

  view(): Account {
    this.#roll()
    return {
      plan: this.#planId,
      spendUsd: nanoToUsd(this.#spendNano),
      reservedUsd: nanoToUsd(this.reservedNano),
      monthSpendUsd: nanoToUsd(this.#spentIn(this.#month)),
      monthlyLimitUsd: this.#monthlyLimitUsd,
      monthStartsAt: new Date(this.#month.span.start).toISOString(),
      monthResetsAt: new Date(this.#month.span.end).toISOString(),
      todaySpendUsd: nanoToUsd(this.#spentIn(this.#day)),
      timeZone: this.#month.zone,
    }
  }

  announce(): void {
    this.#events.publish(() => ({ type: 'account', account: this.view() }))
  }

  #spentIn({ otherNano }: Period): NanoUsd {
    return nanoUsd(this.#spendNano - otherNano)
  }

  /** A wall clock that goes back does not reopen a past month: spans only move forward. */
  #roll(): void {
    const now = this.#clock.now()
    const { zone } = this.#month
    const otherNano = this.#spendNano
    if (now >= this.#month.span.end) this.#month = { span: monthOf(now, zone), zone, otherNano }
    if (now >= this.#day.span.end) this.#day = { span: dayOf(now, zone), zone, otherNano }
  }
}
