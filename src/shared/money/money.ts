/**
 * An amount of money in whole nano-dollars (10^-9 USD). Sums stay exact up to 9,007,199 USD, the range of
 * integers a JavaScript number holds exactly.
 */
export type NanoUsd = number & { readonly __unit: 'nano-dollar' }

export const NANO_PER_USD = 1_000_000_000

export const ZERO_USD = 0 as NanoUsd

/** Marks a whole number as nano-dollars. Throws a RangeError for anything that is not a safe integer. */
export function nanoUsd(value: number): NanoUsd {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a whole number of nano-dollars: ${value}`)
  return value as NanoUsd
}

/**
 * Nano-dollars of a user's amount in USD, rounded to the nearest. An amount too large to be held exactly
 * becomes the nearest double: it is only compared, never added.
 */
export function usdToNano(usd: number): NanoUsd {
  return Math.round(usd * NANO_PER_USD) as NanoUsd
}

/** USD for JSON: the double nearest to the exact decimal value. */
export function nanoToUsd(nano: NanoUsd): number {
  return nano / NANO_PER_USD
}

/** The value of `X-Service-Cost-Usd`: USD with 6 decimals, rounded half up. */
export function formatUsdHeader(nano: NanoUsd): string {
  const micro = Math.floor((nano + 500) / 1000)
  const decimals = micro % 1_000_000
  return `${(micro - decimals) / 1_000_000}.${String(decimals).padStart(6, '0')}`
}

/** Beyond the range of exact sums, the end of the range: what an answer has cost must count in any case. */
export function addUsd(a: NanoUsd, b: NanoUsd): NanoUsd {
  return nanoUsd(Math.max(-Number.MAX_SAFE_INTEGER, Math.min(a + b, Number.MAX_SAFE_INTEGER)))
}

export function subtractUsd(a: NanoUsd, b: NanoUsd): NanoUsd {
  return nanoUsd(a - b)
}
