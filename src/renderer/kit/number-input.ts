import { z } from 'zod'
import { getDecimalSeparator, localizeNumber } from '../../shared/values/locale.ts'

export type ParsedUsd = { ok: true; usd: number | null } | { ok: false; message: string }

/**
 * Parses "5", "$5.00", "0.25" or "1,000", and "0,25" where the locale has a decimal comma; blank is null. Anything else is an error
 * with a message, also "1.000" there: it may be one thousand or one.
 */
export function parseUsd(text: string): ParsedUsd {
  const bare = text.trim().replace(/^\$\s*/, '')
  if (bare === '') return { ok: true, usd: null }
  const plain = getDecimalSeparator() === ',' ? readDecimalComma(bare) : readGroups(bare)
  if (plain === null) {
    return {
      ok: false,
      message: `Enter it without a separator of thousands: ${bare.replace('.', '')} or ${bare.replace('.', ',')}.`,
    }
  }
  if (!/^(\d+\.?\d*|\.\d+)$/.test(plain)) {
    return { ok: false, message: 'Enter an amount in USD, such as 5 or 0.25.' }
  }
  const usd = Number(plain)
  if (usd > 9_000_000) return { ok: false, message: 'Enter at most 9,000,000.' }
  return { ok: true, usd }
}

function readGroups(text: string): string {
  return /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(',', '') : text
}

/** Null for a text that has one value with a decimal comma and another with a decimal point. */
function readDecimalComma(text: string): string | null {
  if (/^[1-9]\d{0,2}\.\d{3}$/.test(text)) return null
  return /^\d*,\d+$/.test(text) ? text.replace(',', '.') : text
}

/** An amount as a field shows it: with all its decimals and no separator of thousands; blank for null. */
export function formatInput(usd: number | null | undefined): string {
  return usd == null ? '' : localizeNumber(usd.toFixed(9).replace(/\.?0+$/, ''))
}

/** Parses a positive whole number; blank is null. */
export function parseCount(
  text: string,
): { ok: true; count: number | null } | { ok: false; message: string } {
  const bare = text.trim().replace(/^\d{1,3}([,.'’\s]\d{3})+$/, (grouped) => grouped.replace(/\D/g, ''))
  if (bare === '') return { ok: true, count: null }
  const count = Number(bare)
  if (!/^\d+$/.test(bare) || count < 1 || !Number.isSafeInteger(count)) {
    return { ok: false, message: 'Enter a whole number greater than 0.' }
  }
  return { ok: true, count }
}

// Schemas of the texts of fields.

/** An amount in USD; null for a blank field. */
export const usdText = z.string().transform((text, context) => {
  const amount = parseUsd(text)
  if (amount.ok) return amount.usd
  context.addIssue(amount.message)
  return z.NEVER
})

/** A positive whole number; null for a blank field. */
export const countText = z.string().transform((text, context) => {
  const count = parseCount(text)
  if (count.ok) return count.count
  context.addIssue(count.message)
  return z.NEVER
})

/** A text without spaces around it; null for a blank field. */
export const optionalText = z.string().transform((text) => text.trim() || null)

const MAX_PERCENTS = 5

/** Parses "90" or "65, 90"; blank is an empty list. Returns an error message for anything else. */
export function parsePercents(text: string): { value: number[] } | string {
  const parts = text.split(/[\s,;%]+/).filter(Boolean)
  const thresholds = [...new Set(parts.map(Number))]
  if (!thresholds.every((threshold) => Number.isInteger(threshold) && threshold >= 1 && threshold <= 100)) {
    return 'Enter a whole number from 1 to 100.'
  }
  return thresholds.length > MAX_PERCENTS ? 'Enter at most five.' : { value: thresholds }
}
