// Limits with the action `ask`: a request waits before it is sent until the owner allows more; what runs then may finish. An amount that is allowed is for the
// current period, session or sub-agent. It is kept in memory: after a restart or a change of the limits, the owner is asked again.
import { randomUUID } from 'node:crypto'
import type { Approval, ApprovalDecision } from '../../shared/api/approvals.ts'
import { type NanoUsd, nanoToUsd, nanoUsd, usdToNano } from '../../shared/money/money.ts'
import type { KeyState } from '../keys/key-state.ts'
import { getTimers } from '../platform/clock.ts'
import { GatewayError, invalidRequest, notFound } from '../platform/errors.ts'
import { startWait, type Wait } from '../platform/wait.ts'
import type { CommonServices } from '../settings/settings.ts'
import type { AccountService } from './account.ts'
import type { Budget } from './budget.ts'
import { DoesNotFitError, LimitReachedError } from './budget-errors.ts'
import { computeLeft, ListedLimit } from './limit.ts'

const HOUR_MS = 60 * 60_000
/** After that, what was allowed beyond a rolling limit ends, as its spend does. */
const WINDOW_MS = { day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS, month: 30 * 24 * HOUR_MS }
/** Timers cannot wait longer. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** A request that has reached a limit, or an agent that asks ahead. */
export interface Asker {
  key: KeyState
  sessionId: string | null
  model: string | null
  neededNano: NanoUsd
  reason: string | null
  signal: AbortSignal
  /** Lets the request go on whatever it costs under the limit; null if no request waits. */
  exempt: ((limit: ListedLimit) => void) | null
}

interface Waiting {
  asker: Asker
  wait: Wait<void>
  refuse(): void
}

interface Question {
  id: string
  limit: ListedLimit
  createdAt: number
  expiresAt: number
  first: Asker
  waiting: Waiting[]
}

type State = Approval['state']

interface ApprovalsDeps extends Pick<CommonServices, 'clock' | 'events' | 'settings'> {
  budget: Budget
  account: AccountService
  announce(key: KeyState): void
}

/** The questions whether more may be spent, one for each limit that was reached. */
export class Approvals {
  readonly #deps: ApprovalsDeps
  readonly #open = new Map<ListedLimit, Question>()
  /** When the limits reset that may not be exceeded until then; null for those that do not reset by themselves. */
  readonly #stopped = new WeakMap<ListedLimit, number | null>()

  constructor(deps: ApprovalsDeps) {
    this.#deps = deps
    deps.budget.onLimitsChanged(() => {
      for (const question of [...this.#open.values()]) this.#end(question, 'withdrawn')
    })
  }

  /**
   * Waits until another attempt makes sense: the owner has allowed more, or the limit was reset or changed. Throws `error`, why
   * the request cannot go on, if its limit does not ask, the owner stops it or does not answer in time; and the signal's reason when
   * that aborts.
   */
  async waitForMore(error: unknown, asker: Asker): Promise<void> {
    const limit = findAskingLimit(error)
    if (limit === null || this.#isStopped(limit)) throw error
    await this.#ask(limit, asker, error)
  }

  /** Asks before a limit is reached. Resolves with what it leaves then; throws 402 if that is not allowed. */
  async askAhead(asker: Asker): Promise<number> {
    const limit = this.#deps.budget.limits.findAsking(asker)
    if (limit === null)
      throw invalidRequest('No limit of this key asks its owner: nothing has to be allowed ahead.')
    const refusal = new GatewayError({
      status: 402,
      code: 'not_allowed',
      message: 'The owner of this key was asked, and did not allow more.',
      headers: { 'x-should-retry': 'false' },
    })
    if (this.#isStopped(limit)) throw refusal
    await this.#ask(limit, asker, refusal)
    return nanoToUsd(nanoUsd(Math.max(0, computeLeft(limit))))
  }

  list(): Approval[] {
    return [...this.#open.values()].map((question) => this.#view(question, 'open'))
  }

  /** Throws 404 for one that is not open. */
  decide(id: string, decision: ApprovalDecision): Approval {
    const question = [...this.#open.values()].find((each) => each.id === id)
    if (!question)
      throw notFound('Nothing waits for this answer any more: it was given, or the requests have ended.')
    const { limit } = question
    if (decision.decision === 'once') return this.#letPass(question)
    if (decision.decision === 'allow') this.#allow(limit, usdToNano(decision.usd))
    else this.#stopped.set(limit, limit.period.resetsAt)
    return this.#end(question, decision.decision === 'allow' ? 'allowed' : 'stopped')
  }

  #allow(limit: ListedLimit, nano: NanoUsd): void {
    const { budget, clock } = this.#deps
    limit.allow(nano)
    const { per, window } = limit.terms
    if (window === 'rolling' && per in WINDOW_MS) {
      const ms = WINDOW_MS[per as keyof typeof WINDOW_MS]
      getTimers(clock)
        .setTimeout(() => limit.allow(nanoUsd(-nano)), Math.min(ms, MAX_TIMER_MS))
        .unref()
    }
    budget.wakeWaiters()
    if (limit.key) this.#deps.announce(limit.key)
    else this.#deps.account.announce()
  }

  #letPass(question: Question): Approval {
    const index = question.waiting.findIndex(({ asker }) => asker.exempt !== null)
    const passing = question.waiting[index]
    if (!passing)
      throw invalidRequest('No request waits: an agent has asked ahead. Allow an amount, or stop it.')
    passing.asker.exempt?.(question.limit)
    passing.wait.resolve()
    if (question.waiting.length === 0) return this.#view(question, 'allowed')
    return this.#view(question, 'open')
  }

  #isStopped(limit: ListedLimit): boolean {
    const until = this.#stopped.get(limit)
    if (until === undefined) return false
    if (until === limit.period.resetsAt) return true
    this.#stopped.delete(limit)
    return false
  }

  #ask(limit: ListedLimit, asker: Asker, error: unknown): Promise<void> {
    const { clock, settings } = this.#deps
    const now = clock.now()
    const askMs = settings.value.askSeconds * 1_000
    const { resetsAt } = limit.period
    const resetMs = resetsAt === null ? Infinity : Math.max(1, resetsAt - now)
    const question = this.#open.get(limit) ?? {
      id: `ask_${randomUUID()}`,
      limit,
      createdAt: now,
      expiresAt: now,
      first: asker,
      waiting: [],
    }
    question.expiresAt = now + askMs
    let state: State = 'withdrawn'
    const wait = startWait<void>({
      clock,
      signal: asker.signal,
      ms: Math.min(askMs, resetMs),
      onTimeout: () => {
        if (resetMs <= askMs) wait.resolve()
        else {
          state = 'expired'
          wait.reject(error)
        }
        return 0
      },
      onEnd: () => {
        question.waiting = question.waiting.filter((each) => each.wait !== wait)
        if (question.waiting.length === 0 && this.#open.delete(limit)) this.#publish(question, state)
        else if (this.#open.has(limit)) this.#publish(question, 'open')
      },
    })
    const isNew = question.waiting.length === 0
    question.waiting.push({ asker, wait, refuse: () => wait.reject(error) })
    this.#open.set(limit, question)
    const alert = this.#view(question, 'open')
    this.#deps.events.publish('approval', () => ({ type: 'approval', approval: alert }))
    if (isNew) this.#deps.events.publish('approval-alert', () => ({ type: 'approval-alert', alert }))
    return wait.promise
  }

  /** Ends the waits: with another attempt, or a refusal if it was stopped. */
  #end(question: Question, state: State): Approval {
    this.#open.delete(question.limit)
    const ended = this.#view(question, state)
    for (const { wait, refuse } of [...question.waiting]) {
      if (state === 'stopped') refuse()
      else wait.resolve()
    }
    this.#deps.events.publish('approval', () => ({ type: 'approval', approval: ended }))
    return ended
  }

  #publish(question: Question, state: State): void {
    this.#deps.events.publish('approval', () => ({ type: 'approval', approval: this.#view(question, state) }))
  }

  #view({ id, limit, createdAt, expiresAt, first, waiting }: Question, state: State): Approval {
    const { usd: _, ...terms } = limit.terms
    return {
      id,
      state,
      createdAt: new Date(createdAt).toISOString(),
      expiresAt: new Date(expiresAt).toISOString(),
      keyId: first.key.id,
      keyName: first.key.name,
      limit: { ...terms, index: limit.index },
      ofAccount: limit.key === null,
      limitUsd: nanoToUsd(nanoUsd(limit.limitNano)),
      spentUsd: nanoToUsd(limit.spentNano),
      sessionId: first.sessionId,
      model: first.model,
      neededUsd: nanoToUsd(first.neededNano),
      waiting: waiting.length,
      reason: first.reason,
    }
  }
}

function findAskingLimit(error: unknown): ListedLimit | null {
  const isOfLimit = error instanceof LimitReachedError || error instanceof DoesNotFitError
  if (!isOfLimit || !(error.limit instanceof ListedLimit)) return null
  return error.limit.terms.action === 'ask' ? error.limit : null
}
