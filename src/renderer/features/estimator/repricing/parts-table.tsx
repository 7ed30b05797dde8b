import { useState } from 'react'
import type { RepricedModel, RepricedPart } from '../../../../shared/api/repricing.ts'
import { getToolName } from '../../../data/tool-name.ts'
import { Button } from '../../../kit/button.tsx'
import { chooseUsdDecimals } from '../../../kit/format.ts'
import { ColumnMoney } from '../../../kit/money.tsx'
import { SegmentedControl } from '../../../kit/segmented-control.tsx'
import { Saving } from './saving.tsx'
import { formatShare } from './texts.ts'

const PARTS = [
  { value: 'byKey', label: 'Key' },
  { value: 'byClient', label: 'Tool' },
  { value: 'byModel', label: 'Model that served' },
] as const
type PartsBy = (typeof PARTS)[number]['value']

const FIRST_SHOWN = 6

/** The costs with one model, divided. */
export function PartsTable({ repriced }: { repriced: RepricedModel }) {
  const [by, setBy] = useState<PartsBy>('byKey')
  const [showAll, setShowAll] = useState(false)
  const parts = repriced[by] ?? []
  const shown = showAll ? parts : parts.slice(0, FIRST_SHOWN)
  const decimals = chooseUsdDecimals(parts.flatMap(({ chargedUsd, costUsd }) => [chargedUsd, costUsd]))
  return (
    <div className="min-w-0">
      <div className="flex items-center justify-between gap-3 pb-1">
        <h3 className="font-medium text-ink-2 text-sm">Savings by</h3>
        <SegmentedControl label="Parts by" value={by} options={PARTS} onChange={setBy} />
      </div>
      <table className="w-full table-fixed border-collapse text-sm">
        <thead>
          <tr className="h-8 border-line border-b text-left text-ink-3 text-xs [&>th]:font-medium [&>th]:pr-3">
            <th>{PARTS.find(({ value }) => value === by)?.label}</th>
            <th className="w-20 text-right">Could serve</th>
            <th className="w-24 text-right max-sm:hidden">Charged</th>
            <th className="w-24 text-right">Would cost</th>
            <th className="w-40 text-right max-sm:hidden">Saving</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((part) => (
            <tr key={part.group} className="h-8 border-line border-b last:border-b-0 [&>td]:pr-3">
              <th scope="row" className="truncate pr-3 text-left font-normal" title={part.label}>
                {getName(by, part)}
              </th>
              <td className="text-right tabular-nums">{formatShare(part.served, part.requests)}</td>
              <td className="text-right text-ink-2 tabular-nums max-sm:hidden">
                <ColumnMoney usd={part.chargedUsd} decimals={decimals} />
              </td>
              <td className="text-right tabular-nums">
                <ColumnMoney usd={part.costUsd} decimals={decimals} />
              </td>
              <td className="text-right tabular-nums max-sm:hidden">
                <Saving chargedUsd={part.chargedUsd} costUsd={part.costUsd} decimals={decimals} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {parts.length > shown.length ? (
        <Button small variant="quiet" className="mt-1" onClick={() => setShowAll(true)}>
          Show all {parts.length}
        </Button>
      ) : null}
    </div>
  )
}

function getName(by: PartsBy, { group, label }: RepricedPart): string {
  return by === 'byClient' ? getToolName(group) : label
}
