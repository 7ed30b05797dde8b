// What the owner may be asked about, and the effect of each answer: a limit that is reached, or a rule that needs permission.
import type { KeyState } from '../../../gateway/keys/key-state.ts'
import { type Clock, getTimers } from '../../../gateway/platform/clock.ts'
import { invalidRequest } from '../../../gateway/platform/errors.ts'
import type { OwnerQuestion } from '../../../gateway/request/run.ts'
import type { AccountService } from '../../../gateway/spend/account.ts'
import type { Budget } from '../../../gateway/spend/budget.ts'
import type { Limit } from '../../../gateway/spend/limit.ts'
import { nanoToUsd, nanoUsd, usdToNano } from '../../../shared/money/money.ts'
import type { ApprovalTopic } from '../api/approvals.ts'

const HOUR_MS = 60 * 60_000
/** After that, what was allowed beyond a rolling limit ends, as its spend does. */
const WINDOW_MS = { day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS, month: 30 * 24 * HOUR_MS }
/** Timers cannot wait longer. */
const MAX_TIMER_MS = 2 ** 31 - 1

export interface Topic {
  /** One object stands for all requests that wait for one answer. */
  readonly subject: object
  /** Each place alerts at most once a minute. */
  readonly place: string
  /** When its requests may go on without an answer, in epoch milliseconds; null for never. */
  readonly endsAt: number | null
  /** Whether no answer is needed any more. */
  isOver(): boolean
  view(): ApprovalTopic
  /** Throws 400 without the amount that it needs, or with one that it has no use for. */
  allow(usd: number | undefined): void
  /** Lets a request go on, whatever it costs. `exempt`: of that request; null if none waits. Throws 400 if that cannot be. */
  allowOnce(exempt: Exempt | null): void
  stop(): void
}

/** Lets a request go on whatever it costs under the limit. */
export type Exempt = (limit: Limit) => void

export interface LimitTopicDeps {
  clock: Clock
  budget: Budget
  account: AccountService
  announce(key: KeyState): void
}

/**
 * A limit with the action `ask`. An amount that is allowed is for the current period, session or sub-agent. It is kept in memory:
 * after a restart or a change of the limit, the owner is asked again.
 */
export class LimitTopic implements Topic {
  readonly subject: Limit
  readonly #deps: LimitTopicDeps
  /** Until when limits may not be exceeded, in epoch milliseconds: to the end of their period. */
  readonly #stopped: WeakMap<Limit, number>

  constructor(limit: Limit, deps: LimitTopicDeps, stopped: WeakMap<Limit, number>) {
    this.subject = limit
    this.#deps = deps
    this.#stopped = stopped
  }

  get place(): string {
    return `${this.subject.key?.id ?? 'account'} ${this.subject.index}`
  }

  get endsAt(): number | null {
    return this.subject.period.resetsAt
  }

  get isStopped(): boolean {
    const until = this.#stopped.get(this.subject)
    if (until === undefined) return false
    if (this.endsAt === null ? this.#deps.clock.now() < until : until === this.endsAt) return true
    this.#stopped.delete(this.subject)
    return false
  }

  isOver(): boolean {
    return !this.#deps.budget.limits.isInEffect(this.subject)
  }

  view(): ApprovalTopic {
    const { key, index, limitNano, spentNano } = this.subject
    const { usd: _, ...terms } = this.subject.terms
    return {
      kind: 'limit',
      limit: { ...terms, index },
      ofAccount: key === null,
      limitUsd: nanoToUsd(nanoUsd(limitNano)),
      spentUsd: nanoToUsd(spentNano),
    }
  }

  allow(usd: number | undefined): void {
    if (usd === undefined)
      throw invalidRequest('Say in "usd" how much more may be spent under this limit.', { param: 'usd' })
    const { budget, clock, account, announce } = this.#deps
    const limit = this.subject
    const nano = usdToNano(usd)
    limit.allow(nano)
    const ms = getWindowMs(limit)
    if (ms !== Infinity)
      getTimers(clock)
        .setTimeout(() => limit.allow(nanoUsd(-nano)), Math.min(ms, MAX_TIMER_MS))
        .unref()
    budget.wakeWaiters()
    if (limit.key) announce(limit.key)
    else account.announce()
  }

  allowOnce(exempt: Exempt | null): void {
    if (exempt === null)
      throw invalidRequest('No request waits: an agent has asked ahead. Allow an amount, or stop it.')
    exempt(this.subject)
  }

  stop(): void {
    this.#stopped.set(this.subject, this.endsAt ?? this.#deps.clock.now() + getWindowMs(this.subject))
  }
}

/** Milliseconds until what counts under a rolling limit counts no more; Infinity for others. */
function getWindowMs({ terms: { per, window } }: Limit): number {
  return window === 'rolling' && per in WINDOW_MS ? WINDOW_MS[per as keyof typeof WINDOW_MS] : Infinity
}

/** A rule that needs permission for a session or a sub-agent. */
export class RuleTopic implements Topic {
  readonly subject: OwnerQuestion
  readonly endsAt = null

  constructor(question: OwnerQuestion) {
    this.subject = question
  }

  get place(): string {
    return this.subject.rule.id
  }

  isOver(): boolean {
    return this.subject.withdrawn.aborted
  }

  view(): ApprovalTopic {
    return { kind: 'rule', rule: { ...this.subject.rule } }
  }

  allow(usd: number | undefined): void {
    if (usd !== undefined)
      throw invalidRequest('A rule asks for permission, not for an amount: leave out "usd".', {
        param: 'usd',
      })
    this.subject.answer(true)
  }

  allowOnce(): never {
    throw invalidRequest('A rule asks once for all requests of a session or sub-agent: allow it, or stop it.')
  }

  stop(): void {
    this.subject.answer(false)
  }
}
