import { useMemo } from 'react'
import { useProviderName } from '../../../renderer/data/hooks.ts'
import { Badge } from '../../../renderer/kit/badge.tsx'
import { DataTable } from '../../../renderer/kit/data-table.tsx'
import { chooseUsdDecimals, formatCount, formatQuantity, formatUsd } from '../../../renderer/kit/format.ts'
import { ColumnMoney } from '../../../renderer/kit/money.tsx'
import { type Column, type Sort, useSortParam } from '../../../renderer/kit/table-order.ts'
import { Saving } from '../../../renderer/parts/controls/saving.tsx'
import type { RepricedModel, RepricedPart, Repricing } from '../api/repricing.ts'

type ColumnId = 'model' | 'uncached' | CostColumnId

const MOST_SAVED: Sort<ColumnId> = { column: 'saving', descending: true }

interface ModelsTableProps {
  data: readonly RepricedModel[]
  chosen: string | null
  onChoose: (model: string) => void
}

/** All models by what the requests would have cost. Models that could have served none are left out. */
export function ModelsTable({ data, chosen, onChoose }: ModelsTableProps) {
  const able = useMemo(() => data.filter(({ served }) => served > 0), [data])
  const decimals = chooseUsdDecimals(able.flatMap(({ costUsd, chargedUsd }) => [costUsd, chargedUsd]))
  const columns = createColumns(decimals, chosen, onChoose)
  return (
    <DataTable
      columns={columns}
      rows={able}
      getId={({ model }) => model}
      sorting={useSortParam(columns, MOST_SAVED)}
      rowClass={({ model }) => (model === chosen ? 'bg-accent-soft' : 'hover:bg-sunken')}
      classes={{ table: 'text-sm' }}
      firstShown={60}
      noun="models"
    />
  )
}

function createColumns(
  decimals: number,
  chosen: string | null,
  onChoose: (model: string) => void,
): Column<RepricedModel, ColumnId>[] {
  const costs = createCostColumns<RepricedModel>(decimals)
  return [
    {
      id: 'model',
      head: 'Model',
      sortBy: ({ model }) => model,
      isHeader: true,
      cell: (row) => <Name row={row} chosen={row.model === chosen} onChoose={() => onChoose(row.model)} />,
    },
    ...costs.slice(0, -1),
    {
      id: 'uncached',
      head: 'Without a cache',
      right: true,
      className: 'max-lg:hidden',
      headClass: 'w-32',
      cellClass: 'text-ink-2',
      cell: ({ uncachedUsd, costUsd }) =>
        uncachedUsd === costUsd ? '–' : <ColumnMoney usd={uncachedUsd} decimals={decimals} />,
    },
    ...costs.slice(-1),
  ]
}

type CostColumnId = 'served' | 'charged' | 'cost' | 'saving'
type Sums = Pick<RepricedPart, 'requests' | 'served' | 'chargedUsd' | 'costUsd'>

/** The columns of what requests cost, of all or of a part of them. */
export function createCostColumns<Row extends Sums>(decimals: number): Column<Row, CostColumnId>[] {
  return [
    {
      id: 'served',
      head: 'Could serve',
      sortBy: ({ served }) => served,
      descendingFirst: true,
      right: true,
      headClass: 'w-24',
      cell: ({ served, requests }) => formatShare(served, requests),
    },
    {
      id: 'charged',
      head: 'Charged',
      hint: 'For the requests that it could serve',
      right: true,
      className: 'max-sm:hidden',
      headClass: 'w-24',
      cellClass: 'text-ink-2',
      cell: ({ chargedUsd }) => <ColumnMoney usd={chargedUsd} decimals={decimals} />,
    },
    {
      id: 'cost',
      head: 'Would cost',
      sortBy: ({ costUsd }) => costUsd,
      right: true,
      headClass: 'w-28',
      cell: ({ costUsd }) => (costUsd === 0 ? 'Free' : <ColumnMoney usd={costUsd} decimals={decimals} />),
    },
    {
      id: 'saving',
      head: 'Saving',
      sortBy: ({ chargedUsd, costUsd }) => chargedUsd - costUsd,
      descendingFirst: true,
      right: true,
      className: 'max-sm:hidden',
      headClass: 'w-40',
      cell: ({ chargedUsd, costUsd }) => (
        <Saving chargedUsd={chargedUsd} costUsd={costUsd} decimals={decimals} />
      ),
    },
  ]
}

interface NameProps {
  row: RepricedModel
  chosen: boolean
  onChoose: () => void
}

function Name({ row: { model, provider, limitsKnown, priceOrigin }, chosen, onChoose }: NameProps) {
  const providerName = useProviderName()
  return (
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
  )
}

/** Whole percent; never 100 % or 0 % of a part that is neither. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return '0%'
  const percent = Math.round((100 * part) / whole)
  if (percent === 100 && part < whole) return '>99%'
  return percent === 0 && part > 0 ? '<1%' : `${percent}%`
}

/** Notes on the costs with a model that are not exact, one sentence each. */
export function modelNotes({
  unchecked,
  converted,
  limitsKnown,
  cachePriced,
  costUsd,
  uncachedUsd,
}: RepricedModel): string[] {
  const notes: string[] = []
  if (costUsd !== uncachedUsd) {
    notes.push(
      `It would not have had the same cache: between ${formatRange(costUsd, uncachedUsd)}, with as many cache hits as there were and with none.`,
    )
  } else if (!cachePriced && costUsd > 0) {
    notes.push('It has no price for a cache, so all input is at its full price.')
  }
  if (!limitsKnown) {
    notes.push(
      'Its capabilities or its context window are unknown, so some of the requests may not work on it. Set them in Models.',
    )
  }
  if (unchecked > 0) {
    notes.push(
      `${formatQuantity(unchecked, 'request')} may have had images, tools or JSON that it lacks: earlier versions did not record that.`,
    )
  }
  if (converted > 0) {
    notes.push(
      `The tokens of ${formatQuantity(converted, 'request')} are converted, because this model counts more or fewer for the same text.`,
    )
  }
  return notes
}

function formatRange(a: number, b: number): string {
  return `${formatUsd(Math.min(a, b))} and ${formatUsd(Math.max(a, b))}`
}

/** Notes on costs that are missing or not exact, whichever the model. */
export function repricingNotes({ estimated, unpriced, others, requests }: Repricing): string[] {
  const notes: string[] = []
  if (estimated > 0)
    notes.push(
      `${formatQuantity(estimated, 'request')} of ${formatCount(requests)} have estimated tokens or costs.`,
    )
  if (unpriced > 0) notes.push(`Left out: ${formatQuantity(unpriced, 'request')} whose cost is unknown.`)
  if (others.requests > 0) {
    notes.push(
      `Left out: ${formatQuantity(others.requests, 'request')} that are no chats (embeddings, images, audio), for ${formatUsd(others.chargedUsd)}.`,
    )
  }
  return notes
}
