import { formatDuration, formatQuantity } from './format.ts'

/** A percentile of fewer requests says little: one slow request moves it. */
const ENOUGH = 20

/** A percentile of durations, which is dimmed if it is of a few `requests` only. */
export function Percentile({ ms, requests }: { ms: number; requests: number }) {
  if (requests >= ENOUGH) return <span>{formatDuration(ms)}</span>
  const what = formatQuantity(requests, 'request')
  return (
    <span className="text-ink-3" title={`Of ${what} only`}>
      {formatDuration(ms)}
    </span>
  )
}
