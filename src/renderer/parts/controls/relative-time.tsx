import { useTimeZone } from '../../data/hooks.ts'
import { formatAgo, formatMoment } from '../../kit/format.ts'
import { useNow } from '../../kit/use-now.ts'

export function RelativeTime({ iso }: { iso: string }) {
  const timeZone = useTimeZone()
  return (
    <time dateTime={iso} title={formatMoment(iso, timeZone)}>
      {formatAgo(iso, useNow(), timeZone)}
    </time>
  )
}
