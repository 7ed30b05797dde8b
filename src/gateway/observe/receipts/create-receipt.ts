import { createHash, sign } from 'node:crypto'
import {
  type Install,
  RECEIPT_FORMAT,
  RECEIPT_VERSION,
  type Receipt,
  type ReceiptCheck,
  type UnsignedReceipt,
} from '../../../shared/api/receipts.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { countedLines, type ItemizedCost, itemizeCost } from '../../../shared/money/cost-lines.ts'
import { type NanoUsd, usdToNano } from '../../../shared/money/money.ts'
import { type Clock, formatTime } from '../../platform/clock.ts'
import { invalidRequest } from '../../platform/errors.ts'
import type { Store, StoredConfirmation } from '../../store/store.ts'
import type { Records } from '../request-log/records.ts'
import type { InstallKey } from './install-key.ts'
import { publicKey } from './public-key.ts'
import { signedBytes, verifyReceipt } from './verify-receipt.ts'

interface Parts {
  record: RequestRecord
  confirmation: StoredConfirmation | null
  issuer: { id: string; x: string; software: string }
  /** Whether it has names that the user chose. */
  names: boolean
  issuedAt: number
}

/**
 * A receipt is shown to others: it has no prompt, no answer, no error text (providers quote prompts there), and of the key
 * only a hash, unless `names` is set.
 */
function createReceipt({ record, confirmation, issuer, names, issuedAt }: Parts): UnsignedReceipt {
  const { price } = record
  return {
    format: RECEIPT_FORMAT,
    version: RECEIPT_VERSION,
    issuer: { id: issuer.id, publicKey: publicKey(issuer.x), software: issuer.software },
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
      keyHash: createHash('sha256').update(`${issuer.id} ${record.keyId}`).digest('base64url'),
      requestedModel: record.requestedModel,
      model: record.model,
      provider: record.provider,
      names: names ? { key: record.keyName, client: record.clientName, tag: record.tag } : null,
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
  const { costUsd, costLowUsd, costHighUsd } = record
  const nano = costUsd === null ? null : usdToNano(costUsd)
  return {
    status: record.costStatus,
    nano,
    usd: costUsd,
    lowNano: costLowUsd === null ? null : usdToNano(costLowUsd),
    highNano: costHighUsd === null ? null : usdToNano(costHighUsd),
    ...listItems(record, nano),
    confirmation: confirmation && {
      at: formatTime(confirmation.at),
      from: confirmation.from,
      beforeNano: confirmation.beforeNano,
      lowNano: confirmation.lowNano,
      highNano: confirmation.highNano,
      by: confirmation.reconciliationId === null ? 'user' : 'reconciliation',
    },
  }
}

function listItems({ usage, price, costStatus }: RequestRecord, nano: NanoUsd | null): ItemizedCost {
  if (usage && price && nano !== null && costStatus !== 'confirmed') return itemizeCost(usage, price, nano)
  // A confirmed amount is the provider's bill, whose tokens have no price here.
  return {
    lines: usage ? countedLines(usage) : [],
    reportedNano: null,
    discount: null,
    otherNano: nano === null || nano === 0 ? null : String(nano),
    roundingNano: null,
  }
}

interface Deps {
  store: Store
  records: Records
  clock: Clock
  key: InstallKey
  version: string
}

export class Receipts {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Throws 404, 400 while the request runs, and 503 if the signing key cannot be read. */
  async receipt(id: string, options: { names: boolean }): Promise<Receipt> {
    const { store, records, clock, key, version } = this.#deps
    const record = await records.get(id)
    if (record.status === 'running') {
      throw invalidRequest('This request is still running. Its receipt is available when it has ended.', {
        code: 'request_running',
      })
    }
    const confirmation = await store.read('getConfirmation', record.id)
    const { id: issuerId, x, privateKey } = await key.get()
    const issuer = { id: issuerId, x, software: `Tollgate ${version}` }
    const unsigned = createReceipt({ record, confirmation, issuer, ...options, issuedAt: clock.now() })
    const signature = sign(null, signedBytes(unsigned), privateKey).toString('base64url')
    return { ...unsigned, signature }
  }

  async verify(value: Readonly<Record<string, unknown>>): Promise<ReceiptCheck> {
    const checked = verifyReceipt(value)
    return { ...checked, issuedHere: checked.issuerId !== null && this.#deps.key.isOurs(checked.issuerId) }
  }

  install(): Promise<Install> {
    return this.#deps.key.describe()
  }
}
