import { useState } from 'react'
import { Link } from 'wouter'
import type { ReconciledItem } from '../../../shared/api/reconciliations.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { StatusDot } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { formatCount, formatMoment } from '../../kit/format.ts'
import { CompareTable, DifferenceCell, SideCells } from './line-table.tsx'
import { matchNames } from './match-names.ts'

const FIRST_SHOWN = 100
/** The cost of single requests has six decimals in all lists. */
const DECIMALS = 6

export function ItemTable({ items }: { items: readonly ReconciledItem[] }) {
  const timeZone = useTimeZone()
  const [all, setAll] = useState(false)
  if (items.length === 0) return <p className="px-4 pb-4 text-ink-3">None.</p>
  return (
    <>
      <CompareTable label="Requests that do not match" first={['Time', 'Model']}>
        {items.slice(0, all ? undefined : FIRST_SHOWN).map((item) => (
          <tr key={`${item.requestId} ${item.row}`} className="h-9 border-line border-t">
            <td className="whitespace-nowrap pr-4 pl-4">
              {item.requestId === null ? (
                formatMoment(item.at, timeZone)
              ) : (
                <Link href={`/requests/${item.requestId}`} className="text-accent-ink hover:underline">
                  {formatMoment(item.at, timeZone)}
                </Link>
              )}
            </td>
            <td className="max-w-64 truncate pr-4 font-medium" title={item.model}>
              {item.model}
            </td>
            <td
              className="whitespace-nowrap pr-4"
              title={item.row === null ? undefined : `Row ${item.row} of the file`}
            >
              <StatusDot tone={matchNames[item.status].tone}>{matchNames[item.status].label}</StatusDot>
            </td>
            <SideCells side={item.there} decimals={DECIMALS} />
            <SideCells side={item.here} decimals={DECIMALS} />
            <DifferenceCell usd={item.differenceUsd} decimals={DECIMALS} />
          </tr>
        ))}
      </CompareTable>
      {items.length > FIRST_SHOWN && !all ? (
        <div className="border-line border-t p-2 text-center print:hidden">
          <Button variant="quiet" onClick={() => setAll(true)}>
            Show all {formatCount(items.length)}
          </Button>
        </div>
      ) : null}
    </>
  )
}
