import type { Attempt, RequestRecord } from '../../../shared/requests.ts'
import { Badge } from '../../components/badge.tsx'
import { formatDuration } from '../../format.ts'

export function Timeline({ record }: { record: RequestRecord }) {
  const { queueMs, firstByteMs, totalMs } = record.timings
  if (totalMs === null) return null
  const queue = queueMs ?? 0
  const parts = [
    { name: 'Queued in the gateway', ms: queue, look: 'bg-ink-3' },
    ...(firstByteMs === null
      ? [{ name: 'Response', ms: totalMs - queue, look: 'bg-accent' }]
      : [
          { name: 'Time to first byte', ms: firstByteMs, look: 'bg-accent opacity-50' },
          {
            name: record.stream ? 'Streaming' : 'Reading the response',
            ms: Math.max(0, totalMs - queue - firstByteMs),
            look: 'bg-accent',
          },
        ]),
  ].filter(({ ms }) => ms >= 0.5)
  const shown = parts.reduce((sum, { ms }) => sum + ms, 0)
  return (
    <div>
      {parts.length > 0 ? (
        <div aria-hidden className="mb-2 flex h-2 gap-px overflow-hidden rounded-full bg-line">
          {parts.map(({ name, ms, look }) => (
            <div key={name} className={look} style={{ flexGrow: ms / shown }} />
          ))}
        </div>
      ) : null}
      <dl className="grid grid-cols-[1fr_auto] gap-y-1 text-sm">
        {parts.map(({ name, ms, look }) => (
          <div key={name} className="contents">
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

interface AttemptsProps {
  attempts: readonly Attempt[]
  /** By id. */
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
