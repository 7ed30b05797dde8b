// Finds secrets in the bytes of a request, in one pass. All of them have a run of at least twenty word characters, so the pass looks
// at the last character that such a run would have, and where it has none goes on after it: ordinary text is skipped in large steps.
import { isUtf8 } from 'node:buffer'
import type { JsonObject } from '../../../gateway/formats/json/json.ts'
import { SECRET_BLOCKS, SECRET_FORMS, type SecretForm } from './forms.ts'

export interface Secret {
  kind: string
  /** Never stored, logged or shown. */
  value: string
}

const SHORTEST = 20
const LONGEST = 2_000
/** How far from an id of AWS its secret may be. */
const AROUND = 300
/** Different characters after the beginning. A text with fewer is a placeholder, such as `xxxxxxxx`. */
const LEAST_DIFFERENT = 8

const WORD = new Uint8Array(256)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.~')
  WORD[character.charCodeAt(0)] = 1

/** The forms by their first two characters, and those that have a mark further on. */
const byBeginning = new Map<number, SecretForm[]>()
const byMark: { form: SecretForm; at: number; code: number }[] = []
for (const form of SECRET_FORMS)
  for (const mark of form.marks) {
    const pair = (mark.charCodeAt(0) << 8) | mark.charCodeAt(1)
    const forms = byBeginning.get(pair) ?? []
    if (form.at !== undefined) byMark.push({ form, at: form.at, code: mark.charCodeAt(0) })
    else if (!forms.includes(form)) byBeginning.set(pair, [...forms, form])
  }

/** The secrets in a text, each once. The text may be JSON, within which there may be further JSON. */
export function findSecrets(bytes: Buffer): Secret[] {
  const secrets = new Map<string, Secret>()
  const { length } = bytes
  let start = 0
  while (start + SHORTEST <= length) {
    let at = start + SHORTEST - 1
    while (at >= start && WORD[bytes[at] ?? 0] === 1) at -= 1
    if (at >= start) {
      start = at + 1
      continue
    }
    let end = start + SHORTEST
    while (end < length && WORD[bytes[end] ?? 0] === 1) end += 1
    readRun(bytes, start, end, secrets)
    start = end + 1
  }
  for (const form of SECRET_BLOCKS) {
    const [mark = ''] = form.marks
    for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1))
      readForm(bytes, at, form, secrets)
  }
  return [...secrets.values()]
}

const BACKSLASH = 0x5c
const PERCENT = 0x25
const BRACKET = 0x5b
const SEMICOLON = 0x3b
const LETTER_U = 0x75

function readRun(bytes: Buffer, start: number, end: number, secrets: Map<string, Secret>): void {
  readBeginning(bytes, start, end, secrets)
  const skipped = countEscape(bytes, start)
  if (skipped > 0) readBeginning(bytes, start + skipped, end, secrets)
}

/** How many of the first characters of a run belong to an escape: `\n`, `\u001b`, `%3D`, or a color of a terminal. */
function countEscape(bytes: Buffer, start: number): number {
  switch (bytes[start - 1]) {
    case BACKSLASH:
      return bytes[start] === LETTER_U ? 5 : 1
    case PERCENT:
      return 2
    case BRACKET:
    case SEMICOLON:
      return /^\d{1,3}m/.exec(bytes.toString('latin1', start, start + 4))?.[0].length ?? 0
    default:
      return 0
  }
}

function readBeginning(bytes: Buffer, start: number, end: number, secrets: Map<string, Secret>): void {
  const forms = byBeginning.get(((bytes[start] ?? 0) << 8) | (bytes[start + 1] ?? 0))
  if (forms) for (const form of forms) readForm(bytes, start, form, secrets)
  for (const { form, at, code } of byMark)
    if (start + at < end && bytes[start + at] === code) readForm(bytes, start, form, secrets)
}

function readForm(bytes: Buffer, start: number, form: SecretForm, secrets: Map<string, Secret>): void {
  const { kind, pattern, isValid } = form
  pattern.lastIndex = 0
  const value = pattern.exec(bytes.toString('latin1', start, start + LONGEST))?.[0]
  if (value === undefined || new Set(value.slice(4)).size < LEAST_DIFFERENT) return
  const around = () => bytes.toString('latin1', Math.max(0, start - AROUND), start + AROUND)
  if (!isValid || isValid(value, around)) secrets.set(value, { kind, value })
}

// The places of secrets in a request.

/** The text of a request, and where it is, in the terms of the client's API: `messages[3]`, `system`. */
interface Text {
  text: string
  position: string
}

/** Members of a request that have bytes in base64. */
const ENCODED = /^(?:data|file_data|fileData|url|image_url)$/
const HEAD = 64
/** The last characters of a secret, among which JSON escapes none: a private key has lines before. */
const UNESCAPED = 40

/** The texts in files that the request has in base64. */
export function* listFiles(json: JsonObject): Generator<{ bytes: Buffer; position: string }> {
  for (const { text, position, name } of listTexts(json)) {
    if (!ENCODED.test(name)) continue
    const comma = text.startsWith('data:') ? text.indexOf(',') + 1 : 0
    // Images, sounds and most documents are no text from their first bytes on.
    const head = Buffer.from(text.slice(comma, comma + HEAD), 'base64')
    if (head.length >= SHORTEST && isText(head))
      yield { bytes: Buffer.from(text.slice(comma), 'base64'), position }
  }
}

function isText(bytes: Buffer): boolean {
  // The last character may be cut.
  const whole = [0, 1, 2, 3].some((cut) => isUtf8(bytes.subarray(0, bytes.length - cut)))
  return whole && !bytes.some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27))
}

/** Where the secret is: the last place, because earlier ones were there before. */
export function findPosition(json: JsonObject, { value }: Secret): string | null {
  const end = value.slice(-UNESCAPED)
  let last: string | null = null
  for (const { text, position } of listTexts(json)) if (text.includes(end)) last = position
  return last
}

function* listTexts(json: JsonObject): Generator<Text & { name: string }> {
  for (const [name, member] of Object.entries(json)) {
    if (!Array.isArray(member)) yield* listNested(member, name, name)
    else
      for (const [index, element] of member.entries()) yield* listNested(element, `${name}[${index}]`, name)
  }
}

function* listNested(value: unknown, position: string, name: string): Generator<Text & { name: string }> {
  if (typeof value === 'string') yield { text: value, position, name }
  else if (typeof value === 'object' && value !== null)
    for (const [key, member] of Object.entries(value))
      yield* listNested(member, position, Array.isArray(value) ? name : key)
}
