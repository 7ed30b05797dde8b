import type { Attempt, RequestRecord } from '../../../shared/api/requests.ts'
import { Badge } from '../../kit/badge.tsx'
import { formatDuration } from '../../kit/format.ts'

interface Part {
  name: string
  ms: number
  look: string
  /** Listed however short it is. */
  isAttempt?: true
}

/** Shorter parts are left out, except for attempts. */
const LEAST_MS = 0.5

/** Everything that a request took time for, on one axis: the queue, its attempts, the waits between them, the response. */
export function Timeline({ record }: { record: RequestRecord }) {
  const { totalMs } = record.timings
  if (totalMs === null) return null
  const parts = listParts(record, totalMs).filter(({ ms, isAttempt }) => isAttempt || ms >= LEAST_MS)
  const shown = parts.reduce((sum, { ms }) => sum + ms, 0)
  return (
    <div>
      {parts.length > 0 ? (
        <div aria-hidden className="mb-2 flex h-2 gap-px overflow-hidden rounded-full bg-line">
          {parts.map(({ ms, look }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts are known by their order
            <div key={index} className={look} style={{ flexGrow: ms / shown, minWidth: 2 }} />
          ))}
        </div>
      ) : null}
      <dl className="grid grid-cols-[1fr_auto] gap-y-1 text-sm">
        {parts.map(({ name, ms, look }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are known by their order
          <div key={index} className="contents">
            <dt className="flex items-center gap-2 text-ink-2">
              <span aria-hidden className={`size-2 rounded-full ${look}`} />
              {name}
            </dt>
            <dd className="text-right">{formatDuration(ms)}</dd>
          </div>
        ))}
        <dt className="font-semibold">Total</dt>
        <dd className="text-right font-semibold">{formatDuration(totalMs)}</dd>
      </dl>
    </div>
  )
}

function listParts({ attempts, stream, timings: { queueMs, firstByteMs } }: RequestRecord, totalMs: number) {
  const queue = queueMs ?? 0
  const parts: Part[] = [{ name: 'Queued in the gateway', ms: queue, look: 'bg-ink-3' }]
  // When the part begins that is not in the list yet, from the first attempt.
  let at = 0
  for (const [index, { startMs, ms, error }] of attempts.entries()) {
    const isLast = index === attempts.length - 1
    if (startMs === undefined) continue
    parts.push({ name: 'Wait before the next attempt', ms: startMs - at, look: 'bg-line-strong' })
    at = startMs
    if (isLast && (error === null || firstByteMs !== null)) break
    parts.push({ name: `Attempt ${index + 1}, failed`, ms, look: 'bg-bad', isAttempt: true })
    at += ms
  }
  const ends = totalMs - queue
  if (firstByteMs === null)
    return [
      ...parts,
      { name: at > 0 ? 'Response to the client' : 'Response', ms: ends - at, look: 'bg-accent' },
    ]
  const many = attempts.length > 1
  const before = many && at === 0 ? 'Attempts and waits' : 'Time to first byte'
  return [
    ...parts,
    {
      name: many && at > 0 ? `Attempt ${attempts.length}, time to first byte` : before,
      ms: firstByteMs - at,
      look: 'bg-accent opacity-50',
    },
    { name: stream ? 'Streaming' : 'Reading the response', ms: ends - firstByteMs, look: 'bg-accent' },
  ]
}

interface AttemptsProps {
  attempts: readonly Attempt[]
  /** The names by id. */
  providerNames: ReadonlyMap<string, string>
}

export function Attempts({ attempts, providerNames }: AttemptsProps) {
  return (
    <ol className="flex flex-col divide-y divide-line rounded-lg border border-line">
      {attempts.map((attempt, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: attempts are numbered by their order
        <li key={index} className="px-3 py-2 text-sm">
          <div className="flex items-center gap-2">
            <span className="min-w-0 flex-1 truncate font-medium">
              {providerNames.get(attempt.provider) ?? attempt.provider}{' '}
              <span className="font-normal text-ink-3">{attempt.model}</span>
            </span>
            <Badge tone={attempt.error === null ? 'good' : 'bad'}>{attempt.status ?? 'no response'}</Badge>
            <span className="w-16 text-right text-ink-2">{formatDuration(attempt.ms)}</span>
          </div>
          {attempt.error ? <p className="mt-1 break-words text-ink-2">{attempt.error}</p> : null}
        </li>
      ))}
    </ol>
  )
}
