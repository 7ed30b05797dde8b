// Owns the safe reading of JSON whose shape nobody promised. Knows no format.

export type JsonObject = Record<string, unknown>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** No format nests half as deep; beyond some thousand levels a value can be parsed and not be written again. */
const MAX_DEPTH = 200
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Where the string that begins at `start` ends: at its closing quote. */
function findStringEnd(json: string, start: number): number {
  let end = start
  for (;;) {
    end = json.indexOf('"', end + 1)
    if (end === -1) return json.length
    let before = end
    while (json.charCodeAt(before - 1) === BACKSLASH) before -= 1
    // A quote after an odd number of backslashes is part of the text.
    if ((end - before) % 2 === 0) return end
  }
}

/** Whether brackets outside of strings nest deeper than `MAX_DEPTH`. */
function isTooDeep(json: string): boolean {
  // Every level takes two characters.
  if (json.length <= 2 * MAX_DEPTH) return false
  let depth = 0
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = findStringEnd(json, at)
    else if (code === 0x5b || code === 0x7b) depth += 1
    else if (code === 0x5d || code === 0x7d) depth -= 1
    if (depth > MAX_DEPTH) return true
  }
  return false
}

/** The parsed value, or undefined for text that is not JSON, or nested beyond reason. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) return undefined
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
