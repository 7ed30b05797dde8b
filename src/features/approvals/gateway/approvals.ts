// Limits with the action `ask`: a request waits before it is sent until the owner allows more; what runs then may finish. An amount
// that is allowed is for the current period, session or sub-agent. It is kept in memory: after a restart or a change of the limit,
// the owner is asked again.
import { randomUUID } from 'node:crypto'
import type { KeyState } from '../../../gateway/keys/key-state.ts'
import { getTimers } from '../../../gateway/platform/clock.ts'
import { GatewayError, invalidRequest, notFound } from '../../../gateway/platform/errors.ts'
import { startWait, type Wait } from '../../../gateway/platform/wait.ts'
import type { Arrival, RequestHook } from '../../../gateway/request/run.ts'
import type { CommonServices } from '../../../gateway/settings/settings.ts'
import type { AccountService } from '../../../gateway/spend/account.ts'
import type { Budget } from '../../../gateway/spend/budget.ts'
import { DoesNotFitError, LimitReachedError } from '../../../gateway/spend/budget-errors.ts'
import { computeLeft, type Limit, type RunPlace } from '../../../gateway/spend/limit.ts'
import { exempt, type Subject } from '../../../gateway/spend/spend-limits.ts'
import { type NanoUsd, nanoToUsd, nanoUsd, usdToNano } from '../../../shared/money/money.ts'
import type { Approval, ApprovalDecision } from '../api/approvals.ts'
import { ApprovalAlerts } from './approval-alerts.ts'

const HOUR_MS = 60 * 60_000
/** After that, what was allowed beyond a rolling limit ends, as its spend does. */
const WINDOW_MS = { day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS, month: 30 * 24 * HOUR_MS }
/** Timers cannot wait longer. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** A request that has reached a limit, or an agent that asks ahead. */
export interface Asker extends RunPlace {
  key: KeyState
  model: string | null
  neededNano: NanoUsd
  reason: string | null
  signal: AbortSignal
  /** Lets the request go on whatever it costs under the limit; null if no request waits. */
  exempt: ((limit: Limit) => void) | null
}

interface Waiting {
  id: string
  asker: Asker
  wait: Wait<void>
  refuse(): void
}

interface Question {
  id: string
  limit: Limit
  createdAt: number
  expiresAt: number
  /** Never empty: the first one is shown, and is the one that `once` lets pass. */
  waiting: [Waiting, ...Waiting[]]
}

type State = Approval['state']

export interface ApprovalsDeps extends Pick<CommonServices, 'clock' | 'events' | 'settings'> {
  budget: Budget
  account: AccountService
  announce(key: KeyState): void
}

/** The questions whether more may be spent, one for each limit that was reached. */
export class Approvals implements RequestHook {
  readonly #deps: ApprovalsDeps
  readonly #alerts: ApprovalAlerts
  readonly #open = new Map<Limit, Question>()
  /** Until when the limits may not be exceeded, in epoch milliseconds: to the end of their period. */
  readonly #stopped = new WeakMap<Limit, number>()

  constructor(deps: ApprovalsDeps) {
    this.#deps = deps
    this.#alerts = new ApprovalAlerts(deps)
    deps.budget.onLimitsChanged(() => {
      for (const question of [...this.#open.values()])
        if (!deps.budget.limits.isInEffect(question.limit)) this.#end(question, 'withdrawn')
    })
  }

  /**
   * Waits until another attempt makes sense: the owner has allowed more, or the limit was reset or changed. Throws `error`, why
   * the request cannot go on, if its limit does not ask, the owner stops it or does not answer in time; and the signal's reason when
   * that aborts.
   */
  async makeRoom(
    { call: { key, request }, place, inFlight: { signal } }: Arrival,
    error: unknown,
    subject: Subject,
    neededNano: NanoUsd,
  ): Promise<void> {
    const limit = findAskingLimit(error)
    if (limit === null || this.#isStopped(limit)) throw error
    const asker: Asker = {
      key,
      ...place,
      model: request.model,
      reason: null,
      neededNano,
      signal,
      exempt: (passed) => exempt(subject, passed),
    }
    await this.#ask(limit, asker, error)
  }

  /**
   * Asks before a limit is reached. Resolves with what it leaves then. Throws 402 if that is not allowed, and 400 where only limits
   * of sessions or sub-agents ask, and the agent has not said which it is.
   */
  async askAhead(asker: Asker): Promise<number> {
    const limit = await this.#deps.budget.limits.findAsking(asker)
    if (limit === null)
      throw invalidRequest(
        'No limit asks the owner of this key about this session: nothing has to be allowed ahead. For a limit per session or sub-agent, send the headers that name them, as with requests to models.',
      )
    const refusal = new GatewayError({
      status: 402,
      code: 'not_allowed',
      message: 'The owner of this key was asked, and did not allow more.',
      headers: { 'x-should-retry': 'false' },
    })
    if (this.#isStopped(limit)) throw refusal
    await this.#ask(limit, asker, refusal)
    // Its owner has changed it instead of answering.
    if (!this.#deps.budget.limits.isInEffect(limit)) return await this.askAhead(asker)
    return nanoToUsd(nanoUsd(Math.max(0, computeLeft(limit))))
  }

  list(): Approval[] {
    return [...this.#open.values()].map((question) => this.#view(question, 'open'))
  }

  /** Throws 404 for one that is not open, and 409 if the request that it showed has left. */
  decide(id: string, decision: ApprovalDecision): Approval {
    const question = [...this.#open.values()].find((each) => each.id === id)
    if (!question)
      throw notFound('Nothing waits for this answer any more: it was given, or the requests have ended.')
    const { limit } = question
    const { clock } = this.#deps
    if (decision.decision === 'stop') {
      const end = limit.period.resetsAt ?? clock.now() + getWindowMs(limit)
      this.#stopped.set(limit, end)
      return this.#end(question, 'stopped')
    }
    const [shown] = question.waiting
    if (shown.id !== decision.waiter) throw waiterLeft()
    if (decision.decision === 'once') return this.#letPass(question)
    this.#allow(limit, usdToNano(decision.usd))
    return this.#end(question, 'allowed')
  }

  #allow(limit: Limit, nano: NanoUsd): void {
    const { budget, clock } = this.#deps
    limit.allow(nano)
    const ms = getWindowMs(limit)
    if (ms !== Infinity)
      getTimers(clock)
        .setTimeout(() => limit.allow(nanoUsd(-nano)), Math.min(ms, MAX_TIMER_MS))
        .unref()
    budget.wakeWaiters()
    if (limit.key) this.#deps.announce(limit.key)
    else this.#deps.account.announce()
  }

  #letPass(question: Question): Approval {
    const [{ asker, wait }, ...others] = question.waiting
    if (asker.exempt === null)
      throw invalidRequest('No request waits: an agent has asked ahead. Allow an amount, or stop it.')
    asker.exempt(question.limit)
    wait.resolve()
    return this.#view(question, others.length === 0 ? 'allowed' : 'open')
  }

  #isStopped(limit: Limit): boolean {
    const until = this.#stopped.get(limit)
    if (until === undefined) return false
    const { resetsAt } = limit.period
    if (resetsAt === null ? this.#deps.clock.now() < until : until === resetsAt) return true
    this.#stopped.delete(limit)
    return false
  }

  #ask(limit: Limit, asker: Asker, error: unknown): Promise<void> {
    const { clock, settings } = this.#deps
    const now = clock.now()
    const askMs = settings.value.askSeconds * 1_000
    const { resetsAt } = limit.period
    const resetMs = resetsAt === null ? Infinity : Math.max(1, resetsAt - now)
    let state: State = 'withdrawn'
    const wait = startWait<void>({
      clock,
      signal: asker.signal,
      ms: Math.min(askMs, resetMs),
      onTimeout: () => {
        if (resetMs > askMs) state = 'expired'
        if (resetMs <= askMs) wait.resolve()
        else wait.reject(error)
      },
      onEnd: () => {
        const [first, ...others] = question.waiting.filter((each) => each !== waiting)
        if (first) question.waiting = [first, ...others]
        if (first && this.#open.has(limit)) this.#publish(question, 'open')
        else if (!first && this.#open.delete(limit)) this.#publish(question, state)
      },
    })
    const waiting: Waiting = { id: `wait_${randomUUID()}`, asker, wait, refuse: () => wait.reject(error) }
    const openQuestion = this.#open.get(limit)
    const question = openQuestion ?? {
      id: `ask_${randomUUID()}`,
      limit,
      createdAt: now,
      expiresAt: now,
      waiting: [waiting],
    }
    question.expiresAt = now + askMs
    if (openQuestion) openQuestion.waiting.push(waiting)
    else this.#open.set(limit, question)
    this.#publish(question, 'open')
    const findOpen = () => (this.#open.get(limit) === question ? this.#view(question, 'open') : null)
    if (!openQuestion) this.#alerts.announce(limit, findOpen)
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
    const approval = this.#view(question, state)
    this.#deps.events.publish('approval', () => ({ type: 'approval', approval }))
  }

  #view({ id, limit, createdAt, expiresAt, waiting }: Question, state: State): Approval {
    const { usd: _, ...terms } = limit.terms
    const [{ id: waiter, asker }] = waiting
    return {
      id,
      waiter,
      state,
      createdAt: new Date(createdAt).toISOString(),
      expiresAt: new Date(expiresAt).toISOString(),
      keyId: asker.key.id,
      keyName: asker.key.name,
      limit: { ...terms, index: limit.index },
      ofAccount: limit.key === null,
      limitUsd: nanoToUsd(nanoUsd(limit.limitNano)),
      spentUsd: nanoToUsd(limit.spentNano),
      sessionId: asker.sessionId,
      model: asker.model,
      neededUsd: nanoToUsd(asker.neededNano),
      waiting: waiting.length,
      reason: asker.reason,
    }
  }
}

/** Milliseconds until what counts under a rolling limit counts no more; Infinity for others. */
function getWindowMs({ terms: { per, window } }: Limit): number {
  return window === 'rolling' && per in WINDOW_MS ? WINDOW_MS[per as keyof typeof WINDOW_MS] : Infinity
}

function waiterLeft(): GatewayError {
  return new GatewayError({
    status: 409,
    code: 'waiter_left',
    message:
      'The request that was shown has left, and another one waits now. Look at it (GET /v1/approvals), and answer again.',
    param: 'waiter',
  })
}

function findAskingLimit(error: unknown): Limit | null {
  const isOfLimit = error instanceof LimitReachedError || error instanceof DoesNotFitError
  return isOfLimit && error.limit?.terms.action === 'ask' ? error.limit : null
}
