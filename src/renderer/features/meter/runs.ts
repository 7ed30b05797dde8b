// What the keys are spending now, and how fast.

import { useEffect, useRef, useState } from 'react'
import { t } from 'ttag'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import type { RunningRequest } from '../../../shared/api/requests.ts'
import { limitsOfKey } from '../../../shared/limits/limits.ts'
import { formatUsd } from '../../kit/format.ts'

/** The running requests of one key, or a key that was stopped a short time ago. */
export interface Run {
  key: KeyMetadata
  count: number
  /** Of the running requests so far, in USD. */
  costUsd: number
  /** The spend of the key with that of the running requests, in USD. */
  spentUsd: number
  isPaused: boolean
}

/** A key that was paused stays for so long, so that it can be resumed. */
const PAUSED_MS = 10 * 60_000

/** The most expensive first; those that are paused last. */
export function createRuns(
  keys: readonly KeyMetadata[],
  running: readonly RunningRequest[],
  nowMs: number,
): Run[] {
  const runs = keys.flatMap((key): Run[] => {
    const own = running.filter(({ keyId }) => keyId === key.id)
    const isPaused = key.pausedAt !== null && key.revokedAt === null
    const wasStopped = isPaused && nowMs - Date.parse(key.pausedAt ?? '') < PAUSED_MS
    if (own.length === 0 && !wasStopped) return []
    const costUsd = own.reduce((sum, each) => sum + (each.costUsd ?? 0), 0)
    return [{ key, count: own.length, costUsd, spentUsd: key.spendUsd + costUsd, isPaused }]
  })
  return runs.toSorted((a, b) => Number(a.isPaused) - Number(b.isPaused) || b.costUsd - a.costUsd)
}

/** A limit that is further away than this is described by its amount. */
const NEAR_MINUTES = 120

/** "limit in 9 min", "$4.97 left"; null without a limit that stops the key. */
export function describeRemainder({ key, costUsd }: Run, usdPerMinute: number | null): string | null {
  const left = limitsOfKey(key)
    .filter(({ warnsOnly }) => !warnsOnly)
    .map(({ limitUsd, spentUsd }) => Math.max(0, limitUsd - spentUsd - costUsd))
  if (left.length === 0) return null
  const leastUsd = Math.min(...left)
  const minutes = usdPerMinute === null || usdPerMinute <= 0 ? null : leastUsd / usdPerMinute
  if (minutes === null || minutes > NEAR_MINUTES) return t`${formatUsd(leastUsd)} left`
  return minutes < 1 ? t`limit in under a minute` : t`limit in ${Math.round(minutes)} min`
}

interface Sample {
  atMs: number
  spentUsd: number
}

const WINDOW_MS = 60_000
/** A shorter time says too little. */
const LEAST_MS = 3_000

/** USD per minute over the last minute, by the id of the key. Keys that have just begun are left out. */
export function useRates(runs: readonly Run[]): ReadonlyMap<string, number> {
  const samples = useRef(new Map<string, Sample[]>())
  const [rates, setRates] = useState<ReadonlyMap<string, number>>(new Map())
  useEffect(() => setRates(computeRates(samples.current, runs, Date.now())), [runs])
  return rates
}

/** Adds what is spent now to the samples, and forgets those that are old or of keys that do not run. */
export function computeRates(
  samples: Map<string, Sample[]>,
  runs: readonly Run[],
  nowMs: number,
): ReadonlyMap<string, number> {
  const rates = new Map<string, number>()
  for (const id of samples.keys()) if (!runs.some(({ key }) => key.id === id)) samples.delete(id)
  for (const { key, spentUsd } of runs) {
    const recent = (samples.get(key.id) ?? []).filter(({ atMs }) => nowMs - atMs <= WINDOW_MS)
    samples.set(key.id, [...recent, { atMs: nowMs, spentUsd }])
    const [first] = recent
    if (first && nowMs - first.atMs >= LEAST_MS)
      rates.set(key.id, (Math.max(0, spentUsd - first.spentUsd) / (nowMs - first.atMs)) * WINDOW_MS)
  }
  return rates
}
