import { useQuery } from '@tanstack/react-query'
import { Calculator } from 'lucide-react'
import { useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { EmptyState, LoadError, SkeletonRows } from '../../components/notice.tsx'
import { Card, Page } from '../../components/page.tsx'
import { Select } from '../../components/select.tsx'
import { useChatModels } from '../../server-state/hooks.ts'
import { queries } from '../../server-state/queries.ts'
import { BreakEvenChart } from './break-even-chart.tsx'
import { Comparison } from './comparison.tsx'
import { useEstimates } from './use-estimates.ts'
import { readWorkload, type Workload, workloadToSearch } from './workload.ts'
import { WorkloadCard } from './workload-card.tsx'

/** How many models are compared at first: the most expensive ones in use, else the first ones with a price. */
const FIRST_SHOWN = 2

export function Estimator() {
  const { data, error, isPending, isLoadingError, refetch } = useQuery(queries.models)
  const isReady = data !== undefined
  const models = useChatModels()
  const { data: usage } = useQuery(queries.usage)
  const [search, setSearch] = useSearchParams()
  const [charted, setCharted] = useState<string | null>(null)
  const workload = readWorkload(search)
  const priced = models.filter(({ pricing }) => pricing !== null).map(({ id }) => id)
  const usual = [...(usage?.models ?? []).map(({ group }) => group), ...priced].filter((id) =>
    priced.includes(id),
  )
  const chosen = search.has('model') ? workload.models : [...new Set(usual)].slice(0, FIRST_SHOWN)
  const outcomes = useEstimates(chosen, workload.input, workload.output)
  const change = (part: Partial<Workload>) =>
    setSearch(workloadToSearch({ ...workload, models: chosen, ...part }), { replace: true })

  const shown = chosen.find((id) => id === charted) ?? chosen[0]
  const outcome = shown === undefined ? undefined : outcomes[shown]
  return (
    <Page title="Estimator" width="normal" subtitle="Estimate a month’s cost by model and plan.">
      {isPending ? <SkeletonRows rows={8} /> : null}
      {isLoadingError ? <LoadError error={error} onRetry={() => void refetch()} /> : null}
      {isReady && priced.length === 0 ? (
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
      {isReady && priced.length > 0 ? (
        <div className="flex flex-col gap-4">
          <WorkloadCard input={workload.input} output={workload.output} onChange={change} />
          <Comparison
            chosen={chosen}
            models={models}
            outcomes={outcomes}
            onChange={(next) => change({ models: next })}
          />
          {shown && outcome?.ok ? (
            <BreakEvenChart
              head={
                chosen.length > 1 ? (
                  <Select
                    small
                    label="Charted model"
                    value={shown}
                    options={chosen.map((id) => ({ value: id, label: id }))}
                    onChange={setCharted}
                  />
                ) : (
                  <span className="font-mono">{shown}</span>
                )
              }
              estimate={outcome.estimate}
              input={workload.input}
              output={workload.output}
            />
          ) : null}
        </div>
      ) : null}
    </Page>
  )
}
