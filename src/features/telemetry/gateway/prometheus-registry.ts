import { Counter, Gauge, Histogram, type MetricConfiguration, Registry } from 'prom-client'
import type { Account } from '../../../shared/api/account.ts'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import type { PlanState } from '../../../shared/api/plans.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import type { SpendLimit } from '../../../shared/api/spend-limits.ts'
import type { SettledListener } from './settled-requests.ts'

type Labels = Readonly<Record<string, string>>
type Row = readonly [help: string, labels?: readonly string[]]

const KEY = ['key_id', 'key']
const LIMIT = ['per', 'window', 'model', 'action']
const KEY_LIMIT = [...KEY, ...LIMIT]
const ACCOUNT_LIMIT = [...LIMIT, 'tag']
const PLAN = ['plan', 'window']

const GAUGES = {
  tollgate_key_spend_usd: ['Lifetime spend of the key, as in the ledger.', KEY],
  tollgate_key_reserved_usd: ['Reserved for requests of the key that run.', KEY],
  tollgate_key_cap_usd: ['The lifetime cap of the key; absent without one.', KEY],
  tollgate_key_cap_remaining_usd: ['What is left of the lifetime cap.', KEY],
  tollgate_key_active: ['1; 0 for a key that is paused or has expired.', KEY],
  tollgate_key_limit_usd: ['A limit of the key.', KEY_LIMIT],
  tollgate_key_limit_remaining_usd: ['What is left of it.', KEY_LIMIT],
  tollgate_requests_in_flight: ['Requests to models that run now.'],
  tollgate_account_spend_usd: ['Lifetime spend of all keys.'],
  tollgate_account_today_spend_usd: ['Spend since midnight in the time zone of the settings.'],
  tollgate_account_month_spend_usd: ['Spend of this calendar month.'],
  tollgate_account_limit_usd: ['A limit of all keys together.', ACCOUNT_LIMIT],
  tollgate_account_limit_remaining_usd: ['What is left of it.', ACCOUNT_LIMIT],
  tollgate_plan_utilization: [
    'How much of a window of a plan is used, from 0 to 1; absent where it is not known.',
    PLAN,
  ],
  tollgate_plan_reset_timestamp_seconds: ['When a window of a plan resets, in epoch seconds.', PLAN],
} as const satisfies Record<string, Row>

const REQUEST = ['key_id', 'key', 'model', 'provider', 'client', 'tag', 'status']

const COUNTERS = {
  tollgate_requests_total: ['Requests that have ended.', REQUEST],
  tollgate_cost_usd_total: [
    'What requests were charged, in USD, without sample costs of the sandbox.',
    [...REQUEST, 'cost_status'],
  ],
  tollgate_plan_worth_usd_total: [
    "What requests that a plan paid for would have cost by the vendor's API, in USD.",
    REQUEST,
  ],
  tollgate_cache_saved_usd_total: [
    'What requests that the response cache answered would have cost, in USD.',
    REQUEST,
  ],
  tollgate_tokens_total: ['Tokens by type; those of the types add up to the total.', [...REQUEST, 'type']],
  tollgate_unpriced_requests_total: [
    'Requests without a known price, which are not in tollgate_cost_usd_total.',
    REQUEST,
  ],
} as const satisfies Record<string, Row>

const DURATION_S = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320]
const FIRST_TOKEN_S = [0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 6, 12, 25, 50]

export class PrometheusRegistry {
  readonly #registry = new Registry()
  readonly #gauges = this.#createAll(GAUGES, Gauge)
  readonly #counters = this.#createAll(COUNTERS, Counter)
  readonly #duration: Histogram
  readonly #firstToken: Histogram
  readonly #getLabels = createLabels()

  constructor(version: string) {
    const registers = [this.#registry]
    const histogram = (name: string, help: string, buckets: number[]) =>
      new Histogram({ name, help, labelNames: ['model', 'provider'], buckets, registers })
    const took = 'From the request to the end of its response.'
    this.#duration = histogram('tollgate_request_duration_seconds', took, DURATION_S)
    const began = 'From the request to the first token of a stream.'
    this.#firstToken = histogram('tollgate_time_to_first_token_seconds', began, FIRST_TOKEN_S)
    const info = { name: 'tollgate_build_info', help: 'Always 1.', labelNames: ['version'], registers }
    new Gauge(info).set({ version }, 1)
    const start = { name: 'process_start_time_seconds', help: 'Epoch seconds of this start.', registers }
    new Gauge(start).set(Math.round(performance.timeOrigin / 1000))
  }

  async read(source: GaugeSource): Promise<{ contentType: string; text: string }> {
    for (const gauge of this.#gauges.values()) gauge.reset()
    for (const [name, value, labels = {}] of listSamples(source)) this.#gauges.get(name)?.set(labels, value)
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() }
  }

  readonly count: SettledListener = (record, repeats) => {
    const labels = this.#getLabels(record)
    for (const [name, value, more] of listCounts(record, repeats))
      if (value) this.#counters.get(name)?.inc({ ...labels, ...more }, value)
    const { status, costStatus, stream, timings } = record
    if (wasNotRun(status) || costStatus === 'cached') return
    const { queueMs, firstByteMs, totalMs } = timings
    const place = { model: labels.model, provider: labels.provider }
    if (totalMs !== null) this.#duration.observe(place, totalMs / 1000)
    if (stream && firstByteMs !== null) this.#firstToken.observe(place, (firstByteMs + (queueMs ?? 0)) / 1000)
  }

  #createAll<Metric>(
    rows: Readonly<Record<string, Row>>,
    Type: new (options: MetricConfiguration<string>) => Metric,
  ): ReadonlyMap<string, Metric> {
    const registers = [this.#registry]
    return new Map(
      Object.entries(rows).map(([name, [help, labelNames = []]]) => [
        name,
        new Type({ name, help, labelNames: [...labelNames], registers }),
      ]),
    )
  }
}

/** The values at the moment of a read. */
export interface GaugeSource {
  keys: readonly KeyMetadata[]
  account: Account
  inFlight: number
  plans: readonly PlanState[]
}

type Sample = readonly [name: keyof typeof GAUGES, value: number, labels?: Labels]

function* listSamples({ keys, account, inFlight, plans }: GaugeSource): Generator<Sample> {
  yield ['tollgate_requests_in_flight', inFlight]
  yield ['tollgate_account_spend_usd', account.spendUsd]
  yield ['tollgate_account_today_spend_usd', account.todaySpendUsd]
  yield ['tollgate_account_month_spend_usd', account.monthSpendUsd]
  for (const { id: plan, windows } of plans)
    for (const { name: window, utilization, resetsAt } of windows) {
      if (utilization !== null) yield ['tollgate_plan_utilization', utilization, { plan, window }]
      if (resetsAt !== null)
        yield ['tollgate_plan_reset_timestamp_seconds', Date.parse(resetsAt) / 1000, { plan, window }]
    }
  for (const limit of account.spendLimits) {
    const labels = { ...limitLabels(limit), tag: limit.tag ?? '' }
    yield ['tollgate_account_limit_usd', limit.usd, labels]
    yield ['tollgate_account_limit_remaining_usd', computeRest(limit.usd, limit), labels]
  }
  for (const key of keys) {
    if (key.revokedAt !== null) continue
    const labels = { key_id: key.id, key: key.name }
    const { spendUsd: spentUsd, reservedUsd, spendLimitUsd } = key
    yield ['tollgate_key_spend_usd', spentUsd, labels]
    yield ['tollgate_key_reserved_usd', reservedUsd, labels]
    yield ['tollgate_key_active', isActive(key) ? 1 : 0, labels]
    if (spendLimitUsd !== null) {
      yield ['tollgate_key_cap_usd', spendLimitUsd, labels]
      const rest = computeRest(spendLimitUsd, { spentUsd, reservedUsd })
      yield ['tollgate_key_cap_remaining_usd', rest, labels]
    }
    for (const limit of key.spendLimits) {
      const ofLimit = { ...labels, ...limitLabels(limit) }
      yield ['tollgate_key_limit_usd', limit.usd, ofLimit]
      yield ['tollgate_key_limit_remaining_usd', computeRest(limit.usd, limit), ofLimit]
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
function computeRest(
  usd: number,
  { spentUsd, reservedUsd }: { spentUsd: number; reservedUsd: number },
): number {
  return Math.max(0, usd - spentUsd - reservedUsd)
}

function isActive({ pausedAt, expiresAt }: KeyMetadata): boolean {
  return pausedAt === null && (expiresAt === null || Date.parse(expiresAt) > Date.now())
}

function wasNotRun(status: RequestRecord['status']): boolean {
  return status === 'refused' || status === 'rejected'
}

type Count = readonly [name: keyof typeof COUNTERS, value: number | null, labels?: Labels]

function listCounts(record: RequestRecord, repeats: number): readonly Count[] {
  const { status, tokensIn, tokensOut, usage, costUsd, costStatus, worthUsd, savedUsd, sample } = record
  const requests = ['tollgate_requests_total', repeats] as const
  if (wasNotRun(status)) return [requests]
  const read = usage?.cacheRead ?? 0
  const written = usage ? usage.cacheWrite5m + usage.cacheWrite1h : 0
  return [
    requests,
    ['tollgate_cost_usd_total', sample ? 0 : costUsd, { cost_status: costStatus }],
    ['tollgate_plan_worth_usd_total', worthUsd],
    ['tollgate_cache_saved_usd_total', savedUsd],
    ['tollgate_unpriced_requests_total', costStatus === 'unknown' ? 1 : 0],
    ['tollgate_tokens_total', Math.max(0, tokensIn - read - written), { type: 'input' }],
    ['tollgate_tokens_total', read, { type: 'cache_read' }],
    ['tollgate_tokens_total', written, { type: 'cache_write' }],
    ['tollgate_tokens_total', tokensOut, { type: 'output' }],
  ]
}

function createLabels() {
  const keys = boundValues(200)
  const names = boundValues(400)
  const models = boundValues(200)
  const tags = boundValues(50)
  const clients = boundValues(30)
  return ({ keyId, keyName, model, requestedModel, provider, clientName, tag, status }: RequestRecord) => ({
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
