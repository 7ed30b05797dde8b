import { Counter, Histogram, type Registry } from 'prom-client'
import type { RequestRecord } from '../../../shared/requests.ts'

const REQUEST_LABELS = ['key_id', 'key', 'model', 'provider', 'client', 'tag', 'status'] as const
const COST_LABELS = [...REQUEST_LABELS, 'cost_status'] as const
const TOKEN_LABELS = [...REQUEST_LABELS, 'type'] as const
const TIME_LABELS = ['model', 'provider'] as const

const DURATION_S = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320]
const FIRST_TOKEN_S = [0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 6, 12, 25, 50]

/** The counters and histograms of settled requests, in the registry. Returns what counts one. */
export function createRequestCounters(registry: Registry): (record: RequestRecord, repeats: number) => void {
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
  const labelsOf = createLabels()

  return (record, repeats) => {
    const labels = labelsOf(record)
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
