// The money of batches. The most that a batch may cost is reserved before it is sent, held under every limit that stops its key,
// also over restarts, and released line by line as these are charged.

import type { ApiKeys } from '../../../gateway/keys/api-keys.ts'
import type { KeyState } from '../../../gateway/keys/key-state.ts'
import type { SessionLog } from '../../../gateway/observe/request-log/session-log.ts'
import { formatTime } from '../../../gateway/platform/clock.ts'
import { GatewayError, invalidRequest, notFound } from '../../../gateway/platform/errors.ts'
import { newRequestId } from '../../../gateway/platform/ids.ts'
import type { Ledger } from '../../../gateway/request/ledger.ts'
import type { CommonServices } from '../../../gateway/settings/settings.ts'
import type { AccountService } from '../../../gateway/spend/account.ts'
import type { Budget } from '../../../gateway/spend/budget.ts'
import { nameOwned } from '../../../gateway/spend/budget-errors.ts'
import type { Charging } from '../../../gateway/spend/cap-alerts.ts'
import { findTightest } from '../../../gateway/spend/limit.ts'
import type { Reservation } from '../../../gateway/spend/reservation.ts'
import type { Subject } from '../../../gateway/spend/spend-limits.ts'
import type { LiveEvent } from '../../../shared/api/events.ts'
import { formatUsd } from '../../../shared/money/format-usd.ts'
import { nanoToUsd, nanoUsd, ZERO_USD } from '../../../shared/money/money.ts'
import type { BatchJob } from '../api/batches.ts'
import { computeMost, toBatchOffer } from './batch-price.ts'
import type { BatchChange, BatchDetails, BatchLine, FileLine, LineEnd, StoredBatch } from './batch-rows.ts'

export interface JobDeps extends CommonServices {
  account: AccountService
  budget: Budget
  charging: Charging
  keys: ApiKeys
  ledger: Ledger
  sessionLog: SessionLog
}

/** A batch that is not settled. */
export interface Job {
  batch: StoredBatch
  /** Whether its provider is being asked to create it. */
  isLive: boolean
  readonly key: KeyState
  readonly reservation: Reservation
}

/** A batch before its lines are known to fit under the limits. */
export interface BatchDraft
  extends Pick<
    StoredBatch,
    'id' | 'keyId' | 'createdAt' | 'provider' | 'credential' | 'object' | 'details'
  > {}

/** Rows that are written in one transaction: others wait for it. */
const ROWS_AT_A_TIME = 1_000
/** Lines that an error names. */
const NAMED_LINES = 10

export class Jobs {
  readonly #deps: JobDeps
  readonly #open = new Map<string, Job>()

  constructor(deps: JobDeps) {
    this.#deps = deps
  }

  /** Holds again what an earlier run has reserved. */
  async restore(stored: readonly StoredBatch[]): Promise<void> {
    const { keys, budget } = this.#deps
    for (const batch of stored) {
      const key = keys.get(batch.keyId)
      if (!key) continue
      const subject = createSubject(batch, key)
      await budget.limits.readSession(subject)
      const reservation = budget.restoreHold(subject, nanoUsd(batch.openNano))
      this.#open.set(batch.id, { batch, isLive: false, key, reservation })
    }
  }

  list(): Iterable<Job> {
    return this.#open.values()
  }

  find(id: string): Job | undefined {
    return this.#open.get(id)
  }

  /**
   * Reserves what all lines may cost; durable when it resolves. Throws 402 if that does not fit under the limits, and 400 for lines
   * whose price is not known where something caps the spend: then nothing is reserved or stored.
   */
  async reserve(draft: BatchDraft, lines: readonly FileLine[], key: KeyState): Promise<Job> {
    const { budget, store } = this.#deps
    const { id, details, ...row } = draft
    const subject = createSubject(draft, key)
    this.#requirePriced(subject, details, lines)
    const priced = priceLines(details, lines)
    await budget.limits.readSession(subject)
    const reservation = this.#reserve(draft, priced, subject)
    try {
      const none = { providerBatch: null, endedAt: null, problem: null }
      const nr = await store.write('addBatch', { ...row, ...none, id, details, state: 'preparing' })
      for (let at = 0; at < priced.length; at += ROWS_AT_A_TIME)
        await store.write('addBatchLines', nr, priced.slice(at, at + ROWS_AT_A_TIME))
      const batch = await store.write('reserveBatch', id, details)
      const job = { batch, isLive: true, key, reservation }
      this.#open.set(id, job)
      this.#announce(job)
      return job
    } catch (error) {
      // Its rows are removed at the next start.
      budget.release(reservation)
      throw error
    }
  }

  #reserve(draft: BatchDraft, lines: readonly BatchLine[], subject: Subject): Reservation {
    const { budget } = this.#deps
    const total = lines.reduce((sum, { mostNano }) => sum + mostNano, 0)
    try {
      const amount = Number.isSafeInteger(total) ? nanoUsd(total) : null
      const reservation = amount === null ? null : budget.reserveWhole(subject, amount)
      if (reservation) return reservation
      throw this.#doesNotFit(subject, lines, total)
    } catch (error) {
      if (error instanceof GatewayError) this.#recordRefused(draft, error)
      throw error
    }
  }

  #doesNotFit(subject: Subject, lines: readonly BatchLine[], total: number): GatewayError {
    const { limits } = this.#deps.budget
    const under = limits.findFor(subject)
    const left = Math.max(0, limits.computeLeft(under))
    let [sum, fitting] = [0, 0]
    for (const { mostNano } of lines) {
      sum += mostNano
      if (sum > left) break
      fitting += 1
    }
    const limit = findTightest(under)
    const name = limit ? nameOwned(limit) : 'ledger'
    return new GatewayError({
      status: 402,
      code: limit?.key ? 'spend_limit_reached' : 'account_limit_reached',
      message: `The ${lines.length} requests of this batch may cost up to ${usd(total)}, and the ${name} leaves ${usd(left)}, in which the first ${fitting} would fit. Send fewer, set a smaller output limit in each, or raise the limit in Tollgate.`,
      headers: { 'x-should-retry': 'false' },
    })
  }

  #recordRefused({ keyId, createdAt, details }: BatchDraft, { status, body }: GatewayError): void {
    const { client, session, tag, models, inputFile } = details
    this.#deps.ledger.recordRefused({
      id: newRequestId(),
      createdAt,
      keyId,
      client,
      tag,
      stream: false,
      requestedModel: models[0]?.id ?? '',
      endpoint: inputFile === null ? 'POST /v1/messages/batches' : 'POST /v1/batches',
      sessionId: session.id,
      session,
      httpStatus: status,
      error: body,
      totalMs: null,
    })
  }

  #requirePriced(subject: Subject, { models }: BatchDetails, lines: readonly FileLine[]): void {
    const { budget } = this.#deps
    const caps = budget.limits.findCaps(subject)
    if (!caps.key && !caps.account) return
    const isStrict = budget.isStrict(subject)
    const unpriced = lines.filter(({ facts }) => {
      if (models[facts.model]?.price == null) return true
      return facts.unpriced && (isStrict || !facts.unpriced.strict)
    })
    const [first] = unpriced
    if (!first) return
    const { facts } = first
    const problem =
      facts.unpriced?.message ?? `The price of "${models[facts.model]?.id}" in a batch is not known`
    const limit = caps.key ? "the key's spend cap" : 'the monthly limit'
    throw invalidRequest(
      `${nameLines(unpriced.map(({ line }) => line))}: ${problem}, so ${limit} could not be enforced.`,
      { param: 'model', code: 'model_unpriced' },
    )
  }

  /** Its provider has never had it. */
  async remove(job: Job): Promise<void> {
    await this.#deps.store.write('removeBatch', job.batch.nr)
    this.#close(job)
  }

  /** Records what the provider says of it. */
  async update(job: Job, change: Omit<BatchChange, 'nr'>): Promise<void> {
    await this.#deps.store.write('updateBatch', { nr: job.batch.nr, ...change })
    const { providerBatch, object, problem } = change
    const state = job.batch.state === 'creating' ? 'running' : job.batch.state
    job.batch = { ...job.batch, providerBatch, object, problem, state }
    this.#announce(job)
  }

  async noteProblem(job: Job, problem: string): Promise<void> {
    if (job.batch.problem === problem) return
    job.batch = { ...job.batch, problem }
    await this.#deps.store.write('noteBatchProblem', job.batch.nr, problem)
    this.#announce(job)
  }

  /** Charges lines that are open, and releases what was reserved for them. Those that are settled stay as they are. */
  async settle(job: Job, ends: readonly LineEnd[]): Promise<void> {
    const { store, charging, budget } = this.#deps
    const { settled, batch } = await store.write('settleBatchLines', job.batch.id, ends)
    const done = new Set(settled)
    const { sessionId, agentId } = job.reservation.subject
    for (const { customId, request, settlement } of ends) {
      if (!done.delete(customId)) continue
      charging.charge(settlement.costNano ?? ZERO_USD, {
        key: job.key,
        createdAt: request.createdAt,
        tag: request.tag ?? null,
        sessionId,
        agentId,
        model: settlement.model ?? request.requestedModel,
        provider: settlement.provider ?? '',
      })
    }
    job.batch = { ...batch, details: job.batch.details }
    budget.hold(job.reservation, nanoUsd(batch.openNano))
    this.#announce(job)
  }

  /** Releases the lines that are open, which were not done. */
  async finish(job: Job, problem: string | null): Promise<void> {
    const { store, clock, events } = this.#deps
    job.batch = await store.write('finishBatch', job.batch.id, { now: clock.now(), problem })
    this.#close(job)
    const alert = this.view(job.batch)
    events.publish('batch-alert', () => ({ type: 'batch-alert', alert }))
  }

  view(batch: StoredBatch): BatchJob {
    const { id, keyId, provider, details, object, lines, succeeded, failed, problem } = batch
    const { status, processing_status: processing } = object
    const { keys, account } = this.#deps
    const key = keys.get(keyId)
    return {
      id,
      keyId,
      provider,
      lines,
      succeeded,
      failed,
      problem,
      keyName: key?.name ?? keyId,
      keyPaused: batch.state !== 'settled' && (key?.pausedAt ?? account.pausedAt) !== null,
      models: details.models.map((model) => model.id),
      endpoint: details.endpoint,
      sessionId: details.session.id,
      createdAt: formatTime(batch.createdAt),
      endedAt: formatTime(batch.endedAt),
      status: String(status ?? processing ?? 'validating'),
      settled: batch.state === 'settled',
      done: Math.max(succeeded + failed, countDone(object)),
      costUsd: nanoToUsd(nanoUsd(batch.costNano)),
      reservedUsd: nanoToUsd(nanoUsd(batch.openNano)),
    }
  }

  #close(job: Job): void {
    this.#open.delete(job.batch.id)
    this.#deps.budget.release(job.reservation)
    this.#announce(job)
  }

  #announce({ batch, key }: Job): void {
    const { keys, account, sessionLog, events } = this.#deps
    keys.announce(key)
    account.announce()
    sessionLog.announce(batch.details.session.id)
    events.publish(
      'batch',
      (): Extract<LiveEvent, { type: 'batch' }> => ({
        type: 'batch',
        batch: this.view(batch),
      }),
    )
  }
}

function createSubject({ id, provider, details }: BatchDraft | StoredBatch, key: KeyState): Subject {
  const models = details.models.map((model) => ({ id: model.id, providerId: provider }))
  return { key, models, sessionId: details.session.id, agentId: id, tag: details.tag }
}

function priceLines({ models, plan }: BatchDetails, lines: readonly FileLine[]): BatchLine[] {
  const offers = models.map(toBatchOffer)
  return lines.map((line) => {
    const offer = offers[line.facts.model]
    const model = models[line.facts.model]
    if (!offer || !model) throw new Error('a line of a batch has no model')
    return { ...line, mostNano: computeMost(model, offer, line.facts, plan.discountPercent) }
  })
}

/** The requests that the provider has done, by the counts that it reports. */
function countDone({ request_counts: counts }: StoredBatch['object']): number {
  if (typeof counts !== 'object' || counts === null) return 0
  const read = (name: string): number => {
    const count: unknown = Reflect.get(counts, name)
    return typeof count === 'number' && Number.isSafeInteger(count) ? count : 0
  }
  return ['completed', 'failed', 'succeeded', 'errored', 'canceled', 'expired'].reduce(
    (sum, name) => sum + read(name),
    0,
  )
}

/** "Line 4", "Lines 1, 2, 3 and 7 more". */
export function nameLines(lines: readonly number[], count = lines.length): string {
  const named = lines.slice(0, NAMED_LINES)
  const more = count - named.length
  return `${count === 1 ? 'Line' : 'Lines'} ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function usd(nano: number): string {
  return formatUsd(nano / 1e9)
}

export function unknownBatch(id: string): GatewayError {
  return notFound(`There is no batch "${id}" of this key.`, { param: 'id' })
}
