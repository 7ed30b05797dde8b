import { useQuery } from '@tanstack/react-query'
import { toast } from 'sonner'
import { type Account, PLAN_IDS, type Plan, type PlanId } from '../../../shared/account.ts'
import { Select } from '../../components/select.tsx'
import { formatCount, formatDate, formatUsd } from '../../format.ts'
import { parseUsd } from '../../number-input.ts'
import { updateAccount } from '../../server-state/mutations.ts'
import { queries } from '../../server-state/queries.ts'
import { useSubmit } from '../../use-submit.ts'
import { PlanLimitRows } from './plan-limit-rows.tsx'
import { SavedField } from './saved-field.tsx'
import { Row, Section } from './section.tsx'

function planHint(plan: Plan): string {
  const price =
    plan.monthlyUsd > 0 ? `${formatUsd(plan.monthlyUsd)} a month, ${plan.discountPercent}% off` : 'No fee'
  return `${price}, ${formatCount(plan.requestsPerMinute)} requests and ${formatCount(plan.tokensPerMinute, true)} tokens a minute`
}

function parseLimit(text: string): { value: number | null } | string {
  const amount = parseUsd(text)
  return amount.ok ? { value: amount.usd } : amount.message
}

export function AccountSection({ account, plans }: { account: Account; plans: readonly Plan[] }) {
  const { pending, error, submit } = useSubmit()
  const { data: settings } = useQuery(queries.settings)
  const plan = plans.find(({ id }) => id === account.plan)
  const changePlan = (id: PlanId) =>
    submit(async () => {
      await updateAccount({ plan: id })
      toast.success('Plan changed. It applies to every request from now on.')
    })
  return (
    <Section title="Account">
      <Row
        title="Plan"
        text={plan ? planHint(plan) : 'Sets the price and the limits of every request.'}
        error={error}
      >
        <Select
          label="Plan"
          disabled={pending}
          className="w-44"
          value={account.plan}
          options={PLAN_IDS.map((id) => {
            const row = plans.find((plan) => plan.id === id)
            return { value: id, label: row?.name ?? id, ...(row ? { hint: planHint(row) } : {}) }
          })}
          onChange={(id) => void changePlan(id)}
        />
      </Row>
      {settings && plan ? <PlanLimitRows plan={plan} settings={settings} /> : null}
      <Row
        title="Monthly limit"
        text={`The most that all keys together can spend in a calendar month. ${formatUsd(account.monthSpendUsd)} spent so far; resets on ${formatDate(account.monthResetsAt, account.timeZone)}.`}
      >
        <SavedField
          label="Monthly limit"
          placeholder="No limit"
          stored={account.monthlyLimitUsd === null ? '' : String(account.monthlyLimitUsd)}
          parse={parseLimit}
          save={(monthlyLimitUsd) => updateAccount({ monthlyLimitUsd })}
        />
      </Row>
    </Section>
  )
}
