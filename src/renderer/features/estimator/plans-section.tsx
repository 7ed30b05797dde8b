import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import type { ModelRecord } from '../../../shared/api/models.ts'
import { api } from '../../data/api.ts'
import { usePlanName } from '../../data/hooks.ts'
import { volatileQuery } from '../../data/query-client.ts'
import { DataTable } from '../../kit/data-table.tsx'
import { chooseUsdDecimals, formatUsd } from '../../kit/format.ts'
import { ModelPicker } from '../../kit/model-picker.tsx'
import { InlineError, Skeleton } from '../../kit/notice.tsx'
import { Card } from '../../kit/page.tsx'
import { BreakEvenChart } from './break-even-chart.tsx'
import type { MonthlyTokens } from './workload.ts'

interface PlansSectionProps {
  models: readonly ModelRecord[]
  /** The model that is chosen at first. */
  standard: string
  tokens: MonthlyTokens
}

/** The effect of a fixed fee with a discount. Folded until it is opened: few users have such an agreement. */
export function PlansSection(props: PlansSectionProps) {
  const [open, setOpen] = useState(false)
  return (
    <Card>
      <details className="group" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2 rounded-lg px-4 font-semibold [&::-webkit-details-marker]:hidden">
          <ChevronRight size={14} aria-hidden className="text-ink-3 group-open:rotate-90" />
          Plans and break-even
          <span className="truncate font-normal text-ink-3 text-sm">
            A fixed monthly fee with a discount, compared with paying by use
          </span>
        </summary>
        {open ? <Plans {...props} /> : null}
      </details>
    </Card>
  )
}

function Plans({ models, standard, tokens }: PlansSectionProps) {
  const [chosen, setChosen] = useState(standard)
  const planName = usePlanName()
  const model = models.some(({ id }) => id === chosen) ? chosen : standard
  const input = tokens.input + tokens.cacheRead + tokens.cacheWrite
  const body = {
    model,
    monthlyInputTokens: Math.round(input),
    monthlyOutputTokens: Math.round(tokens.output),
    cachedInputShare: input === 0 ? 0 : tokens.cacheRead / input,
  }
  const { data: estimate, error } = useQuery({
    ...volatileQuery(['estimate', body], () => api('estimateCost', { body })),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const decimals = chooseUsdDecimals(estimate?.plans.map(({ monthlyCostUsd }) => monthlyCostUsd) ?? [])
  return (
    <div className="flex flex-col gap-4 px-4 pb-4">
      <ModelPicker label="Model" models={models} value={model} onChange={setChosen} className="w-72" />
      {error ? <InlineError error={error} /> : null}
      {estimate ? (
        <>
          <DataTable
            look="part"
            columns={[
              { id: 'plan', head: 'Plan', isHeader: true, cell: ({ plan }) => planName(plan) },
              { id: 'fee', head: 'Fee', right: true, cell: (row) => formatUsd(row.planFeeUsd, decimals) },
              {
                id: 'tokens',
                head: 'Tokens',
                right: true,
                cell: (row) => formatUsd(row.monthlyCostUsd - row.planFeeUsd, decimals),
              },
              {
                id: 'cost',
                head: 'Estimated per month',
                right: true,
                cellClass: 'font-medium',
                cell: (row) => formatUsd(row.monthlyCostUsd, decimals),
              },
            ]}
            rows={estimate.plans}
            getId={({ plan }) => plan}
            classes={{ table: 'max-w-xl text-sm' }}
          />
          <BreakEvenChart estimate={estimate} input={input} output={tokens.output} />
        </>
      ) : error ? null : (
        <Skeleton className="h-72" />
      )}
    </div>
  )
}
