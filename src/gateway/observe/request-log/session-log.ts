import type { BodyOf, ResponseOf } from '../../../shared/api/operations.ts'
import type { Session, SessionFilter, SessionQuery, SessionTotals } from '../../../shared/api/sessions.ts'
import { hasSamplePrices } from '../../../shared/api/terms.ts'
import { addUsd, nanoToUsd, ZERO_USD } from '../../../shared/money/money.ts'
import type { ApiKeys } from '../../keys/api-keys.ts'
import { type Clock, getTimers } from '../../platform/clock.ts'
import { invalidRequest, notFound } from '../../platform/errors.ts'
import type { EventHub } from '../../platform/events.ts'
import { omitUndefined } from '../../platform/fields.ts'
import { type Store, type StoredAnswer, type StoredSession, StoreError } from '../../store/store.ts'

/** How long changes of a session are collected until they are published. */
const ANNOUNCE_MS = 250

interface SessionLogDeps {
  store: Store
  clock: Clock
  keys: ApiKeys
  events: EventHub
}

/** The sessions of the request log, as the API returns them. */
export class SessionLog {
  readonly #deps: SessionLogDeps
  /** The ids of sessions that have changed since the last announcement. */
  readonly #changed = new Set<string>()

  constructor(deps: SessionLogDeps) {
    this.#deps = deps
  }

  /** Throws 400 for an unknown cursor. */
  async list(query: SessionQuery): Promise<{ data: Session[]; nextCursor: string | null }> {
    const { limit, cursor, sort, order, ...filter } = query
    const listing = { limit, sort, order, ...omitUndefined({ cursor }), ...toStoredFilter(filter) }
    try {
      const { rows, nextCursor } = await this.#deps.store.read('listSessions', listing)
      return { data: rows.map((row) => this.#view(row)), nextCursor }
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'bad_cursor') throw error
      throw invalidRequest('This cursor was not returned by GET /v1/sessions for this order.', {
        param: 'cursor',
      })
    }
  }

  async totals(filter: SessionFilter): Promise<SessionTotals> {
    const totals = await this.#deps.store.read('sessionTotals', toStoredFilter(filter))
    const { sessions, costNano, medianNano, hidden } = totals
    return {
      sessions,
      costUsd: nanoToUsd(costNano),
      medianUsd: medianNano === null ? null : nanoToUsd(medianNano),
      hidden: { sessions: hidden.sessions, costUsd: nanoToUsd(hidden.costNano) },
    }
  }

  /** Throws 404. */
  async get(id: string): Promise<Session> {
    const row = await this.#deps.store.read('getSession', id)
    if (!row) throw notFound(`There is no session "${id}".`)
    return this.#view(row)
  }

  /** The newest stored answers of a session, the newest first. Throws 404. */
  async listAnswers(id: string, limit: number): Promise<StoredAnswer[]> {
    await this.get(id)
    return this.#deps.store.read('listAnswers', id, limit)
  }

  /** Throws 404 for an unknown key. */
  async recordGit(report: BodyOf<'recordGit'>): Promise<ResponseOf<'recordGit'>> {
    const { store, keys, clock } = this.#deps
    const { clientSessionId, keyId, commits, switches, ...place } = report
    if (keyId !== undefined) keys.require(keyId)
    await store.write('recordGit', {
      ...place,
      at: clock.now(),
      clientSessionId: clientSessionId ?? null,
      keyId: keyId ?? null,
      commits: commits.map((each) => ({ ...each, at: Date.parse(each.at) })),
      switches: switches.map((each) => ({ ...each, at: Date.parse(each.at) })),
    })
    return { recorded: true }
  }

  /** Tells listeners soon that a session has changed. To be called once its change is durable. */
  announce(id: string | null | undefined): void {
    if (!id || !this.#deps.events.isHeard('session')) return
    this.#changed.add(id)
    if (this.#changed.size === 1)
      getTimers(this.#deps.clock)
        .setTimeout(() => void this.#tell(), ANNOUNCE_MS)
        .unref()
  }

  async #tell(): Promise<void> {
    const ids = [...this.#changed]
    this.#changed.clear()
    // A store that is closed or failing has nothing to tell.
    const rows = await this.#deps.store.read('getSessions', ids).catch(() => [])
    for (const row of rows)
      this.#deps.events.publish('session', () => ({ type: 'session', session: this.#view(row) }))
  }

  #view({ costNano, worthNano, savedNano, models, startedAt, lastAt, ...rest }: StoredSession): Session {
    const { clientName, ...session } = rest
    const samples = models.filter(({ provider }) => hasSamplePrices(provider))
    return {
      ...session,
      keyName: this.#deps.keys.get(session.keyId)?.name ?? session.keyId,
      clientName: clientName || null,
      startedAt: new Date(startedAt).toISOString(),
      lastAt: new Date(lastAt).toISOString(),
      costUsd: nanoToUsd(costNano),
      worthUsd: nanoToUsd(worthNano),
      savedUsd: nanoToUsd(savedNano),
      sampleUsd: nanoToUsd(samples.reduce((sum, each) => addUsd(sum, each.costNano), ZERO_USD)),
      models: [...new Set(models.map(({ model }) => model))],
    }
  }
}

function toStoredFilter({ key: keyId, from, to, ...others }: SessionFilter) {
  return omitUndefined({
    ...others,
    keyId,
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to),
  })
}
