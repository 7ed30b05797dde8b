import { type Clock, formatTime } from '../../../gateway/platform/clock.ts'
import { invalidRequest } from '../../../gateway/platform/errors.ts'
import type { EventHub } from '../../../gateway/platform/events.ts'
import { omitUndefined } from '../../../gateway/platform/fields.ts'
import type { Log } from '../../../gateway/platform/log.ts'
import { type Restoration, type Store, StoreError } from '../../../gateway/store/store.ts'
import type {
  ActivityActor,
  ActivityEntry,
  ActivityLimit,
  ActivityList,
  ActivityQuery,
  ActivitySubject,
} from '../../../shared/api/activity.ts'
import type { AccountSpendLimit } from '../../../shared/api/spend-limits.ts'
import { type NanoUsd, nanoToUsd, nanoUsd, usdToNano } from '../../../shared/money/money.ts'

import type { NewActivity, StoredActivity } from './activity-rows.ts'

const MAX_NAMES = 1_000
const ID = /^act_(\d{1,15})$/

/** Who reads: their own entries are not unread. */
type Reader = Pick<ActivityActor, 'kind' | 'id'>

interface ActivityDeps {
  store: Store
  clock: Clock
  events: EventHub
  log: Log
}

/** The history of what happened to limits, keys, providers and data, and who did it. */
export class Activity {
  readonly #deps: ActivityDeps
  /** Monotonic milliseconds of the last entry by name. */
  readonly #lastAt = new Map<string, number>()

  constructor(deps: ActivityDeps) {
    this.#deps = deps
  }

  /** Adds an entry, soon. Neither waits nor throws: what happened has happened. */
  record(entry: Entry): void {
    const { store, clock, log } = this.#deps
    store.writeSoon('addActivity', { ...entry, at: clock.now() }).then(
      () => this.#announce(),
      (err: unknown) => log.error(`The activity history lacks an entry (${entry.kind})`, { err }),
    )
  }

  /** Like `record`, at most once in `perMs` for what has the same name. */
  recordOnce(name: string, perMs: number, entry: Entry): void {
    const now = this.#deps.clock.monotonic()
    const last = this.#lastAt.get(name)
    if (last !== undefined && now - last < perMs) return
    if (this.#lastAt.size >= MAX_NAMES) this.#lastAt.clear()
    this.#lastAt.set(name, now)
    this.record(entry)
  }

  /** Throws 400 for an unknown cursor. */
  async list(query: ActivityQuery, reader: Reader): Promise<ActivityList> {
    try {
      const { rows, ...page } = await this.#deps.store.read('listActivity', {
        ...omitUndefined(query),
        reader,
      })
      return { data: rows.map(view), ...page }
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'bad_cursor') throw error
      throw invalidRequest('This cursor was not returned by GET /v1/activity.', { param: 'cursor' })
    }
  }

  /** Marks what happened up to an entry as seen. Throws 400 for an id that is none. */
  async markSeen(until: string, reader: Reader): Promise<{ unread: number }> {
    const seq = ID.exec(until)?.[1]
    if (seq === undefined)
      throw invalidRequest('"until" must be the id of an entry of GET /v1/activity.', { param: 'until' })
    const unread = await this.#deps.store.write('markActivitySeen', { until: Number(seq), reader })
    this.#announce()
    return { unread }
  }

  #announce(): void {
    this.#deps.events.publish('activity', () => ({ type: 'activity' }))
  }
}

function view({ seq, at, since, spentNano, limitNano, previousNano, ...row }: StoredActivity): ActivityEntry {
  const { kind, actor, subject, unread, limit = null, models = null, reason = null, address = null } = row
  return {
    id: `act_${seq}`,
    kind,
    at: formatTime(at),
    actor,
    subject,
    limit,
    spentUsd: toUsd(spentNano),
    limitUsd: toUsd(limitNano),
    previousLimitUsd: toUsd(previousNano),
    models,
    since: formatTime(since ?? null),
    reason,
    address,
    unread,
  }
}

function toUsd(nano: number | null): number | null {
  return nano === null ? null : nanoToUsd(nanoUsd(nano))
}

// The entries.

export type Entry = Omit<NewActivity, 'at'>

export const GATEWAY: ActivityActor = { kind: 'gateway', id: null, name: null }
export const GUARD: ActivityActor = { kind: 'guard', id: null, name: null }
export const ACCOUNT: ActivitySubject = { kind: 'account', id: null, name: null }

interface NamedItem {
  id: string
  name: string
}

export function keySubject({ id, name }: NamedItem): ActivitySubject {
  return { kind: 'key', id, name }
}

/** `key`: null for a limit of the account. */
export interface ReachedLimit {
  key: NamedItem | null
  limit: ActivityLimit
  spentNano: NanoUsd
  limitNano: number
}

export function limitReached({ key, ...reached }: ReachedLimit): Entry {
  return { kind: 'limit-reached', actor: GATEWAY, subject: key ? keySubject(key) : ACCOUNT, ...reached }
}

export function backupRestored({ backup: id, madeAt, requested, by }: Restoration): Entry {
  return {
    kind: 'backup-restored',
    actor: by ?? GATEWAY,
    subject: { kind: 'backup', id, name: null },
    since: madeAt,
    reason: requested ? 'requested' : 'damaged',
  }
}

/** Each limit that has another amount than before, was added or removed. Two are the same if they limit the same. */
export function limitChanges(
  actor: ActivityActor,
  subject: ActivitySubject,
  previous: readonly AccountSpendLimit[],
  present: readonly AccountSpendLimit[],
): Entry[] {
  const changed = (limit: ActivityLimit, previousUsd: number | null, usd: number | null): Entry[] =>
    previousUsd === usd
      ? []
      : [
          {
            kind: 'limit-changed',
            actor,
            subject,
            limit,
            previousNano: previousUsd === null ? null : usdToNano(previousUsd),
            limitNano: usd === null ? null : usdToNano(usd),
          },
        ]
  const remaining = previous.map((limit, index) => ({ ...limit, index }))
  const listed = present.flatMap(({ usd, ...limit }, index) => {
    const same = remaining.findIndex((other) => describeTarget(other) === describeTarget(limit))
    const [was] = same === -1 ? [] : remaining.splice(same, 1)
    return changed({ ...limit, index }, was?.usd ?? null, usd)
  })
  const removed = remaining.flatMap(({ usd, ...limit }) => changed(limit, usd, null))
  return [...listed, ...removed]
}

function describeTarget(limit: Omit<AccountSpendLimit, 'usd'>): string {
  const { per, window = 'calendar', model, tag, action = 'stop' } = limit
  return JSON.stringify([per, window, model, tag, action])
}
