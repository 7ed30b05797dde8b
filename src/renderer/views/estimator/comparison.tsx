import { Plus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ModelRecord } from '../../../shared/models.ts'
import type { Estimate } from '../../../shared/pricing.ts'
import { Badge } from '../../components/badge.tsx'
import { IconButton } from '../../components/button.tsx'
import { ModelPicker } from '../../components/model-picker.tsx'
import { Skeleton } from '../../components/notice.tsx'
import { Card, CardHeader } from '../../components/page.tsx'
import { formatCount, formatRate, formatUsd } from '../../format.ts'
import { usePlanName } from '../../server-state/hooks.ts'
import { formatPriceOrigin, formatPriceOriginShort } from '../models/price-label.ts'
import type { EstimateOutcome } from './use-estimates.ts'
import { MAX_MODELS } from './workload.ts'

interface ComparisonProps {
  chosen: readonly string[]
  models: readonly ModelRecord[]
  outcomes: Readonly<Record<string, EstimateOutcome>>
  onChange: (chosen: string[]) => void
}

export function Comparison({ chosen, models, outcomes, onChange }: ComparisonProps) {
  const costs = chosen.flatMap((id) => {
    const outcome = outcomes[id]
    return outcome?.ok ? [outcome.estimate.monthlyCostUsd] : []
  })
  const least = Math.min(...costs)
  const most = Math.max(...costs)
  const choices = models.filter(({ id, pricing }) => pricing !== null && !chosen.includes(id))
  return (
    <Card>
      <CardHeader title="Models side by side">
        {chosen.length < MAX_MODELS && choices.length > 0 ? (
          <ModelPicker
            label="Add a model"
            placeholder="Add a model"
            models={choices}
            value=""
            onChange={(id) => onChange([...chosen, id])}
            className="w-52 text-base text-ink"
          />
        ) : null}
      </CardHeader>
      <ul className="grid grid-cols-[repeat(auto-fit,minmax(13rem,1fr))] gap-3 px-4 pt-1 pb-4">
        {chosen.map((id) => {
          const outcome = outcomes[id]
          return (
            <li
              key={id}
              aria-label={id}
              className="flex min-w-0 flex-col rounded-lg border border-line p-3.5"
            >
              <div className="flex items-center gap-1">
                <h3 className="min-w-0 flex-1 truncate font-medium font-mono text-sm" title={id}>
                  {id}
                </h3>
                {chosen.length > 1 ? (
                  <IconButton
                    small
                    icon={X}
                    label={`Remove ${id}`}
                    onClick={() => onChange(chosen.filter((other) => other !== id))}
                  />
                ) : null}
              </div>
              {outcome === undefined ? <Skeleton className="mt-2 h-24" /> : null}
              {outcome?.ok === false ? <p className="mt-1 text-bad">{outcome.message}</p> : null}
              {outcome?.ok ? (
                <Costs
                  estimate={outcome.estimate}
                  cheapest={outcome.estimate.monthlyCostUsd === least && least < most}
                  model={models.find((model) => model.id === id)}
                />
              ) : null}
            </li>
          )
        })}
        {chosen.length === 0 ? (
          <li className="flex items-center gap-2 py-4 text-ink-3">
            <Plus size={14} aria-hidden /> Add a model to see what the workload costs with it.
          </li>
        ) : null}
      </ul>
    </Card>
  )
}

interface CostsProps {
  estimate: Estimate
  cheapest: boolean
  model: ModelRecord | undefined
}

function Costs({ estimate, cheapest, model }: CostsProps) {
  const planName = usePlanName()
  const { breakEvenTokens, breakEvenSavingsUsd, breakEvenPlan } = estimate
  return (
    <>
      <p className="mt-1 flex flex-wrap items-center gap-x-2 font-semibold text-xl">
        {formatUsd(estimate.monthlyCostUsd)}
        <span className="font-normal text-ink-3 text-sm">a month</span>
        {cheapest ? <Badge tone="good">Cheapest</Badge> : null}
      </p>
      <dl className="mt-2 flex flex-col gap-1 text-sm">
        <Line name="Best plan">{planName(estimate.plan)}</Line>
        <Line name="Per million, in / out">
          {formatRate(estimate.perMillionIn)} / {formatRate(estimate.perMillionOut)}
        </Line>
        <Line name="At list price">{formatUsd(estimate.listCostUsd)}</Line>
        <Line name={`With ${planName(breakEvenPlan)}`}>
          {breakEvenSavingsUsd >= 0
            ? `saves ${formatUsd(breakEvenSavingsUsd)}`
            : `costs ${formatUsd(-breakEvenSavingsUsd)} more`}
        </Line>
        <Line name="Breaks even at">
          {breakEvenTokens === null ? 'never' : `${formatCount(Math.round(breakEvenTokens), true)} tokens`}
        </Line>
      </dl>
      {model?.priceOrigin ? (
        <p className="mt-2 truncate text-ink-3 text-xs" title={formatPriceOrigin(model.priceOrigin)}>
          Price: {formatPriceOriginShort(model.priceOrigin)}
        </p>
      ) : null}
    </>
  )
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex justify-between gap-3">
      <dt className="text-ink-3">{name}</dt>
      <dd className="text-right">{children}</dd>
    </div>
  )
}
