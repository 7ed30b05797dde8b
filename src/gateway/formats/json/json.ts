export type JsonObject = Record<string, unknown>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value if it is an object, else an empty one. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** The value if it is a list, else an empty one. */
export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** The objects in a list; none in a value that is no list. */
export function listObjects(value: unknown): JsonObject[] {
  return asList(value).filter(isObject)
}

export function isGiven<T>(value: T): value is T & {} {
  return value !== undefined && value !== null
}

/** Far deeper than any format nests. Beyond some thousand levels JSON.parse succeeds but JSON.stringify overflows the stack. */
const MAX_DEPTH = 200
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The index of the closing quote of the string that starts at `start`. */
export function findStringEnd(json: string, start: number): number {
  let end = start
  for (;;) {
    end = json.indexOf('"', end + 1)
    if (end === -1) return json.length
    let runStart = end
    while (json.charCodeAt(runStart - 1) === BACKSLASH) runStart -= 1
    // A quote after an odd number of backslashes is escaped.
    if ((end - runStart) % 2 === 0) return end
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

/** The parsed value, or undefined for text that is not JSON or is nested too deeply. */
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
 * The largest token count that is accepted from a usage report. Context windows end at about ten million tokens. At the
 * highest price that can be set this is a million dollars, far below the largest exact integer.
 */
const MAX_TOKENS = 100_000_000

/** The value as a token count; null for text, fractions and impossible numbers. */
export function tokenCount(value: unknown): number | null {
  const count = wholeNumber(value)
  return count === null || count > MAX_TOKENS ? null : count
}

/** The value as a token count; 0 if it is absent. NaN for a value that is not a count, so that sums show it. */
export function optionalCount(value: unknown): number {
  return isGiven(value) ? (tokenCount(value) ?? Number.NaN) : 0
}

/** The value as an integer from `min` to `max`, or null. */
export function wholeNumber(value: unknown, min = 0, max = 1e12): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : null
}

/**
 * JSON in the canonical form of RFC 8785: members in the order of their UTF-16 code units, no white space, numbers and
 * texts as ECMAScript writes them. Throws a TypeError for what JSON cannot represent, and for lone surrogates.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('a number is out of range')
    return JSON.stringify(value)
  }
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new TypeError('a text is not valid Unicode')
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object') {
    const members = Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`)
    return `{${members.join(',')}}`
  }
  throw new TypeError(`JSON has no ${typeof value}`)
}
