// Sample rows for the store's tests.
import { nanoUsd } from '../../../shared/money/money.ts'
import type { Span } from '../../../shared/values/calendar.ts'
import { INITIAL_ROW } from '../rows/request-columns.ts'
import {
  type NewKey,
  type NewRequest,
  openStore,
  type Settlement,
  type Store,
  type StoreOptions,
} from '../store.ts'
import { startInSameThread } from './same-thread.ts'

/** 2026-03-10, noon UTC: the start of a 15-minute slot. */
export const NOON = Date.UTC(2026, 2, 10, 12)

/** Opens the store with its threads in that of the test. */
export function openTestStore(options: StoreOptions): Promise<Store> {
  return openStore({ ...options, startWorker: startInSameThread })
}

let keys = 0

export function sampleKey(id: string): NewKey {
  keys += 1
  const secretHash = new Uint8Array(32)
  new DataView(secretHash.buffer).setUint32(0, keys)
  return {
    id,
    name: `Key ${id}`,
    scope: 'full',
    purpose: 'user',
    secretHash,
    secretHint: null,
    createdAt: NOON,
    spendLimits: [{ usd: 12.5, per: 'lifetime' }],
    rpmLimit: null,
    tpmLimit: 1000,
    storeBodies: null,
  }
}

export function sampleRequest(id: string, patch: Partial<NewRequest> = {}): NewRequest {
  return {
    id,
    createdAt: NOON,
    keyId: 'key_a',
    requestedModel: 'small',
    stream: false,
    reservedNano: nanoUsd(900),
    estimateNano: nanoUsd(300),
    client: 'OpenAI/JS 7.55.0',
    ...patch,
  }
}

/** Without what only the opened request states, which a settlement does not change. */
const { sessionId: _session, tag: _tag, needs: _needs, ...UNSETTLED_COLUMNS } = INITIAL_ROW

export function sampleSettlement(id: string, patch: Partial<Settlement> = {}): Settlement {
  return {
    ...UNSETTLED_COLUMNS,
    id,
    status: 'succeeded',
    httpStatus: 200,
    error: null,
    model: 'small',
    provider: 'vendor',
    tokensIn: 10,
    tokensOut: 5,
    usage: {
      input: 10,
      cacheRead: 0,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      audioInput: 0,
      output: 5,
      audioOutput: 0,
      reasoning: 0,
      cacheReadAudio: 0,
    },
    costNano: nanoUsd(250),
    costStatus: 'exact',
    costLowNano: null,
    costHighNano: null,
    price: null,
    attempts: [{ provider: 'vendor', model: 'small', status: 200, startMs: 0, ms: 12.5, error: null }],
    queueMs: 0.5,
    firstByteMs: 3.25,
    totalMs: 12.75,
    settledAt: NOON + 13,
    ...patch,
  }
}

/** The spend of each span, whatever it was spent on. */
export async function spentIn(store: Store, ...spans: Span[]): Promise<number[]> {
  const part = { from: 0, bySlot: true, isGrouped: false, tag: null }
  const { sums } = await store.read('spendIn', [part])
  return spans.map(({ start, end }) =>
    sums
      .flat()
      .filter(({ slot }) => slot >= start && slot < end)
      .reduce((total, { nano }) => total + nano, 0),
  )
}

/** Opens and settles a request. */
export async function recordRequest(
  store: Store,
  id: string,
  open: Partial<NewRequest> = {},
  settled: Partial<Settlement> = {},
): Promise<void> {
  await store.write('openRequest', sampleRequest(id, open))
  await store.write('settleRequest', sampleSettlement(id, settled))
}
