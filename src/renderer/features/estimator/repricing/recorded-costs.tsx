import { History } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../kit/button.tsx'
import { EmptyState, LoadError, SkeletonRows } from '../../../kit/notice.tsx'
import { Card } from '../../../kit/page.tsx'
import { SearchField } from '../../../kit/search-field.tsx'
import { DateRangePicker } from '../../../parts/period/date-range-picker.tsx'
import { EmptyPeriodAction } from '../../../parts/period/empty-period.tsx'
import { writeReplayAddress } from '../../../parts/replay/replay-address.ts'
import { useBestModel, useRepricing, useRepricingAddress } from '../../../parts/replay/use-repricing.ts'
import { AnswerCard } from './answer-card.tsx'
import { RepricingFilterBar } from './filter-bar.tsx'
import { ModelsTable } from './models-table.tsx'

/** The range of time, next to the title of the view. */
export function RecordedRange() {
  const { range, setRange } = useRepricingAddress()
  return <DateRangePicker range={range} onChange={setRange} />
}

/** The cost of the requests in a range of time with other models. */
export function RecordedCosts() {
  const address = useRepricingAddress()
  const { filter, setFilter, range, setRange, chosen, choose } = address
  const { data, error, isLoadingError, isPlaceholderData, refetch } = useRepricing(address)
  const best = useBestModel(data)
  const repriced = data?.data.find(({ model }) => model === chosen) ?? best
  const { data: details } = useRepricing(address, repriced?.model ?? null)
  const [text, setText] = useState('')
  if (isLoadingError) return <LoadError error={error} onRetry={() => void refetch()} />
  const detailed = details?.data.find(({ model }) => model === repriced?.model)
  const servedBy = detailed?.byModel?.find(({ group }) => group !== repriced?.model)?.group
  const found =
    data?.data.filter(({ model }) => model.toLowerCase().includes(text.trim().toLowerCase())) ?? []
  return (
    <div className="flex flex-col gap-4" aria-busy={isPlaceholderData || undefined}>
      <RepricingFilterBar filter={filter} onChange={setFilter} />
      {data === undefined ? <SkeletonRows rows={8} /> : null}
      {data && (data.requests === 0 || !repriced) ? (
        <Card>
          <EmptyState
            icon={History}
            title={data.requests === 0 ? 'No chats with a known cost in this period' : 'No model has a price'}
            action={
              Object.keys(filter).length > 0 ? (
                <Button onClick={() => setFilter({})}>Clear filters</Button>
              ) : (
                <EmptyPeriodAction range={range} onRange={setRange} />
              )
            }
          >
            Recorded requests are priced here on every model that could have served them.
          </EmptyState>
        </Card>
      ) : null}
      {data && data.requests > 0 && repriced ? (
        <>
          <AnswerCard
            repricing={data}
            repriced={repriced}
            detailed={detailed?.byKey ? detailed : undefined}
            tryHref={writeReplayAddress({
              requests: [],
              models: [servedBy ?? '', repriced.model],
              keyId: null,
              filter,
            })}
          />
          <Card>
            <div className="flex flex-wrap items-center justify-between gap-3 border-line border-b px-4 py-2.5">
              <SearchField label="Search models" value={text} onChange={setText} />
              <span className="text-ink-3 text-sm">Choose a model to see its details above.</span>
            </div>
            {found.some(({ served }) => served > 0) ? (
              <ModelsTable data={found} chosen={repriced.model} onChoose={choose} />
            ) : (
              <p className="px-4 py-10 text-center text-ink-3">No models match.</p>
            )}
            <p className="border-line border-t px-4 py-2.5 text-ink-3 text-sm">
              At the prices of now, with your plan. Answers are assumed to be as long as those that were
              received.
            </p>
          </Card>
        </>
      ) : null}
    </div>
  )
}
