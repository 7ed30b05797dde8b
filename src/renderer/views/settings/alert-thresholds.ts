// Owns the shares of a cap at which a user is told: the usual ones, to be ticked, and others, to be typed. Pure.

export const USUAL_SHARES = [50, 80, 100] as const
/** As many as the gateway takes, the usual ones left out. */
const MOST_OTHERS = 2

function isUsual(percent: number): boolean {
  return USUAL_SHARES.some((usual) => usual === percent)
}

export function otherShares(shares: readonly number[]): number[] {
  return shares.filter((percent) => !isUsual(percent)).toSorted((a, b) => a - b)
}

export function withShare(shares: readonly number[], percent: number, on: boolean): number[] {
  const rest = shares.filter((other) => other !== percent)
  return (on ? [...rest, percent] : rest).toSorted((a, b) => a - b)
}

export function withOthers(shares: readonly number[], others: readonly number[]): number[] {
  return [...new Set([...shares.filter(isUsual), ...others])].toSorted((a, b) => a - b)
}

/** Reads "90" or "65, 90"; blank is none. A string says what is wrong. */
export function readShares(text: string): { value: number[] } | string {
  const words = text.split(/[\s,;%]+/).filter(Boolean)
  const shares = [...new Set(words.map(Number))]
  if (!shares.every((share) => Number.isInteger(share) && share >= 1 && share <= 100)) {
    return 'Enter a whole number from 1 to 100.'
  }
  if (otherShares(shares).length > MOST_OTHERS) return 'Two more at most.'
  return { value: shares }
}
