import { useQuery } from '@tanstack/react-query'
import { toast } from 'sonner'
import { describeKind, isSameLimit, type LimitKind, withoutState } from '../../../shared/limits/limits.ts'
import { updateAccount, updateKey } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { formatUsd } from '../../kit/format.ts'
import { useNow } from '../../kit/use-now.ts'
import { AmountForm } from './amount-form.tsx'
import { describeReset } from './limit-text.ts'

interface SpendLimitFormProps {
  /** Null for the account. */
  keyId: string | null
  kind: LimitKind
  onDone: () => void
}

/** Edits the amount of one spend limit, or sets it. */
export function SpendLimitForm({ keyId, kind, onDone }: SpendLimitFormProps) {
  const { data: keys } = useQuery(queries.keys)
  const { data: account } = useQuery(queries.account)
  const now = useNow()
  const key = keys?.find(({ id }) => id === keyId)
  const limits = keyId === null ? account?.spendLimits : key?.spendLimits
  const who = key?.name ?? 'your keys'
  if (limits === undefined) return null
  const limit = limits.find((one) => isSameLimit(one, kind))
  const what = describeKind(kind)
  const spentUsd = limit?.spentUsd ?? 0
  const reset = limit ? describeReset(limit, now, account?.timeZone) : ''
  const save = async (usd: number | null) => {
    // Errors name a limit by its place, so it keeps it.
    const changed = limits.flatMap((one) => {
      if (one !== limit) return [withoutState(one)]
      return usd === null ? [] : [{ ...withoutState(one), usd }]
    })
    const next = limit !== undefined || usd === null ? changed : [...changed, { ...kind, usd }]
    await (keyId === null ? updateAccount({ spendLimits: next }) : updateKey(keyId, { spendLimits: next }))
    toast.success(
      usd === null ? `There is no limit ${what} now.` : `The limit is now ${formatUsd(usd)} ${what}.`,
    )
  }
  return (
    <AmountForm
      label={`Limit ${what} (USD)`}
      spentUsd={spentUsd}
      limitUsd={limit?.usd ?? null}
      placeholder="No limit"
      hint={
        limit
          ? `${formatUsd(spentUsd)} spent${kind.per === 'session' ? ' in the last session' : ''}${reset === '' ? '' : `, ${reset}`}.`
          : kind.per === 'session'
            ? 'Requests are refused once a session has cost this much. Other sessions continue.'
            : 'Requests are refused at this amount.'
      }
      stopsHint={`${formatUsd(spentUsd)} is already spent, so requests are refused${reset === '' ? '' : ` until it ${reset}`}.`}
      removeLabel="Remove limit"
      {...(limit?.action === 'warn' ? {} : { rehearsed: { keyId, who, kind } })}
      save={save}
      onDone={onDone}
    />
  )
}
