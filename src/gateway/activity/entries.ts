// The entries of the activity history.
import type { ActivityActor, ActivityLimit, ActivitySubject } from '../../shared/api/activity.ts'
import type { AccountSpendLimit } from '../../shared/api/spend-limits.ts'
import { type NanoUsd, usdToNano } from '../../shared/money/money.ts'
import type { NewActivity, Restoration } from '../store/store.ts'

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

/** `key`: null for a limit of the account. `limit`: null for a key's cap and the monthly limit. */
export interface ReachedLimit {
  key: NamedItem | null
  limit: ActivityLimit | null
  spentNano: NanoUsd
  limitNano: number
}

export function limitReached({ key, limit, ...amounts }: ReachedLimit): Entry {
  const subject = key ? keySubject(key) : ACCOUNT
  return { kind: 'limit-reached', actor: GATEWAY, subject, ...omitNull(limit), ...amounts }
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

/** The limits that somebody can change: the cap of a key or the monthly limit, and the listed ones. */
export interface Limits {
  usd: number | null
  listed: readonly AccountSpendLimit[]
}

/** Each limit that has another amount than before, was added or removed. Two listed ones are the same if they limit the same. */
export function limitChanges(
  actor: ActivityActor,
  subject: ActivitySubject,
  before: Limits,
  after: Limits,
): Entry[] {
  const changed = (limit: ActivityLimit | null, previous: number | null, now: number | null): Entry[] =>
    previous === now
      ? []
      : [
          {
            kind: 'limit-changed',
            actor,
            subject,
            ...omitNull(limit),
            previousNano: previous === null ? null : usdToNano(previous),
            limitNano: now === null ? null : usdToNano(now),
          },
        ]
  const remaining = before.listed.map((limit, index) => ({ ...limit, index }))
  const listed = after.listed.flatMap(({ usd, ...limit }, index) => {
    const same = remaining.findIndex((each) => describeTarget(each) === describeTarget(limit))
    const [was] = same === -1 ? [] : remaining.splice(same, 1)
    return changed({ ...limit, index }, was?.usd ?? null, usd)
  })
  const removed = remaining.flatMap(({ usd, ...limit }) => changed(limit, usd, null))
  return [...changed(null, before.usd, after.usd), ...listed, ...removed]
}

function describeTarget(limit: Omit<AccountSpendLimit, 'usd'>): string {
  const { per, window = 'calendar', model, tag, action = 'stop' } = limit
  return JSON.stringify([per, window, model, tag, action])
}

function omitNull<T>(limit: T | null): { limit?: T } {
  return limit === null ? {} : { limit }
}
