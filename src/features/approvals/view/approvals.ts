import { api } from '../../../renderer/data/api.ts'
import { readFirst } from '../../../renderer/data/live-queries.ts'
import { query, refresh, refreshShown } from '../../../renderer/data/query-client.ts'
import { throttle } from '../../../renderer/data/throttle.ts'
import type { ApprovalDecision } from '../api/approvals.ts'

const PAUSE_MS = 250

/** The limits that ask now. */
export const approvals = {
  ...query(['approvals'], async () => (await api('listApprovals')).data),
  meta: {
    applyEvents(events: readonly { type: string }[]) {
      if (events.some(({ type }) => type === 'approval')) latest.run()
    },
  },
}

const latest = throttle(() => refresh(approvals), PAUSE_MS)

readFirst(() => void refreshShown(approvals.queryKey))

export async function decideApproval(id: string, decision: ApprovalDecision): Promise<void> {
  try {
    await api('decideApproval', { params: { id }, body: decision })
  } finally {
    // Also after a refusal: then another request waits, or none does.
    await refresh(approvals)
  }
}
