import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { adviceFor } from '../advice.ts'
import { queries } from '../server-state/queries.ts'
import { RaiseCap, RaiseMonthlyLimit } from './raise-limit.tsx'

interface ErrorActionProps {
  error: { type: string; code?: string | null | undefined }
  /** The key of the failed request; null for that of the playground. */
  keyId: string | null
  /** The model that the request asked for. */
  model?: string | null | undefined
}

/** The action beside the advice about a failed request: it raises the limit in place, or links to the view that can help. */
export function ErrorAction({ error, keyId, model = null }: ErrorActionProps) {
  const { data: keys } = useQuery(queries.keys)
  const key = keys?.find((one) => (keyId === null ? one.purpose === 'playground' : one.id === keyId))
  const usable = key?.revokedAt === null ? key : null
  switch (error.code) {
    case 'account_limit_reached':
      return <RaiseMonthlyLimit />
    case 'spend_limit_reached':
      if (usable) return <RaiseCap record={usable} />
      break
    case 'spend_reserved':
      // The running requests have reserved the rest of one of the two.
      if (usable && usable.spendLimitUsd !== null) return <RaiseCap record={usable} />
      return <RaiseMonthlyLimit />
    default:
  }
  const to = adviceFor(error, { keyId: usable?.id ?? null, model })?.to
  return to ? (
    <Link href={to.href} className="shrink-0 font-medium text-accent-ink hover:underline">
      {to.label}
    </Link>
  ) : null
}
