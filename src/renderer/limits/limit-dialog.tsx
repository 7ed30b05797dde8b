import { useQuery } from '@tanstack/react-query'
import { Dialog } from '../components/dialog.tsx'
import { queries } from '../server-state/queries.ts'
import { CapForm } from './cap-form.tsx'
import { closeLimitDialog, useLimitDialog } from './limit-dialog-state.ts'
import { MonthlyLimitForm } from './monthly-limit-form.tsx'

/** Opened from outside the views, such as from a toast. */
export function LimitDialog() {
  const editing = useLimitDialog((state) => state.editing)
  const { data: keys } = useQuery(queries.keys)
  const { data: account } = useQuery(queries.account)
  if (editing === null) return null
  if (editing === 'month') {
    return account ? (
      <Dialog open onClose={closeLimitDialog} title="Monthly limit">
        <MonthlyLimitForm account={account} onDone={closeLimitDialog} />
      </Dialog>
    ) : null
  }
  const key = keys?.find(({ id, revokedAt }) => id === editing.keyId && revokedAt === null)
  return key ? (
    <Dialog open onClose={closeLimitDialog} title={`Cap of “${key.name}”`}>
      <CapForm record={key} onDone={closeLimitDialog} />
    </Dialog>
  ) : null
}
