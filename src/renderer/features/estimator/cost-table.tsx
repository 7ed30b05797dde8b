import {
  createColumnHelper,
  createSortedRowModel,
  rowSortingFeature,
  sortFn_text,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useMemo, useState } from 'react'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { chooseUsdDecimals } from '../../kit/format.ts'
import { type Sort, SortHeader } from '../../kit/sort-header.tsx'
import { BaselineRow, CostRow, priceColumnClass } from './cost-row.tsx'
import type { ModelCost } from './model-costs.ts'

export const COST_COLUMNS = ['model', 'context', 'input', 'output', 'cost'] as const
export type CostSort = Sort<(typeof COST_COLUMNS)[number]>
export const CHEAPEST_FIRST: CostSort = { column: 'cost', descending: false }

const FIRST_SHOWN = 100

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { text: sortFn_text },
})
const helper = createColumnHelper<typeof features, ModelCost>()
const columns = helper.columns([
  helper.accessor(({ model }) => model.id, { id: 'model', sortFn: 'text' }),
  helper.accessor(({ model }) => model.contextWindow ?? undefined, {
    id: 'context',
    sortUndefined: 'last',
  }),
  helper.accessor(({ pricing }) => pricing.inputPerMillion, { id: 'input' }),
  helper.accessor(({ pricing }) => pricing.outputPerMillion, { id: 'output' }),
  helper.accessor('costUsd', { id: 'cost' }),
])

interface CostTableProps {
  costs: ModelCost[]
  /** The actual cost of the workload, to compare with; null if nothing is known. */
  baselineUsd: number | null
  sort: CostSort
  onSort: (sort: CostSort) => void
}

export function CostTable({ costs, baselineUsd, sort, onSort }: CostTableProps) {
  const [showAll, setShowAll] = useState(false)
  const { column, descending } = sort
  const sorting = useMemo(() => [{ id: column, desc: descending }], [column, descending])
  const table = useTable({
    features,
    columns,
    data: costs,
    getRowId: ({ model }) => model.id,
    state: { sorting },
  })
  const { rows } = table.getRowModel()
  const shown = showAll ? rows : rows.slice(0, FIRST_SHOWN)
  const decimals = chooseUsdDecimals(costs.map(({ costUsd }) => costUsd))
  const baselineAt = findBaseline(
    shown.map(({ original }) => original.costUsd),
    baselineUsd,
    sort,
  )
  const header = { sort, onSort }
  const prices = priceColumnClass(baselineUsd)
  return (
    <>
      <table className="w-full table-fixed border-collapse text-sm">
        <thead>
          <tr className="h-9 border-b text-left text-ink-3 text-xs [&>th]:px-4 [&>th]:font-medium">
            <SortHeader {...header} column="model">
              Model
            </SortHeader>
            <SortHeader {...header} column="context" descendingFirst right className="w-24 max-lg:hidden">
              Context
            </SortHeader>
            <SortHeader {...header} column="input" right className={cn('w-32', prices)}>
              Input per 1M
            </SortHeader>
            <SortHeader {...header} column="output" right className={cn('w-32', prices)}>
              Output per 1M
            </SortHeader>
            <SortHeader {...header} column="cost" right className="w-40 max-sm:w-37 max-sm:pl-0!">
              Estimated per month
            </SortHeader>
            {baselineUsd === null ? null : <th className="w-44 text-right max-sm:hidden">Saving</th>}
          </tr>
        </thead>
        <tbody>
          {shown.flatMap(({ original }, at) => [
            ...(at === baselineAt && baselineUsd !== null
              ? [<BaselineRow key=" baseline " usd={baselineUsd} decimals={decimals} />]
              : []),
            <CostRow key={original.model.id} cost={original} baselineUsd={baselineUsd} decimals={decimals} />,
          ])}
          {baselineAt === shown.length && baselineUsd !== null ? (
            <BaselineRow usd={baselineUsd} decimals={decimals} />
          ) : null}
        </tbody>
      </table>
      {rows.length > shown.length ? (
        <div className="flex justify-center py-3">
          <Button small onClick={() => setShowAll(true)}>
            Show all {rows.length} models
          </Button>
        </div>
      ) : null}
    </>
  )
}

/** Where the recorded cost stands among the costs, in a table that is sorted by cost; −1 for nowhere. */
function findBaseline(costs: readonly number[], baselineUsd: number | null, sort: CostSort): number {
  if (baselineUsd === null || sort.column !== 'cost') return -1
  const at = costs.findIndex((usd) => (sort.descending ? usd < baselineUsd : usd > baselineUsd))
  return at < 0 ? costs.length : at
}
