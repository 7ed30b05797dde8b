import { z } from 'zod'
import { findStringEnd, isObject } from '../formats/json/json.ts'
import { invalidRequest } from '../platform/errors.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The text of a body. Throws a 400 for invalid UTF-8. */
export function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalidRequest('The request body is not valid UTF-8.')
  }
}

/**
 * Parses a JSON body more strictly than JSON.parse. Throws a 400 for invalid syntax, nesting deeper than 64 levels, duplicate
 * members (RFC 8259 leaves their meaning open), `__proto__`, numbers beyond a double (`1e400` would become Infinity), and for
 * amounts that would take too long to process.
 */
export function parseStrictJson(text: string): unknown {
  scanJson(text)
  try {
    return JSON.parse(text)
  } catch (error) {
    // V8 quotes the text around the error. It may be part of a prompt, and error messages are stored.
    const reason =
      error instanceof SyntaxError ? error.message.replace(/, (\.\.\.)?"[\s\S]*/, '') : 'it cannot be read'
    throw invalidRequest(`The request body is not valid JSON: ${reason}.`)
  }
}

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

/** Up to this many members of an object, a list is searched faster than a set. */
const FEW_NAMES = 8

/** An object or array. One is reused for all at the same depth. */
class Container {
  isObject = false
  /** The number of objects and arrays directly inside an array. */
  elements = 0
  /** The member names seen so far. */
  names: string[] = []
  /** The names once they are many. */
  manyNames: Set<string> | null = null

  reset(isObject: boolean): void {
    this.isObject = isObject
    this.elements = 0
    this.names.length = 0
    this.manyNames = null
  }

  /** Returns false for a name that the object already has. */
  addName(name: string): boolean {
    if (this.manyNames?.has(name) ?? this.names.includes(name)) return false
    this.names.push(name)
    if (this.manyNames) this.manyNames.add(name)
    else if (this.names.length > FEW_NAMES) this.manyNames = new Set(this.names)
    return true
  }
}

/**
 * Checks a JSON text in one pass before it is parsed: rejects members that parsers read differently, and amounts that would
 * block the event loop for seconds. Throws a 400. Does not detect invalid JSON.
 */
function scanJson(text: string): void {
  const containers: Container[] = []
  let depth = 0
  let current: Container | null = null
  const count = { members: 0, containers: 0, values: 1 }
  let wantsName = false
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    switch (code) {
      case 0x7b: // {
      case 0x5b: {
        // [
        if (++count.containers > MAX.containers) throw tooMany(MAX.containers, 'objects and arrays')
        if (current?.isObject === false && ++current.elements > MAX.elements)
          throw tooMany(MAX.elements, 'elements in one array')
        if (depth === MAX.depth)
          throw invalidRequest(`The request body is nested deeper than ${MAX.depth} levels.`)
        current = containers[depth] ?? new Container()
        containers[depth++] = current
        wantsName = code === 0x7b
        current.reset(wantsName)
        at++
        break
      }
      case 0x7d: // }
      case 0x5d: // ]
        depth = Math.max(0, depth - 1)
        current = containers[depth - 1] ?? null
        wantsName = false
        at++
        break
      case 0x2c: // ,
        if (++count.values > MAX.values) throw tooMany(MAX.values, 'values')
        wantsName = current?.isObject ?? false
        at++
        break
      case 0x22: {
        const end = findStringEnd(text, at)
        if (wantsName && current) {
          if (++count.members > MAX.members) throw tooMany(MAX.members, 'members')
          addName(current, text.slice(at + 1, end))
          wantsName = false
        }
        at = end + 1
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

/** `escaped`: a member name as it is in the text. */
function addName(object: Container, escaped: string): void {
  const name = escaped.includes('\\') ? unescapeName(escaped) : escaped
  if (name === null) return
  if (name === '__proto__')
    throw invalidRequest('The member name "__proto__" is not allowed.', { param: name })
  if (!object.addName(name)) {
    const param = name.slice(0, 100)
    throw invalidRequest(`The member "${param}" appears twice in one object.`, { param })
  }
  if (object.names.length > MAX.membersOfOne) throw tooMany(MAX.membersOfOne, 'members in one object')
}

/** Null for an invalid text, which JSON.parse reports later. */
function unescapeName(escaped: string): string | null {
  try {
    return String(JSON.parse(`"${escaped}"`))
  } catch {
    return null
  }
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

type Issue = z.core.$ZodIssue

/** Parses `value`, or throws a 400 whose `param` is the path of the first issue (`messages[2].content[0].text`). */
export function validate<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const early = findIssueInLongList(schema, value)
  const result = early ? null : schema.safeParse(value)
  if (result?.success) return result.data
  const first = early ?? result?.error.issues[0]
  if (!first) throw invalidRequest(`The ${what} is invalid.`)
  const { path, issue } = findDeepestIssue(first, [])
  const param = formatPath(issue.code === 'unrecognized_keys' ? [...path, issue.keys[0] ?? ''] : path)
  throw invalidRequest(formatIssue(issue, param, what), param === '' ? {} : { param })
}

/**
 * Zod collects the issues of every element, which takes seconds for tens of thousands of invalid ones. So long lists are
 * checked first, up to the first invalid element.
 */
function findIssueInLongList(schema: z.ZodType, value: unknown): Issue | null {
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return null
  for (const [name, list] of Object.entries(value)) {
    if (!Array.isArray(list) || countElements(list) < LONG_LIST) continue
    const element = elementSchema(schema.shape[name])
    for (const [index, item] of element ? list.entries() : []) {
      const issue = element?.safeParse(item).error?.issues[0]
      if (issue) return { ...issue, path: [name, index, ...issue.path] }
    }
  }
  return null
}

/** Zod needs at most 60 ms for the issues of a shorter one, and a valid list is checked twice. */
const LONG_LIST = 1_000

/** The number of elements of a list, including those of lists inside its elements, such as the parts of messages. */
function countElements(list: readonly unknown[]): number {
  let sum = list.length
  for (const element of list) {
    if (!isObject(element)) continue
    for (const name in element) {
      const inner = element[name]
      if (Array.isArray(inner)) sum += inner.length
    }
  }
  return sum
}

/** The schema of an array's elements; null for any other schema. */
function elementSchema(schema: unknown): z.ZodType | null {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return elementSchema(schema.unwrap())
  return schema instanceof z.ZodArray && schema.element instanceof z.ZodType ? schema.element : null
}

/** In a union, the branch whose issue has the longest path is most likely the one that the caller meant. */
function findDeepestIssue(
  issue: Issue,
  prefix: readonly PropertyKey[],
): { path: readonly PropertyKey[]; issue: Issue } {
  const path = [...prefix, ...issue.path]
  if (issue.code !== 'invalid_union') return { path, issue }
  const branches = issue.errors
    .flatMap((branch) => branch.slice(0, 1))
    .map((inner) => findDeepestIssue(inner, path))
  let best: (typeof branches)[number] | undefined
  for (const branch of branches) if (branch.path.length > (best?.path.length ?? path.length)) best = branch
  return best ?? { path, issue }
}

function formatPath(path: readonly PropertyKey[]): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += text === '' ? String(step) : `.${String(step)}`
  }
  return text
}

function formatIssue(issue: Issue, param: string, what: string): string {
  if (issue.code === 'unrecognized_keys')
    return `Unknown field "${param}" in the ${what}. Remove it or check its spelling.`
  if (param === '') return `The ${what} is invalid: ${formatReason(issue)}.`
  return `Invalid value for "${param}": ${formatReason(issue)}.`
}

function formatReason(issue: Issue): string {
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined'))
    return `it is required (${issue.expected})`
  if (issue.code === 'invalid_union') {
    const expected = issue.errors.flatMap((branch) => branch.slice(0, 1)).map((inner) => inner.message)
    if (expected.length > 0) return [...new Set(expected)].join('; or ')
    return 'it is none of the allowed values'
  }
  return issue.message.replace(/\.$/, '')
}
