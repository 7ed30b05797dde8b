import { toast } from 'sonner'
import type { Account } from '../../../shared/api/account.ts'
import { updateAccount } from '../../data/mutations.ts'
import { formatDay, formatUsd } from '../../kit/format.ts'
import { AmountForm } from './amount-form.tsx'

/** Edits the limit on what all keys together can spend in a calendar month. */
export function MonthlyLimitForm({ account, onDone }: { account: Account; onDone: () => void }) {
  const { monthSpendUsd, monthlyLimitUsd, monthResetsAt, timeZone } = account
  const resets = formatDay(monthResetsAt, Date.now(), timeZone)
  return (
    <AmountForm
      label="Monthly limit (USD)"
      spentUsd={monthSpendUsd}
      limitUsd={monthlyLimitUsd}
      placeholder="No limit"
      hint={`For all keys together; ${formatUsd(monthSpendUsd)} spent this month. Resets on ${resets}.`}
      stopsHint={`This rejects the requests of every key until ${resets}: ${formatUsd(monthSpendUsd)} is already spent this month.`}
      removeLabel="Remove limit"
      rehearsed={{ keyId: null, who: 'your keys', kind: null }}
      save={async (limitUsd) => {
        await updateAccount({ monthlyLimitUsd: limitUsd })
        toast.success(
          limitUsd === null ? 'Monthly limit removed.' : `The monthly limit is now ${formatUsd(limitUsd)}.`,
        )
      }}
      onDone={onDone}
    />
  )
}
