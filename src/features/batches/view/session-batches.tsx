// The batches of a session, each as one node with its progress.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { api } from '../../../renderer/data/api.ts'
import { liveQuery } from '../../../renderer/data/live-queries.ts'
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
  if (data.length === 0) return null
  const decimals = chooseUsdDecimals(data.map(({ costUsd }) => costUsd))
  return (
    <section aria-label="Batches">
      <h3 className="mb-2 font-medium text-ink-3 text-xs">Batches</h3>
      <ul className="flex flex-col gap-4">
        {data.map((job) => (
          <li key={job.id}>
            <BatchNode job={job} decimals={decimals} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function BatchNode({ job, decimals }: { job: BatchJob; decimals: number }) {
  const { id, sessionId, lines, done, models, costUsd, problem } = job
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
      <p className="mt-1 text-ink-3 text-sm">{describeProgress(job)}</p>
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
