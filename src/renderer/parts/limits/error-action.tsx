import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { AccountSpendLimitState } from '../../../shared/api/spend-limits.ts'
import { toKind } from '../../../shared/limits/limits.ts'
import { adviceFor } from '../../data/advice.ts'
import { queries } from '../../data/queries.ts'
import { LimitButton } from './limit-form.tsx'

interface ErrorActionProps {
  error: { type: string; code?: string | null | undefined; param?: string | null | undefined }
  /** The key of the failed request; null for that of the playground. */
  keyId: string | null
  /** The model that the request asked for. */
  model?: string | null | undefined
}

/**
 * The action next to the advice about a failed request: it raises the limit in place, or links to the view that can help.
 */
export function ErrorAction({ error, keyId, model = null }: ErrorActionProps) {
  const { data: keys } = useQuery(queries.keys)
  const { data: account } = useQuery(queries.account)
  const key = keys?.find((one) => (keyId === null ? one.purpose === 'playground' : one.id === keyId))
  const usable = key?.revokedAt === null ? key : null
  const kind = findKind(usable?.spendLimits, error.param)
  switch (error.code) {
    case 'account_limit_reached':
      return <LimitButton keyId={null} kind={findKind(account?.spendLimits, error.param)} />
    case 'spend_limit_reached':
      if (usable) return <LimitButton keyId={usable.id} kind={kind} />
      break
    case 'spend_reserved':
      // The running requests have reserved the rest of one of them.
      if (usable && (kind ?? usable.spendLimits[0])) return <LimitButton keyId={usable.id} kind={kind} />
      return <LimitButton keyId={null} />
    default:
  }
  const to = adviceFor(error, { keyId: usable?.id ?? null, model })?.to
  return to ? (
    <Link href={to.href} className="target shrink-0 font-medium text-accent-ink hover:underline">
      {to.label}
    </Link>
  ) : null
}

/** The kind of the limit that an error names by its place: `spendLimits[1]`. Undefined if it is not there any more. */
function findKind(limits: readonly AccountSpendLimitState[] | undefined, param: string | null | undefined) {
  const place = /^spendLimits\[(\d+)\]$/.exec(param ?? '')?.[1]
  const limit = place === undefined ? undefined : limits?.[Number(place)]
  return limit && toKind(limit)
}
