import { useQuery } from '@tanstack/react-query'
import { Calculator } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { PlanFit, PlanFitDays } from '../../../features/plan-fit/view/plan-fit.tsx'
import { RecordedCosts, RecordedRange } from '../../../features/reprice/view/recorded-costs.tsx'
import type { Capability, ModelRecord } from '../../../shared/api/models.ts'
import { useChatModels } from '../../data/hooks.ts'
import { queries } from '../../data/queries.ts'
import { SegmentedControl } from '../../kit/controls.tsx'
import { FilterBar, FilterSelect } from '../../kit/filter-bar.tsx'
import { formatQuantity } from '../../kit/format.ts'
import { EmptyState, LoadError, SkeletonRows } from '../../kit/notice.tsx'
import { Card, Page } from '../../kit/page.tsx'
import { SearchField } from '../../kit/search-field.tsx'
import { useAddressParam } from '../../kit/use-address-param.ts'
import { CostTable } from './cost-table.tsx'
import { PlansSection } from './plans-section.tsx'
import {
  type CostFilter,
  EXAMPLE,
  estimateCost,
  type ModelCost,
  matchesCostFilter,
  monthlyTokens,
  type RecentUse,
  readWorkload,
  realModels,
  switchEntry,
  toWorkload,
  useRecentUse,
  type Workload,
  writeWorkload,
} from './workload.ts'
import { WorkloadCard } from './workload-card.tsx'

const noModels: ModelRecord[] = []

const VIEWS = [
  { value: 'workload', label: 'A workload' },
  { value: 'recorded', label: 'Recorded requests' },
  { value: 'plans', label: 'Plans' },
] as const

/** Estimates the cost of a workload, and that of the recorded use with other models and with plans. */
export function Estimator() {
  const [view, setView] = useAddressParam('view')
  const shown = VIEWS.find(({ value }) => value === view)?.value ?? 'workload'
  return (
    <Page
      title="Estimator"
      subtitle={SUBTITLES[shown]}
      actions={
        <>
          {shown === 'recorded' ? <RecordedRange /> : null}
          {shown === 'plans' ? <PlanFitDays /> : null}
          <SegmentedControl
            label="Estimate"
            value={shown}
            options={VIEWS}
            onChange={(next) => setView(next === 'workload' ? null : next)}
          />
        </>
      }
    >
      {shown === 'workload' ? <WorkloadCosts /> : null}
      {shown === 'recorded' ? <RecordedCosts /> : null}
      {shown === 'plans' ? <PlanFit /> : null}
    </Page>
  )
}

const SUBTITLES = {
  workload: 'Estimate your monthly cost by model.',
  recorded: 'Your recorded requests, at the prices of other models.',
  plans: 'Your use, as if a plan of a vendor had paid for it.',
} as const

function WorkloadCosts() {
  const { data: models = noModels, error, isPending, isLoadingError, refetch } = useQuery(queries.models)
  const [search] = useSearchParams()
  const recent = useRecentUse(search.get('key'), models)
  const priced = useChatModels().some(({ pricing }) => pricing !== null)
  return (
    <>
      {isLoadingError ? <LoadError error={error} onRetry={() => void refetch()} /> : null}
      {isPending || (priced && recent === undefined) ? <SkeletonRows rows={8} /> : null}
      {!(isPending || isLoadingError || priced) ? (
        <Card>
          <EmptyState
            icon={Calculator}
            title="No model has a price"
            action={
              <Link href="/models" className="font-medium text-accent-ink hover:underline">
                Open Models
              </Link>
            }
          >
            An estimate needs the price of a model. Set one, or add a provider whose prices are known.
          </EmptyState>
        </Card>
      ) : null}
      {priced && recent ? <Estimates recent={recent} /> : null}
    </>
  )
}

const NO_FILTER: CostFilter = { text: '', capabilities: [], context: 0 }

function Estimates({ recent }: { recent: RecentUse }) {
  const chatModels = useChatModels()
  const models = useMemo(() => realModels(chatModels), [chatModels])
  const { data: account } = useQuery(queries.account)
  const { data: plans } = useQuery(queries.plans)
  const [search, setSearch] = useSearchParams()
  const [, setBy] = useAddressParam('by')
  const [filter, setFilter] = useState(NO_FILTER)
  const entered = readWorkload(search)
  const used = toWorkload(recent)
  const counted = entered ?? used ?? EXAMPLE
  // A workload that was not entered can be shown per request without rounding its numbers.
  const perRequest = entered === null && search.has('by')
  const workload = perRequest ? switchEntry(counted, recent.requests) : counted
  const source = entered ? 'entered' : used ? 'usage' : 'example'
  const discountPercent = plans?.find(({ id }) => id === account?.plan)?.discountPercent ?? 0
  const { requests, input, cacheRead, cacheWrite, output } = monthlyTokens(counted)
  const tokens = useMemo(
    () => ({ requests, input, cacheRead, cacheWrite, output }),
    [requests, input, cacheRead, cacheWrite, output],
  )
  const costs = useMemo(
    () =>
      models.flatMap((model): ModelCost[] => {
        const { pricing } = model
        if (pricing === null) return []
        const costUsd = estimateCost(pricing, tokens, discountPercent)
        return [{ model, pricing, costUsd, share: recent.models.get(model.id) ?? 0 }]
      }),
    [models, tokens, discountPercent, recent.models],
  )
  const shown = useMemo(() => costs.filter(({ model }) => matchesCostFilter(filter, model)), [costs, filter])
  const mostUsed = costs.reduce<ModelCost | undefined>(
    (most, cost) => (cost.share > (most?.share ?? -1) ? cost : most),
    undefined,
  )
  const setWorkload = (next: Workload | null, keyId = search.get('key')) =>
    setSearch(
      (before) => {
        if (keyId === null) before.delete('key')
        else before.set('key', keyId)
        if (next) before.delete('by')
        return writeWorkload(before, next)
      },
      { replace: true },
    )
  return (
    <div className="flex flex-col gap-4">
      <WorkloadCard
        workload={workload}
        source={source}
        recent={recent}
        keyId={search.get('key')}
        onChange={(next) => setWorkload(next)}
        onSwitch={() => {
          if (entered) setWorkload(switchEntry(entered, recent.requests))
          else setBy(perRequest ? null : 'requests')
        }}
        onUse={(keyId) => setWorkload(null, keyId)}
      />
      <Card>
        <CostFilterBar filter={filter} count={shown.length} onChange={setFilter} />
        {shown.length === 0 ? (
          <p className="px-4 py-10 text-center text-ink-3">No models match these filters.</p>
        ) : (
          <CostTable costs={shown} baselineUsd={source === 'usage' ? recent.costUsd : null} />
        )}
        <p className="border-line border-t px-4 py-2.5 text-ink-3 text-sm">
          {'Estimated from the prices in Models'}
          {`${discountPercent > 0 ? `, less your discount of ${discountPercent}%` : ''}. The same text has more tokens with some models, and fewer with others. Cached input is priced as input where a model has no price for it.`}
        </p>
      </Card>
      {mostUsed ? (
        <PlansSection models={costs.map(({ model }) => model)} standard={mostUsed.model.id} tokens={tokens} />
      ) : null}
    </div>
  )
}

const CAPABILITIES: readonly [Capability, string][] = [
  ['vision', 'Vision'],
  ['tools', 'Tools'],
  ['reasoning', 'Reasoning'],
]

const CONTEXTS = [
  { value: '32000', label: '32k context or more' },
  { value: '128000', label: '128k context or more' },
  { value: '200000', label: '200k context or more' },
  { value: '1000000', label: '1M context or more' },
]

interface CostFilterBarProps {
  filter: CostFilter
  count: number
  onChange: (filter: CostFilter) => void
}

function CostFilterBar({ filter, count, onChange }: CostFilterBarProps) {
  const { capabilities } = filter
  const toggle = (capability: Capability, on: boolean) =>
    onChange({
      ...filter,
      capabilities: on ? [...capabilities, capability] : capabilities.filter((one) => one !== capability),
    })
  return (
    <FilterBar look="card" count={formatQuantity(count, 'model')}>
      <SearchField
        label="Search models"
        value={filter.text}
        onChange={(text) => onChange({ ...filter, text })}
      />
      <FilterSelect
        label="Context window"
        any="Any context"
        value={filter.context === 0 ? null : String(filter.context)}
        options={CONTEXTS}
        onChange={(tokens) => onChange({ ...filter, context: Number(tokens) })}
      />
      <fieldset className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <legend className="sr-only">Capabilities</legend>
        {CAPABILITIES.map(([capability, label]) => (
          <label key={capability} className="flex items-center gap-1.5 text-sm">
            <input
              type="checkbox"
              className="size-3.5 accent-accent"
              checked={capabilities.includes(capability)}
              onChange={({ target }) => toggle(capability, target.checked)}
            />
            {label}
          </label>
        ))}
      </fieldset>
    </FilterBar>
  )
}
