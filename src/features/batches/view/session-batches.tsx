// The batches of a session, each as one node with its progress.
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../../renderer/data/api.ts'
import { liveQuery } from '../../../renderer/data/live-queries.ts'
import { Button } from '../../../renderer/kit/button.tsx'
import { ConfirmDialog } from '../../../renderer/kit/dialog.tsx'
import { chooseUsdDecimals, formatCount, formatQuantity, formatUsd } from '../../../renderer/kit/format.ts'
import { Money } from '../../../renderer/kit/money.tsx'
import type { LiveEvent } from '../../../shared/api/events.ts'
import type { BatchJob } from '../api/batches.ts'

function applyBatches(jobs: readonly BatchJob[], events: readonly LiveEvent[], session: string) {
  const news = events.flatMap((event) =>
    event.type === 'batch' && event.batch.sessionId === session ? [event.batch] : [],
  )
  if (news.length === 0) return jobs
  const byId = new Map([...jobs, ...news].map((job) => [job.id, job]))
  return [...byId.values()].sort((one, other) => other.createdAt.localeCompare(one.createdAt))
}

export function SessionBatches({ session }: { session: string }) {
  const batches = useMemo(
    () =>
      liveQuery<readonly BatchJob[]>({
        queryKey: ['session-batches', session],
        read: async () => (await api('listBatchJobs', { query: { session, limit: 200 } })).data,
        apply: (jobs, events) => applyBatches(jobs, events, session),
      }),
    [session],
  )
  const { data = [] } = useQuery(batches)
  const [canceled, setCanceled] = useState<BatchJob | null>(null)
  if (data.length === 0) return null
  const decimals = chooseUsdDecimals(data.map(({ costUsd }) => costUsd))
  return (
    <section aria-label="Batches">
      <h3 className="mb-2 font-medium text-ink-3 text-xs">Batches</h3>
      <ul className="flex flex-col gap-4">
        {data.map((job) => (
          <li key={job.id}>
            <BatchNode job={job} decimals={decimals} onCancel={() => setCanceled(job)} />
          </li>
        ))}
      </ul>
      <ConfirmDialog
        open={canceled !== null}
        onClose={() => setCanceled(null)}
        title="Cancel this batch?"
        description="The provider does no more of its requests. Those that it has done are charged, and the rest is released."
        action="Cancel batch"
        onConfirm={async () => {
          if (canceled) await api('cancelBatchJob', { params: { id: canceled.id } })
        }}
      />
    </section>
  )
}

/** The statuses of a batch that its provider can cancel. */
const CANCELABLE: readonly string[] = ['validating', 'in_progress']

interface BatchNodeProps {
  job: BatchJob
  decimals: number
  onCancel: () => void
}

function BatchNode({ job, decimals, onCancel }: BatchNodeProps) {
  const { id, sessionId, lines, done, models, costUsd, problem, settled, status } = job
  const share = lines === 0 ? 0 : (done / lines) * 100
  return (
    <>
      <p className="flex items-baseline gap-3">
        <Link
          href={`/requests?session=${encodeURIComponent(sessionId)}&batch=${encodeURIComponent(id)}`}
          className="min-w-0 truncate font-medium text-accent-ink hover:underline"
          title={id}
        >
          {formatQuantity(lines, 'request')}, {models.join(', ')}
        </Link>
        <Money usd={costUsd} decimals={decimals} className="ml-auto shrink-0 tabular-nums" />
      </p>
      <div aria-hidden className="mt-1 h-1 overflow-hidden rounded-full bg-line">
        <div className="h-full bg-(--chart-1)" style={{ width: `${Math.min(share, 100)}%` }} />
      </div>
      <div className="mt-1 flex items-center justify-between gap-3">
        <p className="text-ink-3 text-sm">{describeProgress(job)}</p>
        {!settled && CANCELABLE.includes(status) ? (
          <Button small variant="quiet" needsGateway onClick={onCancel}>
            Cancel
          </Button>
        ) : null}
      </div>
      {problem === null ? null : <p className="text-sm text-warn-ink">{problem}</p>}
    </>
  )
}

/** `in progress · 1,200 of 50,000 done · 3 failed · $4.10 reserved`. */
function describeProgress(job: BatchJob): string {
  const { status, lines, done, failed, reservedUsd, settled, keyPaused } = job
  return [
    settled ? 'settled' : status.replaceAll('_', ' '),
    `${formatCount(done)} of ${formatCount(lines)} done`,
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    ...(reservedUsd > 0 ? [`${formatUsd(reservedUsd)} reserved`] : []),
    ...(keyPaused ? ['continues although its key is paused'] : []),
  ].join(' · ')
}
