// Which plan fits: the recorded use with each plan, in the estimator.

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { CalendarClock } from 'lucide-react'
import { Link } from 'wouter'
import { api } from '../../../renderer/data/api.ts'
import { volatileQuery } from '../../../renderer/data/query-client.ts'
import { SegmentedControl } from '../../../renderer/kit/controls.tsx'
import { DataTable } from '../../../renderer/kit/data-table.tsx'
import { chooseUsdDecimals, formatQuantity, formatUsd } from '../../../renderer/kit/format.ts'
import { ColumnMoney } from '../../../renderer/kit/money.tsx'
import { EmptyState, QueryState } from '../../../renderer/kit/notice.tsx'
import { Card } from '../../../renderer/kit/page.tsx'
import type { Column } from '../../../renderer/kit/table-order.ts'
import { useAddressParam } from '../../../renderer/kit/use-address-param.ts'
import type { PlanFit as Fit, FitPlan, FitWindow } from '../api/plan-fit.ts'
import { LENGTH_NAMES } from '../api/terms.ts'
import { describeFit, describeUse, formatDays, listFullDays } from '../api/texts.ts'

const DAYS = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const

function useDays() {
  const [value, setValue] = useAddressParam('days')
  const days = DAYS.find((choice) => choice.value === value)?.value ?? '30'
  return { days, setDays: (next: string) => setValue(next === '30' ? null : next) }
}

/** The days whose use is compared, next to the title of the view. */
export function PlanFitDays() {
  const { days, setDays } = useDays()
  return <SegmentedControl label="Use of the last" value={days} options={DAYS} onChange={setDays} />
}

/** The plans by what they would cost, and the windows of one. */
export function PlanFit() {
  const { days } = useDays()
  const query = useQuery({
    ...volatileQuery(['plan-fit', days], () => api('getPlanFit', { query: { days } })),
    placeholderData: keepPreviousData,
  })
  const { data: fit, isPlaceholderData } = query
  if (!fit) return <QueryState query={query} rows={8} />
  return (
    <div className="flex flex-col gap-4" aria-busy={isPlaceholderData || undefined}>
      {fit.best === null ? (
        <Card>
          <EmptyState
            icon={CalendarClock}
            title="Not enough use to compare plans"
            action={
              <Link href="/settings#history" className="font-medium text-accent-ink hover:underline">
                Import history in Settings
              </Link>
            }
          >
            {describeFit(fit)}
          </EmptyState>
        </Card>
      ) : (
        <Answer fit={fit} />
      )}
    </div>
  )
}

function Answer({ fit }: { fit: Fit }) {
  const [id, choose] = useAddressParam('plan')
  const { plans, best } = fit
  const chosen = plans.find((plan) => plan.id === (id ?? best)) ?? plans[0]
  return (
    <>
      <Card className="p-5 max-sm:p-4">
        <h2 className="text-balance font-semibold text-xl max-sm:text-lg">{describeFit(fit)}</h2>
        <p className="mt-1 text-ink-2">{describeUse(fit)}</p>
        {chosen ? <Windows plan={chosen} /> : null}
      </Card>
      {plans.length > 0 ? (
        <Card>
          <DataTable
            label="Plans"
            columns={createColumns(fit, chosen?.id ?? null, choose)}
            rows={plans}
            getId={(plan) => plan.id}
            rowClass={(plan) => (plan.id === chosen?.id ? 'bg-accent-soft' : 'hover:bg-sunken')}
            classes={{ table: 'text-sm' }}
          />
        </Card>
      ) : null}
      <section className="px-1 text-ink-3 text-sm">
        <h2 className="font-medium text-ink-2">Assumptions</h2>
        <ul className="mt-1.5 flex list-disc flex-col gap-1 pl-4">
          {fit.assumptions.map((assumption) => (
            <li key={assumption}>{assumption}</li>
          ))}
        </ul>
      </section>
    </>
  )
}

/** The windows of a plan, with where each amount is from. */
function Windows({ plan }: { plan: FitPlan }) {
  return (
    <section className="mt-4 border-line border-t pt-4" aria-label={`Windows of ${plan.name}`}>
      <h3 className="font-medium text-ink-2 text-sm">
        {`${plan.name}: ${formatUsd(plan.priceUsd)} per month, as of ${plan.asOf} (${plan.source})`}
      </h3>
      <ul className="mt-2 grid gap-x-8 gap-y-4 lg:grid-cols-2">
        {plan.windows.map((window) => (
          <Window key={window.length} window={window} />
        ))}
      </ul>
    </section>
  )
}

function Window({ window }: { window: FitWindow }) {
  const { length, allowanceUsd, peakUsd, note, fullDays, source, asOf } = window
  const share = allowanceUsd === null ? 0 : Math.min(1, peakUsd / allowanceUsd)
  const amount = allowanceUsd === null ? 'unknown' : formatUsd(allowanceUsd)
  return (
    <li className="min-w-0 text-sm">
      <div className="flex flex-wrap justify-between gap-x-4">
        <span className="font-medium">{LENGTH_NAMES[length]}</span>
        <span className="tabular-nums">{`at most ${formatUsd(peakUsd)} of ${amount}`}</span>
      </div>
      <div aria-hidden className="mt-1 h-2 overflow-hidden rounded-full bg-line">
        <div
          className={fullDays.length > 0 ? 'h-full bg-warn' : 'h-full bg-accent'}
          style={{ width: `${share * 100}%` }}
        />
      </div>
      <p className="mt-1.5 text-ink-2">{describeFull(window)}</p>
      <p className="mt-0.5 wrap-anywhere text-ink-3">{`${note} As of ${asOf}, ${source}.`}</p>
    </li>
  )
}

function describeFull({ allowanceUsd, fullDays }: FitWindow): string {
  if (allowanceUsd === null) return 'Unknown whether it would have been full.'
  if (fullDays.length === 0) return 'It would never have been full.'
  return `Full on ${formatQuantity(fullDays.length, 'day')}: ${formatDays(fullDays)}.`
}

function createColumns(
  { plans, apiUsd }: Fit,
  chosen: string | null,
  choose: (id: string) => void,
): Column<FitPlan>[] {
  const decimals = chooseUsdDecimals([apiUsd, ...plans.map(({ priceUsd }) => priceUsd)])
  const money = (usd: number | null) => (usd === null ? '–' : <ColumnMoney usd={usd} decimals={decimals} />)
  return [
    {
      id: 'plan',
      head: 'Plan',
      isHeader: true,
      cell: ({ id, name }) => (
        <button
          type="button"
          aria-pressed={id === chosen}
          onClick={() => choose(id)}
          className="min-w-0 truncate rounded-sm font-medium hover:underline"
        >
          {name}
        </button>
      ),
    },
    {
      id: 'price',
      head: 'Per month',
      right: true,
      headClass: 'w-24',
      cell: ({ priceUsd }) => money(priceUsd),
    },
    {
      id: 'covered',
      head: 'Use of its models',
      right: true,
      className: 'max-lg:hidden',
      headClass: 'w-36',
      cellClass: 'text-ink-2',
      cell: ({ coveredUsd }) => money(coveredUsd),
    },
    {
      id: 'beyond',
      head: 'Beyond its windows',
      right: true,
      className: 'max-lg:hidden',
      headClass: 'w-36',
      cellClass: 'text-ink-2',
      cell: ({ beyondUsd }) => money(beyondUsd),
    },
    {
      id: 'full',
      head: 'Days full',
      right: true,
      headClass: 'w-24',
      cell: (plan) => (plan.totalUsd === null ? '–' : listFullDays(plan).length),
    },
    {
      id: 'total',
      head: 'With the rest by API',
      right: true,
      headClass: 'w-40',
      cell: ({ totalUsd }) => money(totalUsd),
    },
  ]
}
