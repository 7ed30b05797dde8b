// Owns the safe reading of JSON whose shape nobody promised. Knows no format.

export type JsonObject = Record<string, unknown>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The parsed value, or undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function stringOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === 'string' ? value : otherwise
}

/**
 * The most tokens of one kind that a report is believed. No request comes near: context windows end at some ten million
 * tokens. At the dearest price that can be set it is a million dollars, far below what integers hold exactly.
 */
const MAX_TOKENS = 100_000_000

/** The value as a count of tokens, or null for what is none: text, fractions, and what no request can have used. */
export function tokenCount(value: unknown): number | null {
  const count = wholeNumber(value)
  return count === null || count > MAX_TOKENS ? null : count
}

/** The value as a whole number from `min` to `max`, a trillion unless said otherwise, or null. */
export function wholeNumber(value: unknown, min = 0, max = 1e12): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : null
}
