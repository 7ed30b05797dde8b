// Questions to the owner: a request waits before it is sent until the owner answers; what runs then may finish.
import { randomUUID } from 'node:crypto'
import type { KeyState } from '../../../gateway/keys/key-state.ts'
import { GatewayError, invalidRequest, notFound } from '../../../gateway/platform/errors.ts'
import { startWait, type Wait } from '../../../gateway/platform/wait.ts'
import { type Arrival, PermissionNeeded, type RequestHook } from '../../../gateway/request/run.ts'
import type { CommonServices } from '../../../gateway/settings/settings.ts'
import { DoesNotFitError, LimitReachedError } from '../../../gateway/spend/budget-errors.ts'
import { computeLeft, type Limit, type RunPlace } from '../../../gateway/spend/limit.ts'
import { exempt, type Subject } from '../../../gateway/spend/spend-limits.ts'
import { type NanoUsd, nanoToUsd, nanoUsd } from '../../../shared/money/money.ts'
import { clientName } from '../../../shared/values/client-name.ts'
import type { Approval, ApprovalDecision } from '../api/approvals.ts'
import { ApprovalAlerts } from './approval-alerts.ts'
import { type Exempt, LimitTopic, type LimitTopicDeps, RuleTopic, type Topic } from './topics.ts'

/** A request that needs an answer, or an agent that asks ahead. */
export interface Asker extends RunPlace {
  key: KeyState
  /** How the client identifies itself. */
  client: string | null
  /** The project; null for none. */
  tag: string | null
  model: string | null
  neededNano: NanoUsd
  reason: string | null
  signal: AbortSignal
  exempt: Exempt | null
}

interface Waiting {
  id: string
  asker: Asker
  wait: Wait<void>
  refuse(): void
}

interface Question {
  id: string
  topic: Topic
  createdAt: number
  expiresAt: number
  /** Never empty: the first one is shown, and is the one that `once` lets pass. */
  waiting: [Waiting, ...Waiting[]]
}

type State = Approval['state']

export interface ApprovalsDeps
  extends Pick<CommonServices, 'clock' | 'events' | 'settings'>,
    LimitTopicDeps {}

/** The questions that wait for the owner, one for each subject. */
export class Approvals implements RequestHook {
  readonly #deps: ApprovalsDeps
  readonly #alerts: ApprovalAlerts
  readonly #open = new Map<object, Question>()
  readonly #stopped = new WeakMap<Limit, number>()

  constructor(deps: ApprovalsDeps) {
    this.#deps = deps
    this.#alerts = new ApprovalAlerts(deps)
    deps.budget.onLimitsChanged(this.#withdraw)
  }

  /**
   * Waits until another attempt makes sense: the owner has allowed it, or what asks was reset or changed. Throws `error`, why the
   * request cannot go on, if no one is asked about that, the owner stops it or does not answer in time; and the signal's reason when
   * that aborts.
   */
  async removeObstacle(
    { call: { key, request, client, tag }, place, inFlight: { signal } }: Arrival,
    error: unknown,
    subject: Subject,
    neededNano: NanoUsd,
  ): Promise<void> {
    const topic = this.#findTopic(error)
    if (topic === null) throw error
    if (topic.isOver()) return
    const asker: Asker = {
      key,
      client,
      tag,
      ...place,
      model: request.model,
      reason: null,
      neededNano,
      signal,
      exempt: (limit) => exempt(subject, limit),
    }
    await this.#ask(topic, asker, error)
  }

  /**
   * Asks before a limit is reached. Resolves with what it leaves then. Throws 402 if that is not allowed, and 400 where only limits
   * of sessions or sub-agents ask, and the agent has not said which it is.
   */
  async askAhead(asker: Asker): Promise<number> {
    const { limits } = this.#deps.budget
    const limit = await limits.findAsking(asker)
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
    const topic = new LimitTopic(limit, this.#deps, this.#stopped)
    if (topic.isStopped) throw refusal
    await this.#ask(topic, asker, refusal)
    // Its owner has changed it instead of answering.
    if (!limits.isInEffect(limit)) return await this.askAhead(asker)
    return nanoToUsd(nanoUsd(Math.max(0, computeLeft(limit))))
  }

  list(): Approval[] {
    return [...this.#open.values()].map((question) => view(question, 'open'))
  }

  /** Throws 404 for one that is not open, 409 if the request that it showed has left, and 400 for an answer to another kind. */
  decide(id: string, decision: ApprovalDecision): Approval {
    const question = [...this.#open.values()].find((each) => each.id === id)
    if (!question)
      throw notFound('Nothing waits for this answer any more: it was given, or the requests have ended.')
    const { topic } = question
    if (decision.decision === 'stop') {
      topic.stop()
      return this.#end(question, 'stopped')
    }
    const [shown, ...others] = question.waiting
    if (shown.id !== decision.waiter) throw waiterLeft()
    if (decision.decision === 'once') {
      topic.allowOnce(shown.asker.exempt)
      shown.wait.resolve()
      return view(question, others.length === 0 ? 'allowed' : 'open')
    }
    topic.allow(decision.usd)
    return this.#end(question, 'allowed')
  }

  /** Null if the owner is not asked about it, or has stopped it. */
  #findTopic(error: unknown): Topic | null {
    if (error instanceof PermissionNeeded) {
      error.question.withdrawn.addEventListener('abort', this.#withdraw, { once: true })
      return new RuleTopic(error.question)
    }
    const isOfLimit = error instanceof LimitReachedError || error instanceof DoesNotFitError
    if (!isOfLimit || error.limit?.terms.action !== 'ask') return null
    const topic = new LimitTopic(error.limit, this.#deps, this.#stopped)
    return topic.isStopped ? null : topic
  }

  readonly #withdraw = (): void => {
    for (const question of [...this.#open.values()])
      if (question.topic.isOver()) this.#end(question, 'withdrawn')
  }

  #ask(topic: Topic, asker: Asker, error: unknown): Promise<void> {
    const { subject } = topic
    const { clock, settings } = this.#deps
    const now = clock.now()
    const askMs = settings.value.askSeconds * 1_000
    const endMs = topic.endsAt === null ? Infinity : Math.max(1, topic.endsAt - now)
    let state: State = 'withdrawn'
    const wait = startWait<void>({
      clock,
      signal: asker.signal,
      ms: Math.min(askMs, endMs),
      onTimeout: () => {
        if (endMs > askMs) state = 'expired'
        if (endMs <= askMs) wait.resolve()
        else wait.reject(error)
      },
      onEnd: () => {
        const [first, ...others] = question.waiting.filter((each) => each !== waiting)
        if (first) question.waiting = [first, ...others]
        if (first && this.#open.has(subject)) this.#publish(question, 'open')
        else if (!first && this.#open.delete(subject)) this.#publish(question, state)
      },
    })
    const waiting: Waiting = { id: `wait_${randomUUID()}`, asker, wait, refuse: () => wait.reject(error) }
    const openQuestion = this.#open.get(subject)
    const question = openQuestion ?? {
      id: `ask_${randomUUID()}`,
      topic,
      createdAt: now,
      expiresAt: now,
      waiting: [waiting],
    }
    question.expiresAt = now + askMs
    if (openQuestion) openQuestion.waiting.push(waiting)
    else this.#open.set(subject, question)
    this.#publish(question, 'open')
    const findOpen = () => (this.#open.get(subject) === question ? view(question, 'open') : null)
    if (!openQuestion) this.#alerts.announce(topic.place, findOpen)
    return wait.promise
  }

  /** Ends the waits: with another attempt, or a refusal if it was stopped. */
  #end(question: Question, state: State): Approval {
    this.#open.delete(question.topic.subject)
    const ended = view(question, state)
    for (const { wait, refuse } of [...question.waiting]) {
      if (state === 'stopped') refuse()
      else wait.resolve()
    }
    this.#deps.events.publish('approval', () => ({ type: 'approval', approval: ended }))
    return ended
  }

  #publish(question: Question, state: State): void {
    const approval = view(question, state)
    this.#deps.events.publish('approval', () => ({ type: 'approval', approval }))
  }
}

function view({ id, topic, createdAt, expiresAt, waiting }: Question, state: State): Approval {
  const [{ id: waiter, asker }] = waiting
  return {
    id,
    waiter,
    state,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    keyId: asker.key.id,
    keyName: asker.key.name,
    program: clientName(asker.client) || null,
    tag: asker.tag,
    sessionId: asker.sessionId,
    agentId: asker.agentId,
    ...topic.view(),
    model: asker.model,
    neededUsd: nanoToUsd(asker.neededNano),
    waiting: waiting.length,
    reason: asker.reason,
  }
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
