// Owns how one request is shown, be it the ledger's or one that never came so far. Pure.
import { type NanoUsd, nanoToUsd } from '../../shared/money.ts'
import type { RequestRecord } from '../../shared/requests.ts'
import type { StoredRequest } from '../store/rows.ts'
import type { Rejection } from './rejections.ts'

export function requestView(row: StoredRequest, keyName: string): RequestRecord {
  return {
    id: row.id,
    createdAt: iso(row.createdAt),
    keyId: row.keyId,
    keyName,
    requestedModel: row.requestedModel,
    model: row.model,
    provider: row.provider,
    stream: row.stream,
    status: row.status,
    httpStatus: row.httpStatus,
    error: row.error,
    tokensIn: row.tokensIn,
    tokensOut: row.tokensOut,
    usage: row.usage,
    costUsd: usd(row.costNano),
    costStatus: row.costStatus,
    costLowUsd: usd(row.costLowNano),
    costHighUsd: usd(row.costHighNano),
    reservedUsd: nanoToUsd(row.reservedNano),
    price: row.price,
    attempts: row.attempts,
    timings: row.timings,
    client: row.client,
    endpoint: null,
    count: row.count,
    lastAt: row.lastAt === null ? null : iso(row.lastAt),
    bodiesKept: row.bodiesKept,
  }
}

/** Nobody was asked, so nothing was consumed and nothing took time. */
export function rejectionView({ createdAt, lastAt, ...row }: Rejection, keyName: string): RequestRecord {
  return {
    ...row,
    createdAt: iso(createdAt),
    lastAt: lastAt === null ? null : iso(lastAt),
    keyName,
    model: null,
    provider: null,
    status: 'rejected',
    tokensIn: 0,
    tokensOut: 0,
    usage: null,
    costUsd: 0,
    costStatus: 'free',
    costLowUsd: null,
    costHighUsd: null,
    reservedUsd: 0,
    price: null,
    attempts: [],
    timings: { queueMs: null, firstByteMs: null, totalMs: null },
    bodiesKept: false,
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

function usd(nano: NanoUsd | null): number | null {
  return nano === null ? null : nanoToUsd(nano)
}
