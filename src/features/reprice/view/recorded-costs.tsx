import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'wouter'
import { api } from '../../../renderer/data/api.ts'
import {
  type DateRange,
  LAST_30_DAYS,
  resolveRange,
  useDateRange,
} from '../../../renderer/data/date-range.ts'
import { useTimeZone } from '../../../renderer/data/hooks.ts'
import { queries } from '../../../renderer/data/queries.ts'
import { volatileQuery } from '../../../renderer/data/query-client.ts'
import { getToolName } from '../../../renderer/data/session-name.ts'
import { emptyUsage } from '../../../renderer/data/usage.ts'
import { Button } from '../../../renderer/kit/button.tsx'
import { SegmentedControl } from '../../../renderer/kit/controls.tsx'
import { DataTable } from '../../../renderer/kit/data-table.tsx'
import { chooseUsdDecimals, formatCount, formatQuantity } from '../../../renderer/kit/format.ts'
import { Money } from '../../../renderer/kit/money.tsx'
import { EmptyState, LoadError, SkeletonRows } from '../../../renderer/kit/notice.tsx'
import { Card } from '../../../renderer/kit/page.tsx'
import { SearchField } from '../../../renderer/kit/search-field.tsx'
import type { Column } from '../../../renderer/kit/table-order.ts'
import { useAddressParam } from '../../../renderer/kit/use-address-param.ts'
import { useNow } from '../../../renderer/kit/use-now.ts'
import { SplitFilterBar } from '../../../renderer/parts/filters/filter-fields.tsx'
import { DateRangePicker, EmptyPeriodAction } from '../../../renderer/parts/period/date-range-picker.tsx'
import type { RepricedModel, RepricedPart, Repricing } from '../api/repricing.ts'
import { OBSTACLES } from '../api/terms.ts'
import { createCostColumns, formatShare, ModelsTable, modelNotes, repricingNotes } from './models-table.tsx'

/** The range of time, next to the title of the view. */
export function RecordedRange() {
  const [range, setRange] = useDateRange(LAST_30_DAYS)
  return <DateRangePicker range={range} onChange={setRange} />
}

/** The cost of the requests in a range of time with other models. */
export function RecordedCosts() {
  const [range, setRange] = useDateRange(LAST_30_DAYS)
  const [filter, setFilter] = useRepricingFilter()
  const { data, error, isLoadingError, isPlaceholderData, refetch } = useRepricing(range, filter)
  const best = useBestModel(data)
  const [chosen, choose] = useAddressParam('on')
  const repriced = data?.data.find(({ model }) => model === chosen) ?? best
  const { data: details } = useRepricing(range, filter, repriced?.model ?? null)
  const [text, setText] = useState('')
  const [models, setModels] = useAddressParam('models')
  if (isLoadingError) return <LoadError error={error} onRetry={() => void refetch()} />
  const detailed = details?.data.find(({ model }) => model === repriced?.model)
  const all = data?.data ?? []
  const same = listSameClass(all)
  const shown = models === 'all' || same.length === 0 ? 'all' : 'same'
  const listed = shown === 'all' ? all : same
  const matches = listed.filter(({ model }) => model.toLowerCase().includes(text.trim().toLowerCase()))
  return (
    <div className="flex flex-col gap-4" aria-busy={isPlaceholderData || undefined}>
      <SplitFilterBar look="plain" names={REPRICING_FILTERS} filter={filter} onChange={setFilter} />
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
          />
          <Card>
            <div className="flex flex-wrap items-center justify-between gap-3 border-line border-b px-4 py-2.5">
              <SearchField label="Search models" value={text} onChange={setText} />
              {same.length === 0 ? null : (
                <SegmentedControl
                  label="Models"
                  value={shown}
                  options={CLASSES}
                  onChange={(next) => setModels(next === 'all' ? next : null)}
                />
              )}
              <span className="ml-auto text-ink-3 text-sm">Choose a model to see its details above.</span>
            </div>
            {matches.some(({ served }) => served > 0) ? (
              <ModelsTable data={matches} chosen={repriced.model} onChoose={choose} />
            ) : (
              <p className="px-4 py-10 text-center text-ink-3">No models match.</p>
            )}
            <p className="border-line border-t px-4 py-2.5 text-ink-3 text-sm">
              At the prices of now, with your plan. Answers are assumed to be as long as those that were
              received; whether they are as good was not judged. Models of the same class could serve nearly
              as much, and cost at least a fifth.
            </p>
          </Card>
        </>
      ) : null}
    </div>
  )
}

const CLASSES = [
  { value: 'same', label: 'Same class' },
  { value: 'all', label: 'All models' },
] as const

interface AnswerCardProps {
  repricing: Repricing
  repriced: RepricedModel
  /** The costs with their parts; undefined until they have been read. */
  detailed: RepricedModel | undefined
}

/** The cost with one model, in a sentence, and why it is not exact. */
function AnswerCard({ repricing, repriced, detailed }: AnswerCardProps) {
  const { model, served, requests, chargedUsd, costUsd, obstacles } = repriced
  const decimals = chooseUsdDecimals([chargedUsd, costUsd])
  const notes = [...modelNotes(repriced), ...repricingNotes(repricing)]
  return (
    <Card className="p-5 max-sm:p-4">
      <h2 className="text-balance font-semibold text-xl max-sm:text-lg">
        On <span className="wrap-anywhere">{model}</span>:{' '}
        {costUsd === 0 ? 'free' : <Money usd={costUsd} decimals={decimals} />} instead of{' '}
        <Money usd={chargedUsd} decimals={decimals} />
      </h2>
      <p className="mt-1 text-ink-2">
        for {formatShare(served, requests)} of the requests ({formatCount(served)} of {formatCount(requests)}
        ). <Difference chargedUsd={chargedUsd} costUsd={costUsd} />
      </p>
      <div className="mt-4 grid gap-x-8 gap-y-5 border-line border-t pt-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <div className="flex flex-col gap-4">
          {obstacles.length > 0 ? (
            <section>
              <h3 className="font-medium text-ink-2 text-sm">
                {`${formatQuantity(requests - served, 'request')} it could not have served`}
              </h3>
              <ul className="mt-1.5 flex flex-col gap-1 text-sm">
                {obstacles
                  .toSorted((a, b) => b.requests - a.requests)
                  .map(({ reason, requests: count }) => (
                    <li key={reason} className="flex gap-2.5">
                      <span className="w-12 shrink-0 text-right tabular-nums">{formatCount(count)}</span>
                      <span className="text-ink-2">{OBSTACLES[reason]}</span>
                    </li>
                  ))}
              </ul>
            </section>
          ) : null}
          {notes.length > 0 ? (
            <section>
              <h3 className="font-medium text-ink-2 text-sm">How exact this is</h3>
              <ul className="mt-1.5 flex list-disc flex-col gap-1 pl-4 text-ink-2 text-sm">
                {notes.map((note) => (
                  <li key={note}>{note}</li>
                ))}
              </ul>
            </section>
          ) : null}
        </div>
        {detailed ? <PartsTable key={model} repriced={detailed} /> : <SkeletonRows rows={5} />}
      </div>
    </Card>
  )
}

/** A smaller difference is less than what prices, caches and the length of answers change. */
const WORTH_SAYING = 0.05

function Difference({ chargedUsd, costUsd }: Pick<RepricedModel, 'chargedUsd' | 'costUsd'>) {
  const usd = chargedUsd - costUsd
  const percent = chargedUsd === 0 ? '' : ` (${formatShare(Math.abs(usd), chargedUsd)})`
  if (usd === 0) return 'It costs the same.'
  if (Math.abs(usd) < chargedUsd * WORTH_SAYING) return 'It costs about the same.'
  const amount = (
    <>
      <Money usd={Math.abs(usd)} />
      {percent}
    </>
  )
  return usd > 0 ? <>It saves {amount}.</> : <>It costs {amount} more.</>
}

const PARTS = [
  { value: 'byKey', label: 'Key' },
  { value: 'byClient', label: 'Tool' },
] as const
type PartsBy = (typeof PARTS)[number]['value']

/** The costs with one model, divided. */
function PartsTable({ repriced }: { repriced: RepricedModel }) {
  const [by, setBy] = useState<PartsBy>('byKey')
  const parts = repriced[by] ?? noParts
  const decimals = chooseUsdDecimals(parts.flatMap(({ chargedUsd, costUsd }) => [chargedUsd, costUsd]))
  return (
    <div className="min-w-0">
      <div className="flex items-center justify-between gap-3 pb-1">
        <h3 className="font-medium text-ink-2 text-sm">Savings by</h3>
        <SegmentedControl label="Parts by" value={by} options={PARTS} onChange={setBy} />
      </div>
      <DataTable
        look="part"
        columns={createColumns(by, decimals)}
        rows={parts}
        getId={({ group }) => group}
        classes={{ table: 'text-sm' }}
        firstShown={6}
      />
    </div>
  )
}

const noParts: RepricedPart[] = []

function createColumns(by: PartsBy, decimals: number): Column<RepricedPart>[] {
  return [
    {
      id: 'name',
      head: PARTS.find(({ value }) => value === by)?.label,
      isHeader: true,
      cellClass: 'truncate',
      title: ({ label }) => label,
      cell: (row) => getName(by, row),
    },
    ...createCostColumns<RepricedPart>(decimals),
  ]
}

function getName(by: PartsBy, { group, label }: RepricedPart): string {
  return by === 'byClient' ? getToolName(group) : label
}

/** Which requests are priced, by their parameters in the address and in the API. */
const REPRICING_FILTERS = ['key', 'client', 'model', 'tag'] as const
type RepricingFilter = Partial<Record<(typeof REPRICING_FILTERS)[number], string>>

function useRepricingFilter(): [RepricingFilter, (filter: RepricingFilter) => void] {
  const [search, setSearch] = useSearchParams()
  const filter: RepricingFilter = {}
  for (const name of REPRICING_FILTERS) {
    const value = search.get(name)
    if (value !== null) filter[name] = value
  }
  const setFilter = (next: RepricingFilter) =>
    setSearch(
      (params) => {
        for (const name of REPRICING_FILTERS) params.delete(name)
        for (const [name, value] of Object.entries(next)) params.set(name, value)
        return params
      },
      { replace: true },
    )
  return [filter, setFilter]
}

/** The costs with all models, or those of one with its parts. While others are read, the previous ones stay. */
function useRepricing(range: DateRange, filter: RepricingFilter, candidate: string | null = null) {
  const zone = useTimeZone()
  const now = useNow()
  const { start, end } = resolveRange(range, now, zone ?? 'UTC')
  const query = {
    ...filter,
    from: new Date(start).toISOString(),
    to: new Date(end).toISOString(),
    ...(candidate === null ? {} : { candidate }),
  }
  return useQuery({
    ...volatileQuery(['repricing', query], () => api('getRepricing', { query })),
    placeholderData: keepPreviousData,
    enabled: zone !== undefined,
    gcTime: 5 * 60_000,
  })
}

/** A model is of the same class if it could have served nearly as much as the one that could have served most, … */
const NEARLY = 0.9
/** … and costs at least this part of what was charged: much cheaper models are rarely as able. */
const CLASS_PRICE = 0.2

/** The models that a reader would compare with those in use: of known limits, as able as others, and of a similar price. */
function listSameClass(data: readonly RepricedModel[]): RepricedModel[] {
  const most = Math.max(0, ...data.map(({ served }) => served))
  return data.filter(
    ({ served, limitsKnown, costUsd, chargedUsd }) =>
      served > 0 && limitsKnown && served >= most * NEARLY && costUsd >= chargedUsd * CLASS_PRICE,
  )
}

/** The model to begin with: of those of the same class, one in use if there is one, that saves most; else the one of all. */
function useBestModel(repricing: Repricing | undefined): RepricedModel | null {
  const { data: usage = emptyUsage } = useQuery(queries.usage)
  return useMemo(() => {
    const able = (repricing?.data ?? []).filter(({ served }) => served > 0)
    const same = listSameClass(able)
    const used = new Set(usage.models.map(({ group }) => group))
    const familiar = same.filter(({ model }) => used.has(model))
    const saving = ({ chargedUsd, costUsd }: RepricedModel) => chargedUsd - costUsd
    const [from = []] = [familiar, same, able].filter(({ length }) => length > 0)
    return from.toSorted((a, b) => saving(b) - saving(a))[0] ?? null
  }, [repricing, usage])
}
