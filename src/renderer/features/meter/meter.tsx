// The small window that stays on top: what is being spent now, what is left, and a button that stops a run.

import { useQuery } from '@tanstack/react-query'
import { CirclePause, Play, X } from 'lucide-react'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import type { RunningRequest } from '../../../shared/api/requests.ts'
import { limitsOfKey } from '../../../shared/limits/limits.ts'
import { startLive } from '../../data/live.ts'
import { pauseKey, resumeKey } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { useRunning, useTodaySpend } from '../../data/running.ts'
import { StatusDot } from '../../kit/badge.tsx'
import { formatCount, formatUsd } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { isDesktop } from '../../kit/is-desktop.ts'
import { Money } from '../../kit/money.tsx'
import { reportFailure } from '../../kit/show-error.ts'
import { useNow } from '../../kit/use-now.ts'

/** Alerts are shown by the main window. */
const showNothing = () => undefined

export function Meter() {
  useLayoutEffect(() => startLive(showNothing), [])
  const { data: keys = none } = useQuery(queries.keys)
  const running = useRunning()
  const now = useNow()
  const runs = useMemo(() => createRuns(keys, running, now), [keys, running, now])
  const rates = useRates(runs)
  const today = useTodaySpend()
  return (
    <main className="flex h-full flex-col overflow-hidden bg-surface">
      <section
        aria-label="Spent today"
        className="flex shrink-0 items-center gap-2 border-line border-b px-3 py-2 [-webkit-app-region:drag]"
      >
        <h1 className="sr-only">Taximeter</h1>
        <StatusDot tone={running.length > 0 ? 'accent' : 'plain'} pulse={running.length > 0}>
          <span className="text-ink-3 text-sm">Today</span>
        </StatusDot>
        <span className="flex-1 font-semibold text-xl tabular-nums" aria-live="off">
          {today === null ? '–' : <Money usd={today} />}
        </span>
        {isDesktop ? (
          <span className="[-webkit-app-region:no-drag]">
            <IconButton small label="Close" icon={X} onClick={() => window.close()} />
          </span>
        ) : null}
      </section>
      {runs.length === 0 ? (
        <p className="m-auto px-3 text-ink-3 text-sm">Nothing is running.</p>
      ) : (
        <ul aria-label="Runs" className="min-h-0 flex-1 divide-y divide-line overflow-y-auto">
          {runs.map((run) => (
            <RunRow key={run.key.id} run={run} usdPerMinute={rates.get(run.key.id) ?? null} />
          ))}
        </ul>
      )}
    </main>
  )
}

const none: readonly KeyMetadata[] = []

function RunRow({ run, usdPerMinute }: { run: Run; usdPerMinute: number | null }) {
  const { key, costUsd, count, isPaused } = run
  return (
    <li className="flex items-center gap-2 px-3 py-1.5">
      <div className="min-w-0 flex-1">
        <p className="flex items-baseline gap-2">
          <span className="truncate font-medium">
            <bdi>{key.name}</bdi>
          </span>
          {isPaused ? null : (
            <span className="ml-auto tabular-nums">
              <Money usd={costUsd} />
            </span>
          )}
        </p>
        <p className="truncate text-ink-3 text-sm tabular-nums">
          {isPaused
            ? 'Paused'
            : [
                `${formatCount(count)} running`,
                usdPerMinute === null ? null : `${formatUsd(usdPerMinute)}/min`,
                describeRemainder(run, usdPerMinute),
              ]
                .filter(Boolean)
                .join(' · ')}
        </p>
      </div>
      {isPaused ? (
        <IconButton
          small
          label={`Resume ${key.name}`}
          icon={Play}
          onClick={() => void reportFailure(resumeKey(key.id))}
        />
      ) : (
        <IconButton
          small
          label={`Stop ${key.name}`}
          icon={CirclePause}
          onClick={() => void reportFailure(pauseKey(key.id, 'end'))}
        />
      )}
    </li>
  )
}

// The keys that are spending now, and how fast.

/** The running requests of one key, or a key that was stopped a short time ago. */
interface Run {
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
  if (minutes === null || minutes > NEAR_MINUTES) return `${formatUsd(leastUsd)} left`
  return minutes < 1 ? 'limit in under a minute' : `limit in ${Math.round(minutes)} min`
}

interface Sample {
  atMs: number
  spentUsd: number
}

const WINDOW_MS = 60_000
/** A shorter time says too little. */
const LEAST_MS = 3_000

/** USD per minute over the last minute, by the id of the key. Keys that have just begun are left out. */
function useRates(runs: readonly Run[]): ReadonlyMap<string, number> {
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
