import { type FormEvent, useEffect, useState } from 'react'
import { toast } from 'sonner'
import type { Account, Plan, PlanLimits, Settings } from '../../../shared/api/account.ts'
import type { AccountSpendLimitState } from '../../../shared/api/spend-limits.ts'
import { updateAccount, updateSettings } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { refresh } from '../../data/query-client.ts'
import { Button } from '../../kit/button.tsx'
import { formatCount, formatDay, formatUsd } from '../../kit/format.ts'
import { InlineError } from '../../kit/notice.tsx'
import { parseCount, parseUsd } from '../../kit/number-input.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { type LimitDraft, parseDrafts, toDrafts } from '../../parts/limits/limit-draft.ts'
import { LimitRows } from '../../parts/limits/limit-list.tsx'
import { SavedField, type SaveWarning } from './saved-field.tsx'
import { Row, Section, SwitchRow } from './section.tsx'

interface LimitsSectionProps {
  account: Account
  plans: readonly Plan[]
  settings: Settings
}

export function LimitsSection({ account, plans, settings }: LimitsSectionProps) {
  const spent = formatUsd(account.monthSpendUsd)
  const reset = formatDay(account.monthResetsAt, Date.now(), account.timeZone)
  const warn = (limit: number | null): SaveWarning | null =>
    limit === null || limit > account.monthSpendUsd
      ? null
      : {
          title: 'Set the limit below current spend?',
          text: `You have spent ${spent} this month. All requests will be refused until ${reset}.`,
          action: 'Set limit',
        }
  return (
    <Section title="Limits">
      <Row
        title="Monthly limit"
        text={`For all keys together, per calendar month. ${settings.strictLimits ? 'Spend never exceeds it.' : 'Requests stop once it is spent; the last one may go over it.'} ${spent} spent so far; resets on ${reset}.`}
      >
        <SavedField
          label="Monthly limit"
          placeholder="No limit"
          inputMode="decimal"
          stored={account.monthlyLimitUsd === null ? '' : String(account.monthlyLimitUsd)}
          parse={parseLimit}
          warn={warn}
          save={(monthlyLimitUsd) => updateAccount({ monthlyLimitUsd })}
        />
      </Row>
      <FurtherLimits limits={account.spendLimits} />
      <SwitchRow
        title="Strict limits"
        text="For the monthly limit and further limits: a request is sent only if its highest possible cost fits. Answers may be shortened, and these limits are never exceeded. Keys can also be strict one by one."
        on={settings.strictLimits}
        save={(strictLimits) => updateSettings({ strictLimits })}
      />
      {RATE_LIMITS.map((row) => (
        <RateLimitRow key={row.limit} {...row} plan={account.plan} plans={plans} settings={settings} />
      ))}
    </Section>
  )
}

function parseLimit(text: string): { value: number | null } | string {
  const amount = parseUsd(text)
  return amount.ok ? { value: amount.usd } : amount.message
}

const RATE_LIMITS = [
  {
    limit: 'requestsPerMinute',
    title: 'Requests per minute',
    text: 'For all keys together. A key can have a lower limit.',
  },
  {
    limit: 'tokensPerMinute',
    title: 'Tokens per minute',
    text: 'Input and output, without cached input, for all keys together. A key can have a lower limit.',
  },
] as const

type RateLimit = (typeof RATE_LIMITS)[number]['limit']

interface RateLimitRowProps {
  limit: RateLimit
  title: string
  text: string
  plan: Account['plan']
  plans: readonly Plan[]
  settings: Settings
}

function RateLimitRow({ limit, title, text, plan, plans, settings }: RateLimitRowProps) {
  const own = settings.planLimits[plan]?.[limit]
  const inForce = plans.find(({ id }) => id === plan)?.[limit]
  const save = async (count: number | null) => {
    await updateSettings({ planLimits: withLimit(settings.planLimits, plans, limit, count) })
    await refresh(queries.plans)
  }
  return (
    <Row title={title} text={text}>
      <SavedField
        label={title}
        placeholder={own === undefined && inForce ? `Default (${formatCount(inForce)})` : 'Default'}
        inputMode="numeric"
        stored={own === undefined ? '' : formatCount(own)}
        parse={parseRate}
        save={save}
      />
    </Row>
  )
}

function parseRate(text: string): { value: number | null } | string {
  const count = parseCount(text)
  return count.ok ? { value: count.count } : count.message
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

/**
 * The limits of all keys together besides the monthly one. Several fields make one limit, so they are saved with a button.
 */
function FurtherLimits({ limits }: { limits: readonly AccountSpendLimitState[] }) {
  const saved = writeDrafts(toDrafts(limits))
  const [drafts, setDrafts] = useState(() => toDrafts(limits))
  const [tried, setTried] = useState(false)
  const { pending, error, submit } = useSubmit()
  const isChanged = writeDrafts(drafts) !== saved
  const reset = () => {
    setDrafts(toDrafts(limits))
    setTried(false)
  }
  // They may be changed elsewhere, such as where one has stopped a request.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another list of limits replaces what is edited
  useEffect(reset, [saved])
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    const spendLimits = parseDrafts(drafts)
    if (spendLimits === null) return
    void submit(async () => {
      await updateAccount({ spendLimits })
      toast.success('The limits were saved.')
    })
  }
  return (
    <Row
      title="Further limits"
      text="For all keys together: for a day, a week or a session, for some models, or for one project."
      below={
        <form onSubmit={onSubmit} className="mt-3 flex flex-col gap-3">
          <LimitRows
            withProject
            drafts={drafts}
            onChange={setDrafts}
            saved={limits}
            showMissing={tried}
            rehearsed={{ keyId: null, who: 'your keys' }}
          />
          <InlineError error={error} />
          {isChanged ? (
            <div className="flex justify-end gap-2">
              <Button onClick={reset}>Cancel</Button>
              <Button type="submit" variant="primary" pending={pending}>
                Save limits
              </Button>
            </div>
          ) : null}
        </form>
      }
    />
  )
}

function writeDrafts(drafts: readonly LimitDraft[]): string {
  return JSON.stringify(drafts.map(({ id: _, ...draft }) => draft))
}
