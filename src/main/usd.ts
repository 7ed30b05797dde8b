// Owns how the desktop writes amounts where the interface cannot: in the tray and in notifications.

/** The finest amount there is: a nano-dollar. */
const MOST_DECIMALS = 9

/** Cents from a dollar up ($12.34), below that three significant digits ($0.000123): what is not zero never reads so. */
export function usd(amount: number): string {
  const digits = amount > 0 && amount < 0.995 ? 2 - Math.floor(Math.log10(amount)) : 2
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: Math.min(MOST_DECIMALS, digits),
  }).format(amount)
}
