// Amounts, tokens and times, as the commands show them.
import { chooseUsdDecimals, formatUsd } from '../../shared/money/format-usd.ts'
import type { Column } from './table.ts'

/** Formats amounts that are shown below each other, with the same number of decimals. */
export function usdColumn(amounts: readonly (number | null)[]): (usd: number | null) => string {
  const decimals = chooseUsdDecimals(amounts.filter((usd) => usd !== null))
  return (usd) => (usd === null ? '–' : formatUsd(usd, decimals))
}

/** `$0.00 · worth $1.32`: a cost, and what requests of plans are worth, if there are any. */
export function formatCost(costUsd: number, worthUsd: number | null): string {
  return `${formatUsd(costUsd)}${worthUsd ? ` · worth ${formatUsd(worthUsd)}` : ''}`
}

/** The column of what requests of plans are worth; none where there are no such requests. */
export function worthColumn<Row extends { worthUsd?: number | null }>(
  rows: readonly Row[],
  usd: (amount: number | null) => string,
): Column<Row>[] {
  if (!rows.some(({ worthUsd }) => worthUsd)) return []
  return [{ title: 'WORTH', align: 'right', cell: ({ worthUsd = null }) => usd(worthUsd) }]
}

interface UsageSums {
  requests: number
  tokensIn: number
  /** The part of `tokensIn` that was read from caches; undefined where nothing says it. */
  tokensCached?: number
  tokensOut: number
  costUsd: number
  worthUsd: number
}

/** The columns of what was used and what it cost. A narrow terminal has room for the cost alone. */
export function usageColumns<Row extends UsageSums>(rows: readonly Row[]): Column<Row>[] {
  const usd = usdColumn(rows.flatMap(({ costUsd, worthUsd }) => [costUsd, worthUsd]))
  const count = (title: string, get: (row: Row) => number): Column<Row> => ({
    title,
    optional: true,
    align: 'right',
    cell: (row) => formatCount(get(row)),
  })
  const hasCached = rows.some(({ tokensCached }) => tokensCached !== undefined)
  return [
    count('REQUESTS', ({ requests }) => requests),
    count('INPUT', ({ tokensIn }) => tokensIn),
    ...(hasCached ? [count('CACHED', ({ tokensCached = 0 }) => tokensCached)] : []),
    count('OUTPUT', ({ tokensOut }) => tokensOut),
    { title: 'COST', align: 'right', cell: ({ costUsd }) => usd(costUsd) },
    ...worthColumn(rows, usd),
  ]
}

const counts = new Intl.NumberFormat('en-US')

export function formatCount(count: number): string {
  return counts.format(count)
}

export function pluralize(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** A moment in the time zone of this computer: `2026-11-22 14:05:09`. */
export function formatMoment(iso: string): string {
  const date = new Date(iso)
  const two = (part: number) => String(part).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`
}

/** `850 ms`, `4.2 s`, `12 min 5 s`, `3 h 12 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
