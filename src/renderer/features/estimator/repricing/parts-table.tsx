import { useState } from 'react'
import type { RepricedModel, RepricedPart } from '../../../../shared/api/repricing.ts'
import { getToolName } from '../../../data/tool-name.ts'
import { DataTable } from '../../../kit/data-table.tsx'
import { chooseUsdDecimals } from '../../../kit/format.ts'
import { ColumnMoney } from '../../../kit/money.tsx'
import { SegmentedControl } from '../../../kit/segmented-control.tsx'
import type { Column } from '../../../kit/table-order.ts'
import { Saving } from './saving.tsx'
import { formatShare } from './texts.ts'

const PARTS = [
  { value: 'byKey', label: 'Key' },
  { value: 'byClient', label: 'Tool' },
  { value: 'byModel', label: 'Model used' },
] as const
type PartsBy = (typeof PARTS)[number]['value']

/** The costs with one model, divided. */
export function PartsTable({ repriced }: { repriced: RepricedModel }) {
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
    {
      id: 'served',
      head: 'Could serve',
      right: true,
      headClass: 'w-20',
      cell: ({ served, requests }) => formatShare(served, requests),
    },
    {
      id: 'charged',
      head: 'Charged',
      right: true,
      className: 'max-sm:hidden',
      headClass: 'w-24',
      cellClass: 'text-ink-2',
      cell: ({ chargedUsd }) => <ColumnMoney usd={chargedUsd} decimals={decimals} />,
    },
    {
      id: 'cost',
      head: 'Would cost',
      right: true,
      headClass: 'w-24',
      cell: ({ costUsd }) => <ColumnMoney usd={costUsd} decimals={decimals} />,
    },
    {
      id: 'saving',
      head: 'Saving',
      right: true,
      className: 'max-sm:hidden',
      headClass: 'w-40',
      cell: ({ chargedUsd, costUsd }) => (
        <Saving chargedUsd={chargedUsd} costUsd={costUsd} decimals={decimals} />
      ),
    },
  ]
}

function getName(by: PartsBy, { group, label }: RepricedPart): string {
  return by === 'byClient' ? getToolName(group) : label
}
