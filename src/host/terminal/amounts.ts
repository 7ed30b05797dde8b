// Amounts, tokens and times, as the commands show them.
import { chooseUsdDecimals, formatUsd } from '../../shared/format-usd.ts'

/** Formats amounts that are shown below each other, with the same number of decimals. */
export function usdColumn(amounts: readonly (number | null)[]): (usd: number | null) => string {
  const decimals = chooseUsdDecimals(amounts.filter((usd) => usd !== null))
  return (usd) => (usd === null ? '–' : formatUsd(usd, decimals))
}

/** A moment in the time zone of this computer: `2026-11-22 14:05:09`. */
export function formatMoment(iso: string): string {
  const date = new Date(iso)
  const two = (part: number) => String(part).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`
}
