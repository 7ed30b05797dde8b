import { cn } from './cn.ts'
import { formatDuration, formatQuantity } from './format.ts'

interface ChangeProps {
  now: number
  before: number
  /** Writes an amount. */
  format: (value: number) => string
  /** The period of `before`, such as "1–22 Oct". */
  period: string
  className?: string
}

/** How far a sum is from that of the period before. Nothing where both are zero. */
export function Change({ now, before, format, period, className }: ChangeProps) {
  if (now === 0 && before === 0) return null
  const { sign, text, words } = describeChange(now, before)
  return (
    <span
      className={cn('whitespace-nowrap font-normal text-ink-3 text-sm tabular-nums', className)}
      title={`${format(before)} in ${period}`}
    >
      <span aria-hidden>{`${sign} ${text}`}</span>
      <span className="sr-only">{`${words} ${format(before)} in ${period}`}</span>
    </span>
  )
}

/** A factor above ten times, a percentage otherwise. */
export function describeChange(now: number, before: number): { sign: string; text: string; words: string } {
  if (before === 0) return { sign: '▲', text: 'new', words: 'Up from' }
  const percent = Math.round((now / before - 1) * 100)
  if (percent === 0) return { sign: '=', text: 'same', words: 'About the same as' }
  const sign = percent > 0 ? '▲' : '▼'
  const text = percent >= 1000 ? `${Math.round(now / before)}×` : `${Math.abs(percent)}%`
  return { sign, text, words: percent > 0 ? `Up ${text} from` : `Down ${text} from` }
}

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
