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
  Receipt,
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
 * key, unless `names` is set. The schema drops all else of the record.
 */
function createReceipt({ record, confirmation, names, issuedAt }: Parts): Receipt {
  const { price } = record
  return {
    format: RECEIPT_FORMAT,
    issuedAt: formatTime(issuedAt),
    request: Receipt.shape.request.parse({
      ...record,
      errorType: record.error?.type ?? null,
      errorCode: record.error?.code ?? null,
      names: names ? { key: record.keyName, client: record.clientName, tag: record.tag } : null,
      changes: (record.rules ?? []).flatMap(({ ruleName, shadow, changes, answer }) => {
        if (shadow) return []
        const permission = answer === null ? [] : [{ field: 'permission', asked: 'needed', sent: answer }]
        return [...changes, ...permission].map((change) => ({ ...change, rule: names ? ruleName : null }))
      }),
    }),
    timings: record.timings,
    attempts: record.attempts.map(({ provider, model, status, ms, error }) => ({
      provider,
      model,
      httpStatus: status,
      ms,
      failed: error !== null,
    })),
    cost: computeCost(record, confirmation),
    price: Receipt.shape.price.parse(price && { ...price, tier: price.tier ?? null }),
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

/** Throws 404, and 400 while the request runs. */
async function getReceipt(
  { store, records, clock }: ReceiptDeps,
  id: string,
  names: boolean,
): Promise<Receipt> {
  const record = await records.get(id)
  if (record.status === 'running') {
    throw invalidRequest('This request is still running. Its receipt is available when it has ended.', {
      code: 'request_running',
    })
  }
  const confirmation = await store.read('getConfirmation', record.id)
  return createReceipt({ record, confirmation, names, issuedAt: clock.now() })
}

/** The sums of a session, or of a month so far. Throws 404 for an unknown session. */
async function getSumReceipt(
  { clock, settings, sessionLog, usageSums, records }: ReceiptDeps,
  query: SumReceiptQuery,
): Promise<SumReceipt> {
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

export function createReceipts(deps: ReceiptDeps): Feature {
  return {
    handlers: {
      getReceipt: ({ id, query }) => getReceipt(deps, id, query.names === 'true'),
      getSumReceipt: ({ query }) => getSumReceipt(deps, query),
    },
  }
}
