import { localizeNumber } from '../values/locale.ts'

/** Amounts are multiples of a nano-dollar. */
export const NANO_DECIMALS = 9

const CENTS = 2
/** The amount from which on cents are enough. */
const ENOUGH_FOR_CENTS = 0.1
/** The digits of an amount below that. */
const SIGNIFICANT_DIGITS = 3

/**
 * The number of decimals for amounts that are shown together: cents if the largest is at least $0.10, otherwise enough for three
 * significant digits of the largest, and never more than write them all.
 */
export function chooseUsdDecimals(amounts: readonly number[]): number {
  const largest = amounts.reduce((most, usd) => Math.max(most, Math.abs(usd)), 0)
  if (largest === 0 || largest >= ENOUGH_FOR_CENTS) return CENTS
  const most = Math.min(NANO_DECIMALS, SIGNIFICANT_DIGITS - 1 - Math.floor(Math.log10(largest)))
  return fewestDecimals(amounts, most)
}

/** The fewest decimals, cents at least, that write all amounts exactly, as in a receipt. */
export function exactUsdDecimals(amounts: readonly number[]): number {
  return fewestDecimals(amounts, NANO_DECIMALS)
}

/**
 * USD with a number of decimals, which is by default that of the amount alone: $12.34, $0.0123. An amount that is not zero is never
 * shown as zero, but as "< $0.01".
 */
export function formatUsd(usd: number, decimals: number = chooseUsdDecimals([usd])): string {
  const size = Math.abs(usd)
  const least = 10 ** -decimals
  // Just below a half of the last decimal, so that an amount on it is rounded up whatever its binary form.
  if (size > 0 && size < least * 0.4999999)
    return usd > 0 ? `< $${write(least, decimals)}` : `> −$${write(least, decimals)}`
  return `${usd < 0 ? '−' : ''}$${write(size, decimals)}`
}

/** The amount beyond a limit: "$0.02 over". Null unless it was exceeded. */
export function formatOver(spentUsd: number, limitUsd: number): string | null {
  return spentUsd > limitUsd ? `${formatUsd(spentUsd - limitUsd)} over` : null
}

function fewestDecimals(amounts: readonly number[], most: number): number {
  let fewest = CENTS
  for (const usd of amounts) {
    const zeros = /0*$/.exec(Math.abs(usd).toFixed(most))?.[0].length ?? 0
    fewest = Math.max(fewest, most - zeros)
  }
  return fewest
}

/**
 * As `Intl.NumberFormat` for `en-US`, whose first use takes longer than the rest of a command: digits in groups of three, and a
 * half rounded up, in the decimal form of the amount.
 */
function write(size: number, decimals: number): string {
  const [digits, exponent = '0'] = String(size).split('e')
  const units = Math.round(Number(`${digits}e${Number(exponent) + decimals}`))
  if (!Number.isSafeInteger(units))
    return localizeNumber(size.toLocaleString('en-US', { maximumFractionDigits: decimals }))
  const text = String(units).padStart(decimals + 1, '0')
  const end = text.length - decimals
  const whole = text.slice(0, end).replace(/\B(?=(\d{3})+$)/g, ',')
  return localizeNumber(decimals === 0 ? whole : `${whole}.${text.slice(end)}`)
}
