import { useQuery } from '@tanstack/react-query'
import { Hand } from 'lucide-react'
import { api } from '../../../renderer/data/api.ts'
import { readFirst } from '../../../renderer/data/live-queries.ts'
import { query, refresh, refreshShown, throttle } from '../../../renderer/data/query-client.ts'
import { nameUnread } from '../../../renderer/data/session-name.ts'
import { Button } from '../../../renderer/kit/button.tsx'
import { Menu } from '../../../renderer/kit/menu.tsx'
import { useNow } from '../../../renderer/kit/use-now.ts'
import { useSubmit } from '../../../renderer/kit/use-submit.ts'
import type { Approval, ApprovalDecision } from '../api/approvals.ts'
import { describeApproval, listAnswers } from '../api/texts.ts'

/** The other amounts that can be allowed with two clicks, in USD. */
const MORE_USD = [5, 10, 20]

/** Over every view: the questions that wait, each with its answers. */
export function ApprovalBanners() {
  const { data = [] } = useQuery(approvals)
  if (data.length === 0) return null
  // Many of them scroll, so that the view stays usable.
  return (
    <div className="max-h-[40vh] shrink-0 overflow-y-auto">
      {data.map((approval) => (
        <ApprovalBanner key={approval.id} approval={approval} />
      ))}
    </div>
  )
}

function ApprovalBanner({ approval }: { approval: Approval }) {
  const { id, kind, waiter, sessionId, waiting, expiresAt } = approval
  const now = useNow()
  const { pending, error, submit } = useSubmit()
  const { title, body } = describeApproval(approval)
  const answer = (decision: ApprovalDecision) => void submit(() => decideApproval(id, decision))
  const time = formatSeconds(Math.max(0, Math.round((Date.parse(expiresAt) - now) / 1_000)))
  const failure =
    error?.code === 'waiter_left'
      ? 'Your answer did not count, because the request that was shown has left. This one waits now.'
      : error?.message
  return (
    <section
      aria-label={title}
      className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-2 border-line-strong border-b bg-accent-soft px-4 py-1.5"
    >
      <p className="min-w-60 flex-1 basis-96">
        <Hand size={15} aria-hidden className="mr-2 inline align-text-bottom" />
        <span role="alert">
          <strong className="font-semibold">{title}.</strong>{' '}
          {failure ? <span className="font-medium text-bad">{failure} </span> : null}
          {body}
        </span>{' '}
        <span className="text-ink-3">
          {waiting > 1 ? `The last of them is refused in ${time}.` : `It is refused in ${time}.`}
          {sessionId === null ? '' : ` ${nameUnread(sessionId, sessionId)}.`}
        </span>
      </p>
      <div className="flex items-center gap-2">
        {listAnswers(approval).map(({ label, decision }, at) => (
          <Button
            key={label}
            small
            {...(at === 0 ? { variant: 'primary', pending } : { disabled: pending })}
            onClick={() => answer(decision)}
          >
            {label}
          </Button>
        ))}
        {kind === 'rule' ? null : (
          <Menu
            label="Allow another amount"
            items={MORE_USD.map((usd) => ({
              label: `Allow $${usd}`,
              onSelect: () => answer({ decision: 'allow', waiter, usd }),
            }))}
          />
        )}
      </div>
    </section>
  )
}

function formatSeconds(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}

const PAUSE_MS = 250

/** The questions that wait now. */
const approvals = {
  ...query(['approvals'], async () => (await api('listApprovals')).data),
  meta: {
    applyEvents(events: readonly { type: string }[]) {
      if (events.some(({ type }) => type === 'approval')) latest.run()
    },
  },
}

const latest = throttle(() => refresh(approvals), PAUSE_MS)

readFirst(() => void refreshShown(approvals.queryKey))

async function decideApproval(id: string, decision: ApprovalDecision): Promise<void> {
  try {
    await api('decideApproval', { params: { id }, body: decision })
  } finally {
    // Also after a refusal: then another request waits, or none does.
    await refresh(approvals)
  }
}
