import { Gauge, type Registry } from 'prom-client'
import type { Account } from '../../../shared/account.ts'
import type { LiveEvent } from '../../../shared/events.ts'
import type { KeyMetadata } from '../../../shared/keys.ts'
import type { RequestRecord } from '../../../shared/requests.ts'
import type { SpendLimit } from '../../../shared/spend-limits.ts'
import type { EventHub } from '../../platform/events.ts'

/** What is true at the moment of a read. */
export interface GaugeSource {
  keys: readonly KeyMetadata[]
  account: Account
  /** The number of requests. */
  inFlight: number
}

const KEY_LABELS = ['key_id', 'key'] as const
const LIMIT_LABELS = [...KEY_LABELS, 'per', 'window', 'model', 'action'] as const
const ACCOUNT_LABELS = ['per', 'window', 'model', 'tag', 'action'] as const

/** The gauges in the registry. Returns what sets them. */
export function createGauges(registry: Registry): (source: GaugeSource) => void {
  const registers = [registry]
  const ofKey = (name: string, help: string) => new Gauge({ name, help, labelNames: KEY_LABELS, registers })
  const ofLimit = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: LIMIT_LABELS, registers })
  const ofAccount = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: ACCOUNT_LABELS, registers })
  const ofAll = (name: string, help: string) => new Gauge({ name, help, registers })

  const spend = ofKey('tollgate_key_spend_usd', 'Lifetime spend of the key, as in the ledger.')
  const reserved = ofKey('tollgate_key_reserved_usd', 'Reserved for requests of the key that run.')
  const cap = ofKey('tollgate_key_cap_usd', 'The lifetime cap of the key; absent without one.')
  const remaining = ofKey('tollgate_key_cap_remaining_usd', 'What is left of the lifetime cap.')
  const active = ofKey('tollgate_key_active', '1; 0 for a key that is paused or has expired.')
  const limit = ofLimit('tollgate_key_limit_usd', 'A further limit of the key.')
  const limitLeft = ofLimit('tollgate_key_limit_remaining_usd', 'What is left of it.')
  const inFlight = ofAll('tollgate_requests_in_flight', 'Requests to models that run now.')
  const total = ofAll('tollgate_account_spend_usd', 'Lifetime spend of all keys.')
  const today = ofAll(
    'tollgate_account_today_spend_usd',
    'Spend since midnight in the time zone of the settings.',
  )
  const month = ofAll('tollgate_account_month_spend_usd', 'Spend of this calendar month.')
  const accountLimit = ofAccount('tollgate_account_limit_usd', 'A limit of all keys together.')
  const accountLeft = ofAccount('tollgate_account_limit_remaining_usd', 'What is left of it.')

  return ({ keys, account, inFlight: running }) => {
    for (const each of [spend, reserved, cap, remaining, active, limit, limitLeft, accountLimit, accountLeft])
      each.reset()
    inFlight.set(running)
    total.set(account.spendUsd)
    today.set(account.todaySpendUsd)
    month.set(account.monthSpendUsd)
    if (account.monthlyLimitUsd !== null) {
      const labels = { ...limitLabels({ per: 'month' }), tag: '' }
      const spent = { spentUsd: account.monthSpendUsd, reservedUsd: account.reservedUsd }
      accountLimit.set(labels, account.monthlyLimitUsd)
      accountLeft.set(labels, left(account.monthlyLimitUsd, spent))
    }
    for (const each of account.spendLimits) {
      const labels = { ...limitLabels(each), tag: each.tag ?? '' }
      accountLimit.set(labels, each.usd)
      accountLeft.set(labels, left(each.usd, each))
    }
    for (const key of keys) {
      if (key.revokedAt !== null) continue
      const labels = { key_id: key.id, key: key.name }
      spend.set(labels, key.spendUsd)
      reserved.set(labels, key.reservedUsd)
      active.set(labels, isActive(key) ? 1 : 0)
      if (key.spendLimitUsd !== null) {
        cap.set(labels, key.spendLimitUsd)
        remaining.set(labels, left(key.spendLimitUsd, { ...key, spentUsd: key.spendUsd }))
      }
      for (const each of key.spendLimits) {
        const ofThis = { ...labels, ...limitLabels(each) }
        limit.set(ofThis, each.usd)
        limitLeft.set(ofThis, left(each.usd, each))
      }
    }
  }
}

/** Without the values that a limit leaves to their defaults. */
function limitLabels({
  per,
  window,
  model,
  action,
}: Pick<SpendLimit, 'per' | 'window' | 'model' | 'action'>) {
  const ends = per === 'day' || per === 'week' || per === 'month'
  return { per, window: window ?? (ends ? 'calendar' : ''), model: model ?? '', action: action ?? 'stop' }
}

/** Never negative. */
function left(usd: number, { spentUsd, reservedUsd }: { spentUsd: number; reservedUsd: number }): number {
  return Math.max(0, usd - spentUsd - reservedUsd)
}

function isActive({ pausedAt, expiresAt }: KeyMetadata): boolean {
  return pausedAt === null && (expiresAt === null || Date.parse(expiresAt) > Date.now())
}

/** Called with a request that has ended, and how many were counted in its record since the last call. */
export type SettledListener = (record: RequestRecord, repeats: number) => void

const MAX_REMEMBERED = 1_000

/**
 * Listens to the end of requests until the returned function is called. Refused and rejected ones that repeat within a
 * minute share a record, which is announced again with a higher count. One whose cost is confirmed later does not end again.
 */
export function listenToSettled(events: EventHub, listener: SettledListener): () => void {
  /** How many were counted, by the id of the record; the oldest first. */
  const counted = new Map<string, number>()
  const onEvent = (event: LiveEvent) => {
    if (event.type !== 'request') return
    const { id, status, count, costStatus } = event.request
    if (status === 'running' || costStatus === 'confirmed') return
    const before = counted.get(id) ?? 0
    if (count <= before) return
    counted.set(id, count)
    const [oldest] = counted.keys()
    if (counted.size > MAX_REMEMBERED && oldest !== undefined) counted.delete(oldest)
    listener(event.request, count - before)
  }
  return events.subscribe(onEvent, { types: ['request'] })
}
