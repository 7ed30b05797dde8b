import { useState } from 'react'
import type { RepricedModel } from '../../../../shared/api/repricing.ts'
import { OBSTACLES } from '../../../../shared/api/repricing-texts.ts'
import { useProviderName } from '../../../data/hooks.ts'
import { Badge } from '../../../kit/badge.tsx'
import { Button } from '../../../kit/button.tsx'
import { cn } from '../../../kit/cn.ts'
import { chooseUsdDecimals } from '../../../kit/format.ts'
import { ColumnMoney } from '../../../kit/money.tsx'
import { type Sort, SortHeader } from '../../../kit/sort-header.tsx'
import { Saving } from './saving.tsx'
import { formatShare } from './texts.ts'

export const REPRICING_COLUMNS = ['model', 'served', 'cost', 'saving'] as const
export type RepricingSort = Sort<(typeof REPRICING_COLUMNS)[number]>
export const MOST_SAVED: RepricingSort = { column: 'saving', descending: true }

const FIRST_SHOWN = 60

const VALUES: Readonly<Record<(typeof REPRICING_COLUMNS)[number], (row: RepricedModel) => number | string>> =
  {
    model: ({ model }) => model,
    served: ({ served }) => served,
    cost: ({ costUsd }) => costUsd,
    saving: ({ chargedUsd, costUsd }) => chargedUsd - costUsd,
  }

interface ModelsTableProps {
  data: readonly RepricedModel[]
  chosen: string | null
  onChoose: (model: string) => void
  sort: RepricingSort
  onSort: (sort: RepricingSort) => void
}

/** All models by what the requests would have cost. Those that could have served none are left out. */
export function ModelsTable({ data, chosen, onChoose, sort, onSort }: ModelsTableProps) {
  const [showAll, setShowAll] = useState(false)
  const able = data.filter(({ served }) => served > 0)
  const sortedBy = VALUES[sort.column]
  const sorted = able.toSorted((a, b) => compare(sortedBy(a), sortedBy(b)) * (sort.descending ? -1 : 1))
  const shown = showAll ? sorted : sorted.slice(0, FIRST_SHOWN)
  const decimals = chooseUsdDecimals(able.flatMap(({ costUsd, chargedUsd }) => [costUsd, chargedUsd]))
  const header = { sort, onSort }
  return (
    <>
      <table className="w-full table-fixed border-collapse text-sm">
        <thead>
          <tr className="h-9 border-line border-b text-left text-ink-3 text-xs [&>th]:px-4 [&>th]:font-medium">
            <SortHeader {...header} column="model">
              Model
            </SortHeader>
            <SortHeader {...header} column="served" descendingFirst right className="w-28">
              Could serve
            </SortHeader>
            <th className="w-32 text-right max-lg:hidden">Charged for these</th>
            <SortHeader {...header} column="cost" right className="w-32">
              Would cost
            </SortHeader>
            <th className="w-32 text-right max-lg:hidden">Without a cache</th>
            <SortHeader {...header} column="saving" descendingFirst right className="w-44 max-sm:hidden">
              Saving
            </SortHeader>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <ModelRow
              key={row.model}
              row={row}
              chosen={row.model === chosen}
              onChoose={() => onChoose(row.model)}
              decimals={decimals}
            />
          ))}
        </tbody>
      </table>
      {sorted.length > shown.length ? (
        <div className="flex justify-center py-3">
          <Button small onClick={() => setShowAll(true)}>
            Show all {sorted.length} models
          </Button>
        </div>
      ) : null}
    </>
  )
}

interface ModelRowProps {
  row: RepricedModel
  chosen: boolean
  onChoose: () => void
  decimals: number
}

function ModelRow({ row, chosen, onChoose, decimals }: ModelRowProps) {
  const providerName = useProviderName()
  const {
    model,
    provider,
    limitsKnown,
    served,
    requests,
    chargedUsd,
    costUsd,
    uncachedUsd,
    priceOrigin,
    obstacles,
  } = row
  const cell = 'px-4 text-right tabular-nums'
  return (
    <tr
      className={cn(
        'h-9 border-line border-b last:border-b-0',
        chosen ? 'bg-accent-soft' : 'hover:bg-sunken',
      )}
    >
      <th scope="row" className="px-4 text-left font-normal">
        <div className="flex min-w-0 items-center gap-2">
          <button
            type="button"
            aria-pressed={chosen}
            title={model}
            onClick={onChoose}
            className="min-w-0 truncate rounded-sm font-medium font-mono hover:underline"
          >
            {model}
          </button>
          <span className="truncate text-ink-3 max-xl:hidden">{providerName(provider)}</span>
          {limitsKnown ? null : <Badge>Limits unknown</Badge>}
          {priceOrigin.match === 'approximate' ? <Badge>Approximate price</Badge> : null}
        </div>
      </th>
      <td
        className={cn(cell, served < requests && 'text-ink-2')}
        title={
          obstacles.map(({ reason, requests: count }) => `${count} ${OBSTACLES[reason]}`).join('\n') ||
          undefined
        }
      >
        {formatShare(served, requests)}
      </td>
      <td className={cn(cell, 'text-ink-2 max-lg:hidden')}>
        <ColumnMoney usd={chargedUsd} decimals={decimals} />
      </td>
      <td className={cell}>{costUsd === 0 ? 'Free' : <ColumnMoney usd={costUsd} decimals={decimals} />}</td>
      <td className={cn(cell, 'text-ink-2 max-lg:hidden')}>
        {uncachedUsd === costUsd ? '–' : <ColumnMoney usd={uncachedUsd} decimals={decimals} />}
      </td>
      <td className={cn(cell, 'max-sm:hidden')}>
        <Saving chargedUsd={chargedUsd} costUsd={costUsd} decimals={decimals} />
      </td>
    </tr>
  )
}

function compare(a: number | string, b: number | string): number {
  return typeof a === 'string' && typeof b === 'string' ? a.localeCompare(b) : Number(a) - Number(b)
}
