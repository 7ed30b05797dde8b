import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Account } from '../../../shared/api/account.ts'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import type { PlanState } from '../../../shared/api/plans.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import type { SpendLimit } from '../../../shared/api/spend-limits.ts'
import type { SettledListener } from './settled-requests.ts'

export class PrometheusRegistry {
  readonly #registry = new Registry()
  readonly count: SettledListener
  readonly #setGauges: (source: GaugeSource) => void

  constructor(version: string) {
    this.count = createRequestCounters(this.#registry)
    this.#setGauges = createGauges(this.#registry)
    const gauge = gaugesIn(this.#registry)
    gauge('tollgate_build_info', 'Always 1.', ['version']).set({ version }, 1)
    const startS = Math.round(performance.timeOrigin / 1000)
    gauge('process_start_time_seconds', 'Epoch seconds of this start.').set(startS)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  read(source: GaugeSource): Promise<string> {
    this.#setGauges(source)
    return this.#registry.metrics()
  }
}

/** The values at the moment of a read. */
export interface GaugeSource {
  keys: readonly KeyMetadata[]
  account: Account
  inFlight: number
  plans: readonly PlanState[]
}

const KEY_LABELS = ['key_id', 'key'] as const
const LIMIT_LABELS = [...KEY_LABELS, 'per', 'window', 'model', 'action'] as const
const PLAN_LABELS = ['plan', 'window'] as const
const ACCOUNT_LABELS = ['per', 'window', 'model', 'tag', 'action'] as const

function gaugesIn(registry: Registry) {
  return <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
}

/** The gauges in the registry. Returns what sets them. */
function createGauges(registry: Registry): (source: GaugeSource) => void {
  const gauge = gaugesIn(registry)
  const ofKey = (name: string, help: string) => gauge(name, help, KEY_LABELS)
  const ofLimit = (name: string, help: string) => gauge(name, help, LIMIT_LABELS)
  const ofAccount = (name: string, help: string) => gauge(name, help, ACCOUNT_LABELS)

  const spend = ofKey('tollgate_key_spend_usd', 'Lifetime spend of the key, as in the ledger.')
  const reserved = ofKey('tollgate_key_reserved_usd', 'Reserved for requests of the key that run.')
  const cap = ofKey('tollgate_key_cap_usd', 'The lifetime cap of the key; absent without one.')
  const remaining = ofKey('tollgate_key_cap_remaining_usd', 'What is left of the lifetime cap.')
  const active = ofKey('tollgate_key_active', '1; 0 for a key that is paused or has expired.')
  const limit = ofLimit('tollgate_key_limit_usd', 'A limit of the key.')
  const limitLeft = ofLimit('tollgate_key_limit_remaining_usd', 'What is left of it.')
  const inFlight = gauge('tollgate_requests_in_flight', 'Requests to models that run now.')
  const total = gauge('tollgate_account_spend_usd', 'Lifetime spend of all keys.')
  const today = gauge(
    'tollgate_account_today_spend_usd',
    'Spend since midnight in the time zone of the settings.',
  )
  const month = gauge('tollgate_account_month_spend_usd', 'Spend of this calendar month.')
  const accountLimit = ofAccount('tollgate_account_limit_usd', 'A limit of all keys together.')
  const planUsed = gauge(
    'tollgate_plan_utilization',
    'How much of a window of a plan is used, from 0 to 1; absent where it is not known.',
    PLAN_LABELS,
  )
  const planReset = gauge(
    'tollgate_plan_reset_timestamp_seconds',
    'When a window of a plan resets, in epoch seconds.',
    PLAN_LABELS,
  )
  const accountLeft = ofAccount('tollgate_account_limit_remaining_usd', 'What is left of it.')

  return ({ keys, account, inFlight: running, plans }) => {
    planUsed.reset()
    planReset.reset()
    for (const { id: plan, windows } of plans)
      for (const { name: window, utilization, resetsAt } of windows) {
        if (utilization !== null) planUsed.set({ plan, window }, utilization)
        if (resetsAt !== null) planReset.set({ plan, window }, Date.parse(resetsAt) / 1000)
      }
    for (const each of [spend, reserved, cap, remaining, active, limit, limitLeft, accountLimit, accountLeft])
      each.reset()
    inFlight.set(running)
    total.set(account.spendUsd)
    today.set(account.todaySpendUsd)
    month.set(account.monthSpendUsd)
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
function limitLabels(limit: Pick<SpendLimit, 'per' | 'window' | 'model' | 'action'>) {
  const { per, window, model, action } = limit
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

const REQUEST_LABELS = ['key_id', 'key', 'model', 'provider', 'client', 'tag', 'status'] as const
const COST_LABELS = [...REQUEST_LABELS, 'cost_status'] as const
const TOKEN_LABELS = [...REQUEST_LABELS, 'type'] as const
const TIME_LABELS = ['model', 'provider'] as const

const DURATION_S = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320]
const FIRST_TOKEN_S = [0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 6, 12, 25, 50]

/** The counters and histograms of settled requests, in the registry. Returns what counts one. */
function createRequestCounters(registry: Registry): (record: RequestRecord, repeats: number) => void {
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames, registers })
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name, help, labelNames: TIME_LABELS, buckets, registers })
  const requests = counter('tollgate_requests_total', 'Requests that have ended.', REQUEST_LABELS)
  const cost = counter(
    'tollgate_cost_usd_total',
    'What requests were charged, in USD, without sample costs of the sandbox.',
    COST_LABELS,
  )
  const worth = counter(
    'tollgate_plan_worth_usd_total',
    "What requests that a plan paid for would have cost by the vendor's API, in USD.",
    REQUEST_LABELS,
  )
  const saved = counter(
    'tollgate_cache_saved_usd_total',
    'What requests that the response cache answered would have cost, in USD.',
    REQUEST_LABELS,
  )
  const tokens = counter(
    'tollgate_tokens_total',
    'Tokens by type; those of the types add up to the total.',
    TOKEN_LABELS,
  )
  const unpriced = counter(
    'tollgate_unpriced_requests_total',
    'Requests without a known price, which are not in tollgate_cost_usd_total.',
    REQUEST_LABELS,
  )
  const duration = histogram(
    'tollgate_request_duration_seconds',
    'From the request to the end of its response.',
    DURATION_S,
  )
  const firstByte = histogram(
    'tollgate_time_to_first_token_seconds',
    'From the request to the first token of a stream.',
    FIRST_TOKEN_S,
  )
  const getLabels = createLabels()

  return (record, repeats) => {
    const labels = getLabels(record)
    requests.inc(labels, repeats)
    const { status, costUsd, costStatus, worthUsd, savedUsd, sample } = record
    const { stream, timings } = record
    // Nothing was run.
    if (status === 'refused' || status === 'rejected') return
    if (costUsd !== null && costUsd > 0 && !sample) cost.inc({ ...labels, cost_status: costStatus }, costUsd)
    if (worthUsd) worth.inc(labels, worthUsd)
    if (savedUsd) saved.inc(labels, savedUsd)
    if (costStatus === 'unknown') unpriced.inc(labels)
    for (const [type, count] of tokenCounts(record)) if (count > 0) tokens.inc({ ...labels, type }, count)
    const { model, provider } = labels
    const { queueMs, firstByteMs, totalMs } = timings
    if (costStatus === 'cached') return
    if (totalMs !== null) duration.observe({ model, provider }, totalMs / 1000)
    if (stream && firstByteMs !== null)
      firstByte.observe({ model, provider }, (firstByteMs + (queueMs ?? 0)) / 1000)
  }
}

type Labels = Record<(typeof REQUEST_LABELS)[number], string>

function createLabels(): (record: RequestRecord) => Labels {
  const keys = boundValues(200)
  const names = boundValues(400)
  const models = boundValues(200)
  const tags = boundValues(50)
  const clients = boundValues(30)
  return ({ keyId, keyName, model, requestedModel, provider, clientName, tag, status }) => ({
    key_id: keys(keyId),
    key: names(keyName),
    // A rejected request may name anything.
    model: models(model ?? (status === 'rejected' ? null : requestedModel)),
    provider: provider ?? '',
    client: clients(clientName),
    tag: tags(tag),
    status,
  })
}

function tokenCounts({ tokensIn, tokensOut, usage }: RequestRecord): readonly (readonly [string, number])[] {
  const read = usage?.cacheRead ?? 0
  const written = usage ? usage.cacheWrite5m + usage.cacheWrite1h : 0
  return [
    ['input', Math.max(0, tokensIn - read - written)],
    ['cache_read', read],
    ['cache_write', written],
    ['output', tokensOut],
  ]
}

const OTHER = 'other'

/**
 * Values of a label: clients choose some of them, and each new one makes further time series.
 * Returns what gives the value, or `other` once there are more than `max`. Empty for none.
 */
function boundValues(max: number): (value: string | null) => string {
  const shownLabels = new Set<string>()
  return (value) => {
    if (value === null || value === '') return ''
    if (shownLabels.size >= max && !shownLabels.has(value)) return OTHER
    shownLabels.add(value)
    return value
  }
}
