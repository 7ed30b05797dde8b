import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type DateRange, LAST_12_MONTHS } from '../../data/date-range.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'

interface EmptyPeriodActionProps {
  range: DateRange
  onRange: (range: DateRange) => void
}

/** Leads out of a range without requests: to a longer one, or to Connect if there has never been a request or no longer range. */
export function EmptyPeriodAction({ range, onRange }: EmptyPeriodActionProps) {
  const isLongest = 'preset' in range && range.preset === LAST_12_MONTHS.preset
  return useHasRequests() && !isLongest ? (
    <Button onClick={() => onRange(LAST_12_MONTHS)}>Show the last 12 months</Button>
  ) : (
    <Link href="/connect" className="font-medium text-accent-ink hover:underline">
      Connect a tool
    </Link>
  )
}

/** Whether a key was ever used. The window's own key is an admin key, and sends no requests to models. */
export function useHasRequests(): boolean {
  const { data: keys } = useQuery(queries.keys)
  return keys === undefined || keys.some(({ scope, lastUsedAt }) => scope !== 'admin' && lastUsedAt !== null)
}
