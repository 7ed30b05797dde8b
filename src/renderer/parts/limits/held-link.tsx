import { useMemo } from 'react'
import { Link } from 'wouter'
import { filterToSearch, noFilter } from '../../data/request-filter.ts'
import { useRequestTotals } from '../../data/request-log.ts'

interface HeldLinkProps {
  keyId: string | null
  /** For a card, where the amount is next to it. */
  short?: boolean
  className?: string
}

/** Leads to the requests after which an amount stays reserved, of a key or of all; nothing where none is. */
export function HeldLink({ keyId, short = false, className }: HeldLinkProps) {
  const filter = useMemo(() => ({ ...noFilter, key: keyId, held: 'true' as const }), [keyId])
  const { totals } = useRequestTotals(filter)
  if (!totals?.requests) return null
  return (
    <Link
      href={`/requests?${filterToSearch(filter)}`}
      className={className}
      {...(short ? { 'aria-label': 'Show held amounts' } : {})}
    >
      {short ? 'Show' : 'View held amounts'}
    </Link>
  )
}
