// The usage of a run, as the ledger has it.

import type { GatewayClient } from '../../host/gateway-client.ts'
import type { RequestRecord, UsageBuckets } from '../../shared/api/requests.ts'
import { NO_BUCKETS } from '../../shared/api/usage-buckets.ts'
import { listAllRequests } from '../list-requests.ts'

/** The sums read from the ledger. */
export interface RunSums {
  keyId: string
  name: string
  tag: string | null
  command: readonly string[]
  startedAt: string
  durationMs: number
  exitCode: number
  signal: string | null
  /** All that reached the gateway. */
  requests: number
  failed: number
  /** Stopped by a cap or limit, or not valid. */
  refused: number
  /** The number of requests that were still running when the receipt was made. */
  running: number
  /** The tokens in disjoint buckets; reasoning is part of the output. */
  tokens: Readonly<Record<keyof UsageBuckets, number>>
  models: readonly { model: string; requests: number; costUsd: number }[]
  costUsd: number
  /** Requests whose cost is counted or bounded by Tollgate, and those without a price, which are not in it. */
  estimated: number
  unpriced: number
  capUsd: number | null
  leftUsd: number | null
}

export interface RunReceipt extends RunSums {
  /** Whether the key was revoked. */
  revoked: boolean
}

/** The facts of a run without a receipt. */
export interface RunFailure extends RunFacts {
  /** Why the command could not be started, or why there is no receipt. */
  problem: string
  revoked: boolean
}

export type RunFacts = Pick<
  RunSums,
  'keyId' | 'name' | 'tag' | 'command' | 'startedAt' | 'durationMs' | 'exitCode' | 'signal'
>

/** How long requests of a command that has ended may take to be settled. */
const SETTLE_MS = 10_000

/** Waits until no request of the key runs, for ten seconds at most or until `hurry` aborts. */
export async function waitUntilSettled(
  client: GatewayClient,
  key: string,
  hurry: AbortSignal,
): Promise<void> {
  const ends = AbortSignal.any([hurry, AbortSignal.timeout(SETTLE_MS)])
  const isRunning = async () => {
    const { data } = await client.call('listRequests', { query: { key, status: 'running', limit: 1 } })
    return data.length > 0
  }
  const events = await client.events(ends).catch((error: unknown) => {
    if (ends.aborted) return null
    throw error
  })
  if (!events || !(await isRunning())) return
  for await (const event of events) {
    const hasEnded =
      event.type === 'request' && event.request.keyId === key && event.request.status !== 'running'
    if (hasEnded && !(await isRunning())) return
  }
}

export async function readReceipt(client: GatewayClient, facts: RunFacts): Promise<RunSums> {
  const { keyId, startedAt } = facts
  const [records, usage, key] = await Promise.all([
    listAllRequests(client, { key: keyId }),
    client.call('getUsage', { query: { key: keyId, groupBy: 'model', from: startedAt } }),
    client.call('getKey', { params: { id: keyId } }),
  ])
  const count = (matches: (record: RequestRecord) => boolean) =>
    records.reduce((sum, record) => sum + (matches(record) ? record.count : 0), 0)
  return {
    ...facts,
    requests: count(() => true),
    failed: count(({ status }) => status === 'failed'),
    refused: count(({ status }) => status === 'refused' || status === 'rejected'),
    running: count(({ status }) => status === 'running'),
    tokens: sumBuckets(records),
    models: usage.data.map(({ group, requests, costUsd }) => ({ model: group, requests, costUsd })),
    costUsd: key.spendUsd,
    estimated: count(({ costStatus }) => costStatus === 'estimated' || costStatus === 'unsettled'),
    unpriced: count(({ costStatus }) => costStatus === 'unknown'),
    capUsd: key.spendLimitUsd,
    leftUsd: key.spendLimitUsd === null ? null : Math.max(0, key.spendLimitUsd - key.spendUsd),
  }
}

function sumBuckets(records: readonly RequestRecord[]): RunReceipt['tokens'] {
  const sums: Record<string, number> = { ...NO_BUCKETS }
  for (const { usage } of records) {
    for (const [name, amount] of Object.entries(usage ?? {})) sums[name] = (sums[name] ?? 0) + (amount ?? 0)
  }
  return { ...NO_BUCKETS, ...sums }
}
