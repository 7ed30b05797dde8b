// Owns what is refused of a JSON text before it is parsed: members that parsers read differently, and amounts that
// would stop everybody else for seconds. One pass over the structure; knows nothing of what the text means.
import { invalidRequest } from '../platform/errors.ts'

/** Far above what agents send, and few enough to be parsed and checked within a fraction of a second. */
const MOST = {
  depth: 64,
  membersOfOne: 10_000,
  members: 200_000,
  /** Objects and arrays in one array: messages, parts, tools. */
  elements: 10_000,
  containers: 100_000,
  values: 1_000_000,
  digits: 1_000,
} as const

interface Container {
  /** The member names so far; null in an array. */
  names: Set<string> | null
  /** The objects and arrays right inside an array. */
  elements: number
}

/** Throws a 400. A text that is no JSON may pass. */
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
        if (++containers > MOST.containers) throw tooMany(MOST.containers, 'objects and arrays')
        const parent = open.at(-1)
        if (parent?.names === null && ++parent.elements > MOST.elements)
          throw tooMany(MOST.elements, 'elements in one array')
        open.push({ names: code === 0x7b ? new Set() : null, elements: 0 })
        if (open.length > MOST.depth)
          throw invalidRequest(`The request body is nested deeper than ${MOST.depth} levels.`)
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
        if (++values > MOST.values) throw tooMany(MOST.values, 'values')
        wantsName = (open.at(-1)?.names ?? null) !== null
        at++
        break
      case 0x22: {
        const end = endOfString(text, at)
        if (wantsName) {
          if (++members > MOST.members) throw tooMany(MOST.members, 'members')
          noteName(open.at(-1)?.names, text.slice(at, end))
          wantsName = false
        }
        at = end
        break
      }
      default:
        if (code === 0x2d || isDigit(code)) at = endOfNumber(text, at)
        else at++
    }
  }
}

function tooMany(most: number, what: string) {
  return invalidRequest(
    `The request body has more than ${most.toLocaleString('en-US')} ${what}. Send less at once.`,
  )
}

/** The index after the closing quote, or the end of the text when there is none (the parser then says so). */
function endOfString(text: string, start: number): number {
  // Most strings have no quote inside, and long ones are searched fastest so.
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

function noteName(names: Set<string> | null | undefined, literal: string): void {
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
    const shown = name.slice(0, 100)
    throw invalidRequest(`The member "${shown}" appears twice in one object.`, { param: shown })
  }
  if (names.size === MOST.membersOfOne) throw tooMany(MOST.membersOfOne, 'members in one object')
  names.add(name)
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1
  let exponent = false
  while (end < text.length) {
    const code = text.charCodeAt(end)
    const isExponent = code === 0x65 || code === 0x45
    if (!isDigit(code) && !isExponent && code !== 0x2b && code !== 0x2d && code !== 0x2e) break
    exponent ||= isExponent
    end++
  }
  if (end - start > MOST.digits) throw tooMany(MOST.digits, 'digits in one number')
  if (exponent || end - start > 300) refuseInfinite(Number(text.slice(start, end)))
  return end
}

function refuseInfinite(value: number): void {
  if (value === Infinity || value === -Infinity)
    throw invalidRequest('The request body has a number too large to be represented.')
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
