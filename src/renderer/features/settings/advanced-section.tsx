import { TriangleAlert } from 'lucide-react'
import type { Account, Plan, PlanId } from '../../../shared/api/account.ts'
import { updateAccount } from '../../data/mutations.ts'
import { Section, SwitchRow } from './section.tsx'

const LIST_PRICE: PlanId = 'pay-as-you-go'
const DISCOUNTED: PlanId = 'bundle'

/** The account's plan: it decides whether costs are recorded at list price or at a discount. */
export function AdvancedSection({ account, plans }: { account: Account; plans: readonly Plan[] }) {
  const on = account.plan === DISCOUNTED
  const percent = plans.find(({ id }) => id === DISCOUNTED)?.discountPercent
  if (percent === undefined) return null
  return (
    <Section title="Advanced">
      <SwitchRow
        title="Negotiated discount"
        text={`For an agreement with your providers: records every new request ${percent}% below list price. A monthly fee is not recorded.`}
        on={on}
        save={(next) => updateAccount({ plan: next ? DISCOUNTED : LIST_PRICE })}
        below={
          on ? (
            <p className="mt-2 flex gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
              <TriangleAlert size={14} aria-hidden className="mt-0.5 shrink-0" />
              Recorded costs are {percent}% below list price. Turn this on only if your provider bills you
              that way.
            </p>
          ) : null
        }
      />
    </Section>
  )
}
