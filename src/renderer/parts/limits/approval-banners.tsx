import { useQuery } from '@tanstack/react-query'
import { Hand } from 'lucide-react'
import { t } from 'ttag'
import type { Approval, ApprovalDecision } from '../../../shared/api/approvals.ts'
import { ALLOW_USD, describeApproval } from '../../../shared/limits/alerts.ts'
import { decideApproval } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { Menu } from '../../kit/menu.tsx'
import { useNow } from '../../kit/use-now.ts'
import { useSubmit } from '../../kit/use-submit.ts'

/** The other amounts that can be allowed with two clicks, in USD. */
const MORE_USD = [5, 10, 20]

/** Over every view: the limits that ask now, each with its answers. */
export function ApprovalBanners() {
  const { data = [] } = useQuery(queries.approvals)
  return data.map((approval) => <ApprovalBanner key={approval.id} approval={approval} />)
}

function ApprovalBanner({ approval }: { approval: Approval }) {
  const { id, keyName, model, expiresAt } = approval
  const now = useNow()
  const { pending, error, submit } = useSubmit()
  const { title, body } = describeApproval(approval)
  const answer = (decision: ApprovalDecision) => void submit(() => decideApproval(id, decision))
  const allow = (usd: number) => answer({ decision: 'allow', usd })
  const seconds = Math.max(0, Math.round((Date.parse(expiresAt) - now) / 1_000))
  return (
    <section
      aria-label={t`${keyName} asks to spend more`}
      className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-line border-b bg-accent-soft px-4 py-1.5"
    >
      <p className="min-w-60 flex-1 basis-96">
        <Hand size={15} aria-hidden className="mr-2 inline align-text-bottom" />
        <span role="alert">
          <strong className="font-semibold">{title}.</strong> {error?.message ?? body}
        </span>{' '}
        <span className="text-ink-3">{t`It is refused in ${formatSeconds(seconds)}.`}</span>
      </p>
      <div className="flex items-center gap-2">
        <Button small variant="primary" pending={pending} onClick={() => allow(ALLOW_USD)}>
          {t`Allow $${ALLOW_USD}`}
        </Button>
        {model === null ? null : (
          <Button small disabled={pending} onClick={() => answer({ decision: 'once' })}>{t`Once`}</Button>
        )}
        <Button small disabled={pending} onClick={() => answer({ decision: 'stop' })}>{t`Stop`}</Button>
        <Menu
          label={t`Allow another amount`}
          items={MORE_USD.map((usd) => ({ label: t`Allow $${usd}`, onSelect: () => allow(usd) }))}
        />
      </div>
    </section>
  )
}

function formatSeconds(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : t`${Math.round(seconds / 60)} min`
}
