import type { ReactNode } from 'react'
import type { ReconciledLine, ReconciledSide } from '../../../shared/api/reconciliations.ts'
import { StatusDot } from '../../kit/badge.tsx'
import { chooseUsdDecimals, formatCount, formatDate } from '../../kit/format.ts'
import { Money } from '../../kit/money.tsx'
import { matchNames } from './match-names.ts'
import { Difference } from './report-list.tsx'

/** The costs of days with few requests differ by less than a cent. */
const LEAST_DECIMALS = 4

export function LineTable({ lines }: { lines: readonly ReconciledLine[] }) {
  if (lines.length === 0) return <p className="px-4 pb-4 text-ink-3">None.</p>
  const amounts = lines.flatMap(({ there, here, differenceUsd }) => [
    there?.costUsd,
    here?.costUsd,
    differenceUsd,
  ])
  const decimals = Math.max(
    LEAST_DECIMALS,
    chooseUsdDecimals(amounts.filter((usd) => typeof usd === 'number')),
  )
  return (
    <CompareTable label="By day and model" first={['Day', 'Model']}>
      {lines.map(({ day, model, status, there, here, differenceUsd }) => (
        <tr key={`${day} ${model}`} className="h-9 border-line border-t">
          <td className="whitespace-nowrap pr-4 pl-4">{formatDate(day, 'UTC')}</td>
          <td className="max-w-64 truncate pr-4 font-medium" title={model ?? undefined}>
            {model ?? 'All models'}
          </td>
          <td className="whitespace-nowrap pr-4">
            <StatusDot tone={matchNames[status].tone}>{matchNames[status].label}</StatusDot>
          </td>
          <SideCells side={there} decimals={decimals} />
          <SideCells side={here} decimals={decimals} />
          <DifferenceCell usd={differenceUsd} decimals={decimals} />
        </tr>
      ))}
    </CompareTable>
  )
}

/** The frame of tables with both sides. */
export function CompareTable({
  label,
  first,
  children,
}: {
  label: string
  first: readonly string[]
  children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section aria-label={label} tabIndex={0} className="overflow-x-auto">
      <table className="w-full border-collapse">
        <thead>
          <tr className="text-left text-ink-3 text-xs">
            {[...first, 'Status'].map((name, index) => (
              <th
                key={name}
                scope="col"
                rowSpan={2}
                className={index === 0 ? 'pr-4 pl-4 font-medium' : 'pr-4 font-medium'}
              >
                {name}
              </th>
            ))}
            <th scope="colgroup" colSpan={2} className="pt-1 pr-4 text-right font-medium">
              Provider
            </th>
            <th scope="colgroup" colSpan={2} className="pt-1 pr-4 text-right font-medium">
              Log
            </th>
            <th scope="col" rowSpan={2} className="pr-4 text-right font-medium">
              Difference
            </th>
          </tr>
          <tr className="text-right text-ink-3 text-xs">
            {['provider', 'log'].flatMap((side) =>
              ['Tokens', 'Cost'].map((name) => (
                <th key={side + name} scope="col" className="pr-4 pb-1.5 font-medium">
                  {name}
                </th>
              )),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}

export function SideCells({ side, decimals }: { side: ReconciledSide | null; decimals: number }) {
  const { tokensIn = null, tokensOut = null, costUsd = null, requests = null } = side ?? {}
  const hasTokens = tokensIn !== null || tokensOut !== null
  return (
    <>
      <td
        className="whitespace-nowrap pr-4 text-right text-ink-2"
        title={requests === null ? undefined : `${formatCount(requests)} requests`}
      >
        {hasTokens ? `${formatCount(tokensIn ?? 0)} / ${formatCount(tokensOut ?? 0)}` : '–'}
      </td>
      <td className="whitespace-nowrap pr-4 text-right">
        {costUsd === null ? '–' : <Money usd={costUsd} decimals={decimals} />}
      </td>
    </>
  )
}

export function DifferenceCell({ usd, decimals }: { usd: number | null; decimals: number }) {
  return (
    <td className="whitespace-nowrap pr-4 text-right font-medium">
      {usd === null ? (
        '–'
      ) : usd === 0 ? (
        <span className="text-ink-3">0</span>
      ) : (
        <Difference usd={usd} decimals={decimals} />
      )}
    </td>
  )
}
