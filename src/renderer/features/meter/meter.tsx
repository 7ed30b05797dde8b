// The small window that stays on top: what is being spent now, what is left, and a button that stops a run.

import { useQuery } from '@tanstack/react-query'
import { CirclePause, Play, X } from 'lucide-react'
import { useLayoutEffect, useMemo } from 'react'
import { t } from 'ttag'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { startLive } from '../../data/live.ts'
import { pauseKey, resumeKey } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { useRunning, useTodaySpend } from '../../data/running.ts'
import { toApiError } from '../../kit/api-error.ts'
import { StatusDot } from '../../kit/badge.tsx'
import { formatCount, formatUsd } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { isDesktop } from '../../kit/is-desktop.ts'
import { Money } from '../../kit/money.tsx'
import { showError } from '../../kit/show-error.ts'
import { useNow } from '../../kit/use-now.ts'
import { createRuns, describeRemainder, type Run, useRates } from './runs.ts'

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
        aria-label={t`Spent today`}
        className="flex shrink-0 items-center gap-2 border-line border-b px-3 py-2 [-webkit-app-region:drag]"
      >
        <h1 className="sr-only">{t`Taximeter`}</h1>
        <StatusDot tone={running.length > 0 ? 'accent' : 'plain'} pulse={running.length > 0}>
          <span className="text-ink-3 text-sm">{t`Today`}</span>
        </StatusDot>
        <span className="flex-1 font-semibold text-xl tabular-nums" aria-live="off">
          {today === null ? '–' : <Money usd={today} />}
        </span>
        {isDesktop ? (
          <span className="[-webkit-app-region:no-drag]">
            <IconButton small label={t`Close`} icon={X} onClick={() => window.close()} />
          </span>
        ) : null}
      </section>
      {runs.length === 0 ? (
        <p className="m-auto px-3 text-ink-3 text-sm">{t`Nothing is running.`}</p>
      ) : (
        <ul aria-label={t`Runs`} className="min-h-0 flex-1 divide-y divide-line overflow-y-auto">
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
  const change = (action: Promise<void>) => action.catch((thrown) => showError(toApiError(thrown).message))
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
            ? t`Paused`
            : [
                t`${formatCount(count)} running`,
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
          label={t`Resume ${key.name}`}
          icon={Play}
          onClick={() => void change(resumeKey(key.id))}
        />
      ) : (
        <IconButton
          small
          label={t`Stop ${key.name}`}
          icon={CirclePause}
          onClick={() => void change(pauseKey(key.id, 'end'))}
        />
      )}
    </li>
  )
}
