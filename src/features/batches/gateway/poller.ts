// Follows batches at their providers until every line is settled, also over restarts, whether or not a client asks.
import { UpstreamFailure } from '../../../gateway/formats/chat/failure.ts'
import { isObject, type JsonObject, parseJson } from '../../../gateway/formats/json/json.ts'
import { getTimers } from '../../../gateway/platform/clock.ts'
import { errorMessage } from '../../../shared/values/text.ts'
import { findBatch } from './find-batch.ts'
import type { Job, JobDeps, Jobs } from './jobs.ts'
import { type BatchKind, findKind } from './kinds.ts'
import { endLine, endLostLine, type LineResult } from './line-charges.ts'
import { callProvider, type ProviderDeps, readFromProvider } from './provider-calls.ts'
import { splitLines } from './splitters.ts'

const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 300_000
const GROWTH = 1.5
/** Results that are settled in one transaction. */
const RESULTS_AT_A_TIME = 200
const BYTES_AT_A_TIME = 4 * 1024 * 1024
/** How often results are read again that the provider has counted and does not give. */
const MAX_READS = 8
const DAY_MS = 24 * 3_600_000
/** Batches end within a day. One that a provider no longer has after that is not found again. */
const LOST_MS = 26 * 3_600_000
/** Providers keep results for about a month. */
const GIVE_UP_MS = 31 * DAY_MS
/** How long a batch may take to be listed by its provider. */
const LISTED_MS = 10 * 60_000

export class Poller {
  readonly #jobs: Jobs
  readonly #deps: JobDeps & ProviderDeps
  readonly #closing = new AbortController()
  /** The batches that are watched, by id. */
  readonly #watched = new Map<string, { done: Promise<void>; wake(): void }>()
  /** How often the results of a batch were read without all that it has counted. */
  readonly #reads = new Map<string, number>()

  constructor(jobs: Jobs, deps: JobDeps & ProviderDeps) {
    this.#jobs = jobs
    this.#deps = deps
  }

  /** Begins to follow it. `waitMs`: until it is first looked at. */
  watch(job: Job, waitMs = FIRST_WAIT_MS): void {
    const { id } = job.batch
    if (this.#watched.has(id)) return
    let wake = new AbortController()
    const pause = async (ms: number) => {
      const signal = AbortSignal.any([this.#closing.signal, wake.signal])
      await getTimers(this.#deps.clock)
        .delay(ms, { signal, ref: false })
        .catch(() => undefined)
      wake = new AbortController()
    }
    const done = this.#follow(job, waitMs, pause).finally(() => this.#watched.delete(id))
    this.#watched.set(id, { done, wake: () => wake.abort() })
  }

  /** Looks at a batch now that has ended. */
  wake(id: string): void {
    this.#watched.get(id)?.wake()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#watched.values()].map(({ done }) => done))
  }

  async #follow(job: Job, firstMs: number, pause: (ms: number) => Promise<void>): Promise<void> {
    let waitMs = FIRST_WAIT_MS
    await pause(firstMs)
    while (!this.#closing.signal.aborted) {
      let retryMs = 0
      try {
        if (await this.#look(job)) return
      } catch (error) {
        if (this.#closing.signal.aborted) return
        retryMs = error instanceof UpstreamFailure ? (error.retryAfterMs ?? 0) : 0
        await this.#note(job, error)
      }
      await pause(Math.max(waitMs, retryMs))
      waitMs = Math.min(waitMs * GROWTH, LONGEST_WAIT_MS)
    }
  }

  async #note(job: Job, error: unknown): Promise<void> {
    const problem = errorMessage(error)
    this.#deps.log.warn(`The batch ${job.batch.id} could not be followed: ${problem}`)
    await this.#jobs.noteProblem(job, problem).catch(() => undefined)
  }

  /** Whether the batch is settled. */
  async #look(job: Job): Promise<boolean> {
    const { batch } = job
    const { signal } = this.#closing
    const ageMs = this.#deps.clock.now() - batch.createdAt
    if (batch.providerBatch === null && !(await this.#findCreated(job, ageMs)))
      return job.batch.state === 'settled'
    const kind = findKind(job.batch)
    let object: JsonObject
    try {
      const path = `${kind.path}/${encodeURIComponent(job.batch.providerBatch ?? '')}`
      object = await callProvider(job.batch, { method: 'GET', path, signal }, this.#deps)
    } catch (error) {
      const isGone = error instanceof UpstreamFailure && error.status === 404 && ageMs > LOST_MS
      if (!isGone && ageMs < GIVE_UP_MS) throw error
      await this.#endLost(job, Infinity)
      await this.#jobs.finish(job, errorMessage(error))
      return true
    }
    await this.#jobs.update(job, kind.describe(job.batch, object))
    return kind.hasEnded(object) && (await this.#settle(job, kind, object))
  }

  /** Finds the batch of a call whose outcome is not known. False if the provider does not list it. */
  async #findCreated(job: Job, ageMs: number): Promise<boolean> {
    const { batch } = job
    // The batch of another call could be taken for this one.
    if ([...this.#jobs.list()].some(({ isLive }) => isLive)) return false
    const found = await findBatch(batch, this.#deps, this.#closing.signal)
    if (found) {
      await this.#jobs.update(job, findKind(batch).describe(batch, found))
      return true
    }
    // It was never created: nothing of it is billed.
    if (ageMs > LISTED_MS) {
      await this.#jobs.finish(job, 'The provider has not created this batch.')
    }
    return false
  }

  /** Settles the results of a batch that has ended. False if some are still missing. */
  async #settle(job: Job, kind: BatchKind, object: JsonObject): Promise<boolean> {
    let unknown = 0
    for (const path of kind.resultPaths(job.batch, object))
      unknown += await this.#settleResults(job, kind, path)
    const missing = kind.countAnswers(job.batch, object) - job.batch.succeeded
    if (missing > 0) {
      const reads = (this.#reads.get(job.batch.id) ?? 0) + 1
      this.#reads.set(job.batch.id, reads)
      if (reads < MAX_READS)
        throw new Error(`The provider has not given the results of ${missing} lines yet.`)
      await this.#endLost(job, missing)
    }
    this.#reads.delete(job.batch.id)
    const strangers = unknown > 0 ? `${unknown} results name no line of this batch.` : null
    const lost =
      missing > 0
        ? `The provider gave no results of ${missing} lines, which are charged at their bounds.`
        : null
    const problem = [lost, strangers].filter((text) => text !== null).join(' ')
    if (problem !== '') this.#deps.log.warn(`The batch ${job.batch.id} is settled: ${problem}`)
    await this.#jobs.finish(job, problem === '' ? null : problem)
    return true
  }

  /** Returns how many results name no line of the batch. */
  async #settleResults(job: Job, kind: BatchKind, path: string): Promise<number> {
    const { signal } = this.#closing
    let results: LineResult[] = []
    let bytes = 0
    let unknown = 0
    try {
      const chunks = readFromProvider(job.batch, { method: 'GET', path, signal }, this.#deps)
      for await (const line of splitLines(chunks)) {
        const json = parseJson(line.toString('utf8'))
        const result = kind.readResult(json)
        if (!result) {
          unknown += Number(isObject(json))
          continue
        }
        results.push(result)
        bytes += line.byteLength
        if (results.length < RESULTS_AT_A_TIME && bytes < BYTES_AT_A_TIME) continue
        unknown += await this.#settleSome(job, results)
        results = []
        bytes = 0
      }
    } catch (error) {
      // A file that is gone has nothing to settle.
      if (!(error instanceof UpstreamFailure && error.status === 404)) throw error
    }
    return unknown + (await this.#settleSome(job, results))
  }

  async #settleSome(job: Job, results: readonly LineResult[]): Promise<number> {
    if (results.length === 0) return 0
    const { store, clock } = this.#deps
    const ids = [...new Set(results.map(({ customId }) => customId))]
    const lines = new Map(
      (await store.read('findBatchLines', job.batch.nr, ids)).map((line) => [line.customId, line]),
    )
    const context = { batch: job.batch, now: clock.now() }
    const open = results.flatMap((result) => {
      const line = lines.get(result.customId)
      return line && !line.isSettled ? [endLine(line, result, context)] : []
    })
    // A second result of a line has no effect.
    if (open.length > 0) await this.#jobs.settle(job, open)
    return ids.length - lines.size
  }

  /** Charges lines whose results are lost at their bounds: the most expensive ones, as it is not known which were done. */
  async #endLost(job: Job, count: number): Promise<void> {
    const { store, clock } = this.#deps
    for (let left = count; left > 0; ) {
      const ids = await store.read('findCostliestLines', job.batch.nr, Math.min(left, RESULTS_AT_A_TIME))
      if (ids.length === 0) return
      const lines = await store.read('findBatchLines', job.batch.nr, ids)
      const context = { batch: job.batch, now: clock.now() }
      await this.#jobs.settle(
        job,
        lines.map((line) => endLostLine(line, context)),
      )
      left -= ids.length
    }
  }
}
