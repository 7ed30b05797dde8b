import { useState } from 'react'
import { toast } from 'sonner'
import type { Reconciliation } from '../../../shared/api/reconciliations.ts'
import { settleReconciliation } from '../../data/reconciliations.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { formatCount, formatUsdExact } from '../../kit/format.ts'
import { InlineError } from '../../kit/notice.tsx'
import { useSubmit } from '../../kit/use-submit.ts'

/** Offers to settle uncertain charges at the amounts of the export, after saying what will change. */
export function SettleCard({ report }: { report: Reconciliation }) {
  const [asking, setAsking] = useState(false)
  const { pending, error, submit } = useSubmit()
  const { open, settled, settleable } = report
  const skipped = settleable.filter(({ state }) => state === 'skipped').length
  const settle = () =>
    void submit(
      () => settleReconciliation(report.id),
      ({ settled: { requests } }) => {
        setAsking(false)
        toast.success(`${charges(requests)} settled.`)
      },
    )
  if (settleable.length === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg bg-sunken px-4 py-3">
      <p className="min-w-0 flex-1">
        {open.requests > 0 ? (
          <>
            <span className="font-medium">The export settles {charges(open.requests)}</span> that so far{' '}
            {open.requests === 1 ? 'is' : 'are'} estimated or unsettled. Spend changes by{' '}
            {signed(open.changeUsd)}.
          </>
        ) : (
          <>
            {charges(settled.requests)} settled from this export; spend changed by {signed(settled.changeUsd)}
            .
          </>
        )}
        {skipped > 0 ? ` ${charges(skipped)} could not be settled, because of other changes or bounds.` : ''}
      </p>
      {open.requests > 0 ? (
        <Button variant="primary" needsGateway className="print:hidden" onClick={() => setAsking(true)}>
          Settle charges…
        </Button>
      ) : null}
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={`Settle ${charges(open.requests)}`}
        description="This cannot be undone."
      >
        <p>
          Each is charged what the export says. Spend of the keys and the account, caps and all totals change
          by <span className="font-medium">{signed(open.changeUsd)}</span>, in the days and months of the
          requests.
        </p>
        <InlineError error={error} />
        <DialogActions>
          <Button onClick={() => setAsking(false)}>Cancel</Button>
          <Button variant="primary" pending={pending} onClick={settle}>
            Settle {charges(open.requests)}
          </Button>
        </DialogActions>
      </Dialog>
    </div>
  )
}

function charges(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'charge' : 'charges'}`
}

function signed(usd: number): string {
  return usd > 0 ? `+${formatUsdExact(usd)}` : formatUsdExact(usd)
}
