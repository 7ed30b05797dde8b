import { invalidRequest } from '../platform/errors.ts'

/** Far more than agents send, and few enough to parse and validate within a fraction of a second. */
const MAX = {
  depth: 64,
  membersOfOne: 10_000,
  members: 200_000,
  /** Objects and arrays in one array, such as messages, parts or tools. */
  elements: 10_000,
  containers: 100_000,
  values: 1_000_000,
  digits: 1_000,
} as const

interface Container {
  /** The member names seen so far; null for an array. */
  names: Set<string> | null
  /** The number of objects and arrays directly inside an array. */
  elements: number
}

/**
 * Checks a JSON text in one pass before it is parsed: rejects members that parsers read differently, and amounts that would
 * block the event loop for seconds. Throws a 400. Does not detect invalid JSON.
 */
export function scanJson(text: string): void {
  const open: Container[] = []
  let members = 0
  let containers = 0
  let values = 1
  let wantsName = false
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    switch (code) {
      case 0x7b: // {
      case 0x5b: {
        // [
        if (++containers > MAX.containers) throw tooMany(MAX.containers, 'objects and arrays')
        const parent = open.at(-1)
        if (parent?.names === null && ++parent.elements > MAX.elements)
          throw tooMany(MAX.elements, 'elements in one array')
        open.push({ names: code === 0x7b ? new Set() : null, elements: 0 })
        if (open.length > MAX.depth)
          throw invalidRequest(`The request body is nested deeper than ${MAX.depth} levels.`)
        wantsName = code === 0x7b
        at++
        break
      }
      case 0x7d: // }
      case 0x5d: // ]
        open.pop()
        wantsName = false
        at++
        break
      case 0x2c: // ,
        if (++values > MAX.values) throw tooMany(MAX.values, 'values')
        wantsName = (open.at(-1)?.names ?? null) !== null
        at++
        break
      case 0x22: {
        const end = findStringEnd(text, at)
        if (wantsName) {
          if (++members > MAX.members) throw tooMany(MAX.members, 'members')
          addName(open.at(-1)?.names, text.slice(at, end))
          wantsName = false
        }
        at = end
        break
      }
      default:
        if (code === 0x2d || isDigit(code)) at = findNumberEnd(text, at)
        else at++
    }
  }
}

function tooMany(max: number, what: string) {
  return invalidRequest(
    `The request body has more than ${max.toLocaleString('en-US')} ${what}. Send smaller requests.`,
  )
}

/** The index after the closing quote, or the end of the text if there is none (JSON.parse then reports it). */
function findStringEnd(text: string, start: number): number {
  // Most strings contain no quote, and indexOf is the fastest search.
  const quote = text.indexOf('"', start + 1)
  if (quote === -1) return text.length
  if (text.charCodeAt(quote - 1) !== 0x5c) return quote + 1
  let at = start + 1
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at + 1
    at += code === 0x5c ? 2 : 1
  }
  return text.length
}

function addName(names: Set<string> | null | undefined, literal: string): void {
  if (!names) return
  let name = literal.slice(1, -1)
  if (name.includes('\\')) {
    try {
      name = String(JSON.parse(literal))
    } catch {
      return
    }
  }
  if (name === '__proto__')
    throw invalidRequest('The member name "__proto__" is not allowed.', { param: name })
  if (names.has(name)) {
    const param = name.slice(0, 100)
    throw invalidRequest(`The member "${param}" appears twice in one object.`, { param })
  }
  if (names.size === MAX.membersOfOne) throw tooMany(MAX.membersOfOne, 'members in one object')
  names.add(name)
}

function findNumberEnd(text: string, start: number): number {
  let end = start + 1
  let exponent = false
  while (end < text.length) {
    const code = text.charCodeAt(end)
    const isExponent = code === 0x65 || code === 0x45
    if (!isDigit(code) && !isExponent && code !== 0x2b && code !== 0x2d && code !== 0x2e) break
    exponent ||= isExponent
    end++
  }
  if (end - start > MAX.digits) throw tooMany(MAX.digits, 'digits in one number')
  if (exponent || end - start > 300) checkFinite(Number(text.slice(start, end)))
  return end
}

function checkFinite(value: number): void {
  if (value === Infinity || value === -Infinity)
    throw invalidRequest('The request body has a number too large to be represented.')
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
