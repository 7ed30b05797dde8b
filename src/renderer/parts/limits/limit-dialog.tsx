import { useQuery } from '@tanstack/react-query'
import { queries } from '../../data/queries.ts'
import { Dialog } from '../../kit/dialog.tsx'
import { quoteName } from '../../kit/quote-name.ts'
import { CapForm } from './cap-form.tsx'
import { closeLimitDialog, useLimitDialog } from './limit-dialog-state.ts'
import { MonthlyLimitForm } from './monthly-limit-form.tsx'
import { SpendLimitForm } from './spend-limit-form.tsx'

/** Opened from outside the views, such as from a toast. */
export function LimitDialog() {
  const editing = useLimitDialog((state) => state.editing)
  const { data: keys } = useQuery(queries.keys)
  const { data: account } = useQuery(queries.account)
  if (editing === null) return null
  const { keyId, kind } = editing
  const key = keys?.find(({ id, revokedAt }) => id === keyId && revokedAt === null)
  if (account === undefined || (keyId !== null && key === undefined)) return null
  const title = kind !== null ? 'Limit' : key ? 'Cap' : 'Monthly limit'
  return (
    <Dialog open onClose={closeLimitDialog} title={key ? `${title} of ${quoteName(key.name)}` : title}>
      {kind !== null ? (
        <SpendLimitForm keyId={keyId} kind={kind} onDone={closeLimitDialog} />
      ) : key ? (
        <CapForm record={key} onDone={closeLimitDialog} />
      ) : (
        <MonthlyLimitForm account={account} onDone={closeLimitDialog} />
      )}
    </Dialog>
  )
}
