/** Amounts are multiples of a nano-dollar. */
export const NANO_DECIMALS = 9

/**
 * USD for display: cents from a dollar up ($12.34), below that three significant digits ($0.000123, $0.10).
 * An amount that is not zero is never shown as zero.
 */
export function formatUsd(usd: number): string {
  const size = Math.abs(usd)
  const digits = size > 0 && size < 0.995 ? 2 - Math.floor(Math.log10(size)) : 2
  const written = getFormat(Math.min(NANO_DECIMALS, digits)).format(size)
  return usd < 0 ? `−$${written}` : `$${written}`
}

// Creating a format takes a hundred times as long as using it, and a list needs one for each row.
const formats = new Map<number, Intl.NumberFormat>()

function getFormat(decimals: number): Intl.NumberFormat {
  const known = formats.get(decimals)
  if (known) return known
  const made = new Intl.NumberFormat('en-US', {
    minimumFractionDigits: 2,
    maximumFractionDigits: decimals,
  })
  formats.set(decimals, made)
  return made
}
