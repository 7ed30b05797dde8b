// Owns strict JSON: what JSON.parse lets through silently and would later cost money or memory is refused here.
import { invalidRequest } from '../errors.ts'

const MAX_DEPTH = 64
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The value of a JSON body. Throws a 400 for broken UTF-8 or syntax, depth above 64, a member named twice (RFC 8259
 * leaves the meaning open), `__proto__`, and numbers beyond a double (`1e400` would read as Infinity).
 */
export function parseStrictJson(bytes: Buffer): unknown {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw invalidRequest('The request body is not valid UTF-8.')
  }
  refuseTraps(text)
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'it cannot be read'
    throw invalidRequest(`The request body is not valid JSON: ${reason}.`)
  }
}

/** One pass over the structure. String contents are skipped with indexOf, so long prompts cost next to nothing. */
function refuseTraps(text: string): void {
  const names: (Set<string> | null)[] = []
  let wantsName = false
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    switch (code) {
      case 0x7b: // {
      case 0x5b: // [
        names.push(code === 0x7b ? new Set() : null)
        if (names.length > MAX_DEPTH)
          throw invalidRequest(`The request body is nested deeper than ${MAX_DEPTH} levels.`)
        wantsName = code === 0x7b
        at++
        break
      case 0x7d: // }
      case 0x5d: // ]
        names.pop()
        wantsName = false
        at++
        break
      case 0x2c: // ,
        wantsName = names.at(-1) instanceof Set
        at++
        break
      case 0x22: {
        const end = endOfString(text, at)
        if (wantsName) {
          noteName(names.at(-1), text.slice(at, end))
          wantsName = false
        }
        at = end
        break
      }
      default:
        if (code === 0x2d || (code >= 0x30 && code <= 0x39)) at = skipNumber(text, at)
        else at++
    }
  }
}

/** The index after the closing quote, or the end of the text when there is none (JSON.parse then says so). */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1)
  while (quote !== -1) {
    let backslashes = 0
    while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return quote + 1
    quote = text.indexOf('"', quote + 1)
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
    throw invalidRequest(`The member "${name.slice(0, 100)}" appears twice in one object.`, {
      param: name.slice(0, 100),
    })
  }
  names.add(name)
}

function skipNumber(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && /[0-9eE.+-]/.test(text.charAt(end))) end++
  const literal = text.slice(start, end)
  if (
    (literal.length > 300 || /[eE]/.test(literal)) &&
    !Number.isFinite(Number(literal)) &&
    !Number.isNaN(Number(literal))
  ) {
    throw invalidRequest('The request body has a number too large to be represented.')
  }
  return end
}
