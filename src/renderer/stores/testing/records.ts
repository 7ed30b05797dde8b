// Owns request records to test with.
import type { RequestRecord } from '../../../shared/requests.ts'

/** A small successful request of a certain second. */
export function record(id: string, second: number, part: Partial<RequestRecord> = {}): RequestRecord {
  return {
    id,
    createdAt: new Date(Date.UTC(2026, 10, 21, 12, 0, second)).toISOString(),
    keyId: 'key_1',
    keyName: 'SDK',
    requestedModel: 'sandbox-small',
    model: 'sandbox-small',
    provider: 'sandbox',
    stream: false,
    status: 'succeeded',
    httpStatus: 200,
    error: null,
    tokensIn: 1,
    tokensOut: 1,
    usage: null,
    costUsd: 0,
    costStatus: 'exact',
    costLowUsd: null,
    costHighUsd: null,
    reservedUsd: 0,
    price: null,
    attempts: [],
    timings: { queueMs: 0, firstByteMs: 1, totalMs: 2 },
    client: null,
    endpoint: null,
    count: 1,
    lastAt: null,
    bodiesKept: false,
    ...part,
  }
}
