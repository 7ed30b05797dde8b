// Schemas of the texts of fields.

import { z } from 'zod'
import { parseCount, parseUsd } from './number-input.ts'

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
