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

/** The value as a whole number from `min` up to a trillion, or null. */
export function wholeNumber(value: unknown, min = 0): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= 1e12 ? value : null
}
