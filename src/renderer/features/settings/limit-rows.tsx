import { useState } from 'react'
import { toast } from 'sonner'
import { z } from 'zod'
import type { Account, Plan, PlanLimits, Settings } from '../../../shared/api/account.ts'
import type { AccountSpendLimitState } from '../../../shared/api/spend-limits.ts'
import { updateAccount, updateSettings } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { refresh } from '../../data/query-client.ts'
import { Button } from '../../kit/button.tsx'
import { useForm } from '../../kit/form.tsx'
import { formatCount } from '../../kit/format.ts'
import { InlineError } from '../../kit/notice.tsx'
import { parseCount } from '../../kit/number-input.ts'
import { type LimitDraft, LimitDrafts, toDrafts } from '../../parts/limits/limit-draft.ts'
import { LimitRows } from '../../parts/limits/limit-list.tsx'
import { FieldRow, Row } from '../../parts/settings/section.tsx'

type RateLimit = 'requestsPerMinute' | 'tokensPerMinute'

interface RateLimitRowProps {
  limit: RateLimit
  text: string
  account: Account
  plans: readonly Plan[]
  settings: Settings
}

export function RateLimitRow({ limit, text, account: { plan }, plans, settings }: RateLimitRowProps) {
  const own = settings.planLimits[plan]?.[limit]
  const inForce = plans.find(({ id }) => id === plan)?.[limit]
  return (
    <FieldRow<number | null>
      text={text}
      placeholder={own === undefined && inForce ? `Default (${formatCount(inForce)})` : 'Default'}
      inputMode="numeric"
      stored={own === undefined ? '' : formatCount(own)}
      parse={(typed) => {
        const count = parseCount(typed)
        return count.ok ? { value: count.count } : count.message
      }}
      save={async (count) => {
        await updateSettings({ planLimits: withLimit(settings.planLimits, plans, limit, count) })
        await refresh(queries.plans)
      }}
    />
  )
}

/** The limit in all plans: it stays as it is when the negotiated discount is turned on or off. */
function withLimit(
  planLimits: PlanLimits,
  plans: readonly Plan[],
  limit: RateLimit,
  count: number | null,
): PlanLimits {
  const changed = plans.map(({ id }) => {
    const { [limit]: _, ...others } = planLimits[id] ?? {}
    return [id, count === null ? others : { ...others, [limit]: count }] as const
  })
  return Object.fromEntries(changed.filter(([, limits]) => Object.keys(limits).length > 0))
}

/** The limits of all keys together besides the monthly one. */
export function FurtherLimits({ limits }: { limits: readonly AccountSpendLimitState[] }) {
  const [edits, setEdits] = useState(0)
  return (
    <Row
      text="For all keys together: for a day, a week or a session, for some models, or for one project."
      below={
        // They may be changed elsewhere, such as where one has stopped a request.
        <LimitsForm
          key={`${edits} ${writeDrafts(toDrafts(limits))}`}
          limits={limits}
          onCancel={() => setEdits(edits + 1)}
        />
      }
    />
  )
}

const AccountLimits = z.object({ spendLimits: LimitDrafts })

interface LimitsFormProps {
  limits: readonly AccountSpendLimitState[]
  onCancel: () => void
}

/** Several fields make one limit, so they are saved with a button. */
function LimitsForm({ limits, onCancel }: LimitsFormProps) {
  const form = useForm(AccountLimits, () => ({ spendLimits: toDrafts(limits) }))
  const { spendLimits } = form.draft
  const save = form.onSubmit(updateAccount, () => void toast.success('The limits were saved.'))
  return (
    <form onSubmit={save} className="mt-3 flex flex-col gap-3">
      <LimitRows
        withProject
        drafts={spendLimits}
        onChange={(next) => form.change({ spendLimits: next })}
        saved={limits}
        showMissing={form.tried}
        keyId={null}
      />
      <InlineError error={form.error} />
      {writeDrafts(spendLimits) === writeDrafts(toDrafts(limits)) ? null : (
        <div className="flex justify-end gap-2">
          <Button onClick={onCancel}>Cancel</Button>
          <Button type="submit" variant="primary" pending={form.pending}>
            Save limits
          </Button>
        </div>
      )}
    </form>
  )
}

function writeDrafts(drafts: readonly LimitDraft[]): string {
  return JSON.stringify(drafts.map(({ id: _, ...draft }) => draft))
}
