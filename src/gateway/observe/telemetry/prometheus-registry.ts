import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Account } from '../../../shared/api/account.ts'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import type { SpendLimit } from '../../../shared/api/spend-limits.ts'
import type { SettledListener } from './settled-requests.ts'

export class PrometheusRegistry {
  readonly #registry = new Registry()
  readonly count: SettledListener
  readonly #setGauges: (source: GaugeSource) => void

  constructor(version: string) {
    const registers = [this.#registry]
    this.count = createRequestCounters(this.#registry)
    this.#setGauges = createGauges(this.#registry)
    const info = { name: 'tollgate_build_info', help: 'Always 1.', labelNames: ['version'], registers }
    new Gauge(info).set({ version }, 1)
    const start = { name: 'process_start_time_seconds', help: 'Epoch seconds of this start.', registers }
    new Gauge(start).set(Math.round(performance.timeOrigin / 1000))
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
  /** The number of requests. */
  inFlight: number
}

const KEY_LABELS = ['key_id', 'key'] as const
const LIMIT_LABELS = [...KEY_LABELS, 'per', 'window', 'model', 'action'] as const
const ACCOUNT_LABELS = ['per', 'window', 'model', 'tag', 'action'] as const

/** The gauges in the registry. Returns what sets them. */
function createGauges(registry: Registry): (source: GaugeSource) => void {
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

const REQUEST_LABELS = ['key_id', 'key', 'model', 'provider', 'client', 'tag', 'status'] as const
const COST_LABELS = [...REQUEST_LABELS, 'cost_status'] as const
const TOKEN_LABELS = [...REQUEST_LABELS, 'type'] as const
const TIME_LABELS = ['model', 'provider'] as const

const DURATION_S = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320]
const FIRST_TOKEN_S = [0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 6, 12, 25, 50]

/** The counters and histograms of settled requests, in the registry. Returns what counts one. */
function createRequestCounters(registry: Registry): (record: RequestRecord, repeats: number) => void {
  const registers = [registry]
  const requests = new Counter({
    name: 'tollgate_requests_total',
    help: 'Requests that have ended.',
    labelNames: REQUEST_LABELS,
    registers,
  })
  const cost = new Counter({
    name: 'tollgate_cost_usd_total',
    help: 'What requests were charged, in USD, without sample costs of the sandbox.',
    labelNames: COST_LABELS,
    registers,
  })
  const tokens = new Counter({
    name: 'tollgate_tokens_total',
    help: 'Tokens by type; those of the types add up to the total.',
    labelNames: TOKEN_LABELS,
    registers,
  })
  const unpriced = new Counter({
    name: 'tollgate_unpriced_requests_total',
    help: 'Requests without a known price, which are not in tollgate_cost_usd_total.',
    labelNames: REQUEST_LABELS,
    registers,
  })
  const duration = new Histogram({
    name: 'tollgate_request_duration_seconds',
    help: 'From the request to the end of its response.',
    labelNames: TIME_LABELS,
    buckets: DURATION_S,
    registers,
  })
  const firstByte = new Histogram({
    name: 'tollgate_time_to_first_token_seconds',
    help: 'From the request to the first token of a stream.',
    labelNames: TIME_LABELS,
    buckets: FIRST_TOKEN_S,
    registers,
  })
  const getLabels = createLabels()

  return (record, repeats) => {
    const labels = getLabels(record)
    requests.inc(labels, repeats)
    const { status, costUsd, costStatus, sample, stream, timings } = record
    // Nothing was run.
    if (status === 'refused' || status === 'rejected') return
    if (costUsd !== null && costUsd > 0 && !sample) cost.inc({ ...labels, cost_status: costStatus }, costUsd)
    if (costStatus === 'unknown') unpriced.inc(labels)
    for (const [type, count] of tokenCounts(record)) if (count > 0) tokens.inc({ ...labels, type }, count)
    const { model, provider } = labels
    const { queueMs, firstByteMs, totalMs } = timings
    if (totalMs !== null) duration.observe({ model, provider }, totalMs / 1000)
    if (stream && firstByteMs !== null)
      firstByte.observe({ model, provider }, (firstByteMs + (queueMs ?? 0)) / 1000)
  }
}

type Labels = Record<(typeof REQUEST_LABELS)[number], string>

function createLabels(): (record: RequestRecord) => Labels {
  const keys = new BoundedValues(200)
  const names = new BoundedValues(400)
  const models = new BoundedValues(200)
  const tags = new BoundedValues(50)
  const clients = new BoundedValues(30)
  return ({ keyId, keyName, model, requestedModel, provider, clientName, tag, status }) => ({
    key_id: keys.bound(keyId),
    key: names.bound(keyName),
    // A rejected request may name anything.
    model: models.bound(model ?? (status === 'rejected' ? null : requestedModel)),
    provider: provider ?? '',
    client: clients.bound(clientName),
    tag: tags.bound(tag),
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

/** Values of a label: clients choose some of them, and each new one makes further time series. */
class BoundedValues {
  readonly #known = new Set<string>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  /** The value, or `other` once there are too many. Empty for none. */
  bound(value: string | null): string {
    if (value === null || value === '') return ''
    if (this.#known.has(value)) return value
    if (this.#known.size >= this.#max) return OTHER
    this.#known.add(value)
    return value
  }
}
