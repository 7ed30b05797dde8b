import type { Feature } from '../../../gateway/http/calls.ts'
import type { Records } from '../../../gateway/observe/request-log/records.ts'
import type { SessionLog } from '../../../gateway/observe/request-log/session-log.ts'
import type { UsageSums } from '../../../gateway/observe/request-log/usage-sums.ts'
import { type Clock, formatTime } from '../../../gateway/platform/clock.ts'
import { invalidRequest } from '../../../gateway/platform/errors.ts'
import type { Settings } from '../../../gateway/settings/settings.ts'
import type { Store, StoredConfirmation } from '../../../gateway/store/store.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import type { Session } from '../../../shared/api/sessions.ts'
import { countedLines, type ItemizedCost, itemizeCost } from '../../../shared/money/cost-lines.ts'
import { type NanoUsd, nanoToUsd, nanoUsd, usdToNano } from '../../../shared/money/money.ts'
import { dayName, dayStart, monthSpan } from '../../../shared/values/calendar.ts'
import {
  RECEIPT_FORMAT,
  type Receipt,
  SUM_RECEIPT_FORMAT,
  type SumReceipt,
  type SumReceiptQuery,
} from '../api/receipts.ts'

interface Parts {
  record: RequestRecord
  confirmation: StoredConfirmation | null
  /** Whether it has names that the user chose. */
  names: boolean
  issuedAt: number
}

/**
 * A receipt is shown to others: it has no prompt, no answer, no error text (providers quote prompts there), and nothing of the
 * key, unless `names` is set.
 */
function createReceipt({ record, confirmation, names, issuedAt }: Parts): Receipt {
  const { price } = record
  return {
    format: RECEIPT_FORMAT,
    issuedAt: formatTime(issuedAt),
    request: {
      id: record.id,
      createdAt: record.createdAt,
      endpoint: record.endpoint,
      stream: record.stream,
      status: record.status,
      httpStatus: record.httpStatus,
      errorType: record.error?.type ?? null,
      errorCode: record.error?.code ?? null,
      count: record.count,
      requestedModel: record.requestedModel,
      model: record.model,
      provider: record.provider,
      names: names ? { key: record.keyName, client: record.clientName, tag: record.tag } : null,
      changes: (record.rules ?? []).flatMap(({ ruleName, shadow, changes }) =>
        shadow ? [] : changes.map((change) => ({ ...change, rule: names ? ruleName : null })),
      ),
    },
    timings: record.timings,
    attempts: record.attempts.map(({ provider, model, status, ms, error }) => ({
      provider,
      model,
      httpStatus: status,
      ms,
      failed: error !== null,
    })),
    cost: computeCost(record, confirmation),
    price: price && {
      origin: price.origin,
      tier: price.tier ?? null,
      plan: price.plan,
      discountPercent: price.discountPercent,
      reportedByProvider: price.reportedByProvider,
    },
  }
}

function computeCost(record: RequestRecord, confirmation: StoredConfirmation | null): Receipt['cost'] {
  const { costUsd, worthUsd, savedUsd, costLowUsd, costHighUsd } = record
  const nano = costUsd === null ? null : usdToNano(costUsd)
  return {
    status: record.costStatus,
    nano,
    usd: costUsd,
    ...(worthUsd !== null && { worthNano: usdToNano(worthUsd) }),
    ...(savedUsd !== null && { savedNano: usdToNano(savedUsd) }),
    lowNano: costLowUsd === null ? null : usdToNano(costLowUsd),
    highNano: costHighUsd === null ? null : usdToNano(costHighUsd),
    ...listItems(record, nano),
    confirmation: confirmation && {
      at: formatTime(confirmation.at),
      from: confirmation.from,
      beforeNano: confirmation.beforeNano,
      lowNano: confirmation.lowNano,
      highNano: confirmation.highNano,
      by: confirmation.by,
    },
  }
}

function listItems({ usage, price, costStatus }: RequestRecord, nano: NanoUsd | null): ItemizedCost {
  const isPriced = costStatus !== 'confirmed' && costStatus !== 'plan'
  if (usage && price && nano !== null && isPriced) return itemizeCost(usage, price, nano)
  // A confirmed amount is the provider's bill, whose tokens have no price here; nor have those that a plan pays for.
  return {
    lines: usage ? countedLines(usage) : [],
    reportedNano: null,
    discount: null,
    otherNano: nano === null || nano === 0 ? null : String(nano),
    roundingNano: null,
  }
}

/** The line of the requests whose records are deleted: what the sums of the session have beyond the lines. None before that. */
function describeDeleted(
  session: Session,
  counted: readonly SumReceipt['lines'][number][],
): SumReceipt['lines'] {
  if (session.prunedRequests === 0) return []
  const rest = (total: number, of: 'requests' | 'tokensIn' | 'tokensOut' | 'nano') =>
    total - counted.reduce((sum, line) => sum + line[of], 0)
  return [
    {
      model: '',
      provider: '',
      requests: rest(session.requests, 'requests'),
      tokensIn: rest(session.tokensIn, 'tokensIn'),
      tokensOut: rest(session.tokensOut, 'tokensOut'),
      nano: rest(usdToNano(session.costUsd) - usdToNano(session.sampleUsd), 'nano'),
    },
  ]
}

function describeSession(session: Session, names: boolean): SumReceipt['of'] {
  const { id, startedAt, lastAt, keyName, clientName, tag } = session
  return {
    kind: 'session',
    id,
    startedAt,
    lastAt,
    names: names ? { key: keyName, client: clientName, tag } : null,
  }
}

interface ReceiptDeps {
  store: Store
  records: Records
  clock: Clock
  settings: Settings
  sessionLog: SessionLog
  usageSums: UsageSums
}

class Receipts {
  readonly #deps: ReceiptDeps

  constructor(deps: ReceiptDeps) {
    this.#deps = deps
  }

  /** Throws 404, and 400 while the request runs. */
  async receipt(id: string, options: { names: boolean }): Promise<Receipt> {
    const { store, records, clock } = this.#deps
    const record = await records.get(id)
    if (record.status === 'running') {
      throw invalidRequest('This request is still running. Its receipt is available when it has ended.', {
        code: 'request_running',
      })
    }
    const confirmation = await store.read('getConfirmation', record.id)
    return createReceipt({ record, confirmation, ...options, issuedAt: clock.now() })
  }

  /** The sums of a session, or of a month so far. Throws 404 for an unknown session. */
  async sum(query: SumReceiptQuery): Promise<SumReceipt> {
    const { clock, settings, sessionLog, usageSums, records } = this.#deps
    const { session: id } = query
    const now = clock.now()
    const { timeZone } = settings
    const month = query.month ?? dayName(now, timeZone).slice(0, 7)
    const span = monthSpan(dayStart(`${month}-01`, timeZone), timeZone)
    const range = { from: formatTime(span.start), to: formatTime(span.end) }
    const filter = id === undefined ? range : { session: id }
    const { data } = await usageSums.read({
      groupBy: 'model',
      splitBy: 'provider',
      ...filter,
    })
    // After the lines, so that what is settled in between is in its sums.
    const session = id === undefined ? null : await sessionLog.get(id)
    const counted = data.map((row) => ({
      model: row.group,
      provider: row.split ?? '',
      requests: row.requests,
      tokensIn: row.tokensIn,
      tokensOut: row.tokensOut,
      nano: usdToNano(row.costUsd),
    }))
    const lines = [...counted, ...(session ? describeDeleted(session, counted) : [])].sort(
      (a, b) => b.nano - a.nano || a.model.localeCompare(b.model),
    )
    const nano = nanoUsd(lines.reduce((sum, line) => sum + line.nano, 0))
    const total = {
      requests: lines.reduce((sum, { requests }) => sum + requests, 0),
      nano,
      usd: nanoToUsd(nano),
      unpriced: session?.unpriced ?? data.reduce((sum, { unpriced }) => sum + unpriced, 0),
      unsettled: (await records.totals(filter)).unsettled,
    }
    return {
      format: SUM_RECEIPT_FORMAT,
      issuedAt: formatTime(now),
      of:
        session === null
          ? { kind: 'month', month, timeZone, over: span.end <= now }
          : describeSession(session, query.names === 'true'),
      lines,
      total,
    }
  }
}

export function createReceipts(deps: ReceiptDeps): Feature {
  const receipts = new Receipts(deps)
  return {
    handlers: {
      getReceipt: ({ id, query }) => receipts.receipt(id, { names: query.names === 'true' }),
      getSumReceipt: ({ query }) => receipts.sum(query),
    },
  }
}
