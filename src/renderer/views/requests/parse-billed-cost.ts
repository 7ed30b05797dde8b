// Owns reading what a provider billed, as a person typed it, against the bounds that the charge lies in. Pure.
import { formatUsdExact } from '../../format.ts'
import { type ParsedUsd, parseUsd } from '../../number-input.ts'

/** The bounds are in USD and belong to what is allowed; null is no bound. */
export function readBill(text: string, lowUsd: number | null, highUsd: number | null): ParsedUsd {
  const read = parseUsd(text)
  if (!read.ok || read.usd === null) return read
  if (highUsd !== null && read.usd > highUsd) {
    return {
      ok: false,
      message: `It cannot have cost more than ${formatUsdExact(highUsd)}: that is all it could use.`,
    }
  }
  if (lowUsd !== null && read.usd < lowUsd) {
    return { ok: false, message: `It cannot have cost less than ${formatUsdExact(lowUsd)}.` }
  }
  return read
}
