// Changes single members of a JSON text and leaves everything else byte for byte: numbers keep their digits, and members
// their order and white space.
import { findStringEnd } from './json.ts'

type Path = readonly [string, ...string[]]

interface Member {
  name: string
  /** The index of the opening quote of the name. */
  start: number
  valueStart: number
  /** The index after the value. */
  end: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * The valid JSON text of an object with the member at `path` set to `value`. Missing objects on the way are added, at the
 * end; a member on the way that is no object is replaced.
 */
export function setMember(json: string, path: Path, value: unknown): string {
  return setIn(json, 0, path, JSON.stringify(value))
}

/** The valid JSON text of an object with its member set to `value`, which is JSON, too. */
export function setRawMember(json: string, name: string, value: string): string {
  return setIn(json, 0, [name], value)
}

/** The valid JSON text of an object with these members set; those that are undefined are removed. */
export function editMembers(json: string, edits: Readonly<Record<string, unknown>>): string {
  const texts = new Map<string, string>()
  let edited = json
  for (const [name, value] of Object.entries(edits)) {
    if (value === undefined) edited = removeMember(edited, name)
    else texts.set(name, JSON.stringify(value))
  }
  return texts.size === 0 ? edited : setAll(edited, texts)
}

/** Reads the text once, because prompts are long. Of several members with one name, all are set. */
function setAll(json: string, texts: ReadonlyMap<string, string>): string {
  const open = skipSpace(json, 0)
  let edited = ''
  let from = 0
  let close = skipSpace(json, open + 1)
  const members: string[] = []
  for (let member = memberAt(json, close); member; member = memberAt(json, skipSpace(json, close + 1))) {
    close = skipSpace(json, member.end)
    const text = texts.get(member.name)
    if (text === undefined) continue
    edited += json.slice(from, member.valueStart) + text
    from = member.end
    members.push(member.name)
  }
  const end = Math.max(from, skipSpaceBack(json, close))
  edited += json.slice(from, end)
  let separator = end === open + 1 ? '' : ','
  for (const [name, text] of texts) {
    if (members.includes(name)) continue
    edited += `${separator}${JSON.stringify(name)}:${text}`
    separator = ','
  }
  return edited + json.slice(end)
}

/** The valid JSON text of an object without its member `name`. */
export function removeMember(json: string, name: string): string {
  return removeAt(json, [name])
}

/** A member of an object by its name, or an element of an array by its index, inside another. */
export type JsonPath = readonly (string | number)[]

/** The valid JSON text of an object without what is at `path`; the same text if nothing is there. */
export function removeAt(json: string, path: JsonPath): string {
  const span = findAt(json, path)
  if (!span) return json
  const next = skipSpace(json, span.end)
  if (json.charCodeAt(next) === COMMA)
    return json.slice(0, span.start) + json.slice(skipSpace(json, next + 1))
  const previous = skipSpaceBack(json, span.start)
  const cut = json.charCodeAt(previous - 1) === COMMA ? previous - 1 : span.start
  return json.slice(0, cut) + json.slice(span.end)
}

/** The valid JSON text of an object with `value` in place of what is at `path`; the same text if nothing is there. */
export function replaceAt(json: string, path: JsonPath, value: unknown): string {
  const span = findAt(json, path)
  return span ? json.slice(0, span.valueStart) + JSON.stringify(value) + json.slice(span.end) : json
}

type Span = Pick<Member, 'start' | 'valueStart' | 'end'>

function findAt(json: string, path: JsonPath): Span | null {
  let span: Span | null = { start: 0, valueStart: skipSpace(json, 0), end: json.length }
  for (const step of path) {
    const open: number = span.valueStart
    span = typeof step === 'number' ? findElement(json, open, step) : findMemberIn(json, open, step)
    if (!span) return null
  }
  return span
}

function findMemberIn(json: string, open: number, name: string): Span | null {
  return json.charCodeAt(open) === OPEN_OBJECT ? findMember(json, open, name) : null
}

function findElement(json: string, open: number, index: number): Span | null {
  if (json.charCodeAt(open) !== OPEN_ARRAY) return null
  let start = skipSpace(json, open + 1)
  for (let at = 0; json.charCodeAt(start) !== CLOSE_ARRAY; at += 1) {
    const end = skipValue(json, start)
    if (at === index) return { start, valueStart: start, end }
    const next = skipSpace(json, end)
    if (json.charCodeAt(next) !== COMMA) return null
    start = skipSpace(json, next + 1)
  }
  return null
}

/** The text of the value of a member of an object in valid JSON; null if it has none of this name. */
export function readMember(json: string, name: string): string | null {
  const member = findMember(json, skipSpace(json, 0), name)
  return member && json.slice(member.valueStart, member.end)
}

function setIn(json: string, from: number, [name, ...rest]: Path, value: string): string {
  const open = skipSpace(json, from)
  const member = findMember(json, open, name)
  const [next, ...further] = rest
  if (next === undefined) {
    if (!member) return addMember(json, open, name, value)
    return json.slice(0, member.valueStart) + value + json.slice(member.end)
  }
  const inner: Path = [next, ...further]
  if (member && json.charCodeAt(member.valueStart) === OPEN_OBJECT)
    return setIn(json, member.valueStart, inner, value)
  const created = setIn('{}', 0, inner, value)
  if (!member) return addMember(json, open, name, created)
  return json.slice(0, member.valueStart) + created + json.slice(member.end)
}

function addMember(json: string, open: number, name: string, value: string): string {
  const end = skipSpaceBack(json, readMembers(json, open).close)
  const comma = end === open + 1 ? '' : ','
  return `${json.slice(0, end)}${comma}${JSON.stringify(name)}:${value}${json.slice(end)}`
}

function findMember(json: string, open: number, name: string): Member | null {
  return readMembers(json, open).members.get(name) ?? null
}

/**
 * `open`: the index of the object's brace; `close`: that of its closing one. Of several members with one name, the last one
 * counts, as for `JSON.parse`.
 */
function readMembers(json: string, open: number): { members: Map<string, Member>; close: number } {
  const members = new Map<string, Member>()
  let close = skipSpace(json, open + 1)
  for (let member = memberAt(json, close); member; member = memberAt(json, skipSpace(json, close + 1))) {
    members.set(member.name, member)
    close = skipSpace(json, member.end)
  }
  return { members, close }
}

/** The member whose name begins at `start`; null if none begins there. */
function memberAt(json: string, start: number): Member | null {
  if (json.charCodeAt(start) !== QUOTE) return null
  const nameEnd = findStringEnd(json, start) + 1
  const valueStart = skipSpace(json, skipSpace(json, nameEnd) + 1)
  const end = skipValue(json, valueStart)
  return { name: readName(json.slice(start, nameEnd)), start, valueStart, end }
}

function readName(literal: string): string {
  return literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1)
}

/** The index after the value that starts at `start`. */
function skipValue(json: string, start: number): number {
  let depth = 0
  let at = start
  do {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = findStringEnd(json, at)
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth += 1
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth -= 1
    else if (depth === 0) return skipLiteral(json, at)
    at += 1
  } while (depth > 0 && at < json.length)
  return at
}

/** The index after the number, `true`, `false` or `null` that starts at `start`. */
function skipLiteral(json: string, start: number): number {
  let at = start
  while (at < json.length && !/[\s,\]}]/.test(json.charAt(at))) at += 1
  return at
}

function skipSpace(json: string, start: number): number {
  let at = start
  while (isSpace(json.charCodeAt(at))) at += 1
  return at
}

function skipSpaceBack(json: string, end: number): number {
  let at = end
  while (isSpace(json.charCodeAt(at - 1))) at -= 1
  return at
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}
