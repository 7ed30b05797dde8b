// Divide the bytes of batches into their requests while they pass: lines of a file, or the elements of a list in JSON.
import { isObject, type JsonObject } from '../../../gateway/formats/json/json.ts'
import { parseStrictJson } from '../../../gateway/http/json-body.ts'
import { invalidRequest } from '../../../gateway/platform/errors.ts'

/** The longest request of a batch. Two of them are in memory at a time. */
const MAX_REQUEST_BYTES = 16 * 1024 * 1024

const LINE_FEED = 0x0a

/** The lines of a file, without their ends. Throws 413 for one that is too long. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const pending = new Pending()
  for await (const chunk of chunks) {
    let from = 0
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      yield pending.take(chunk.subarray(from, at))
      from = at + 1
    }
    pending.add(chunk.subarray(from))
  }
  if (pending.length > 0) yield pending.take()
}

/** Makes a buffer of bytes without copying them. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** The beginning of what is not complete yet. */
class Pending {
  #parts: Uint8Array[] = []
  length = 0

  add(part: Uint8Array): void {
    if (part.byteLength === 0) return
    this.length += part.byteLength
    if (this.length > MAX_REQUEST_BYTES)
      throw invalidRequest(`A request of the batch is longer than ${MAX_REQUEST_BYTES / 1024 ** 2} MB.`, {
        status: 413,
      })
    this.#parts.push(part)
  }

  take(last: Uint8Array = new Uint8Array()): Buffer {
    // Most requests are within one chunk, and are not copied.
    if (this.#parts.length === 0) return asBuffer(last)
    this.add(last)
    const whole = Buffer.concat(this.#parts, this.length)
    this.#parts = []
    this.length = 0
    return whole
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b])
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d])
const SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
/** The most that the body may have besides the list. */
const MAX_REST_BYTES = 65_536

/** What the body has around the elements of the list. */
export interface AroundList {
  head: string
  tail: string
}

/**
 * Divides a JSON object whose member `name` is a list of objects, which only one member may be. Call `push` with each chunk,
 * then `end`.
 */
export class ListSplitter {
  readonly #name: string
  readonly #pending = new Pending()
  #around: [head: number[], tail: number[]] = [[], []]
  /** 0 before the list, 1 in it, 2 after it. */
  #place: 0 | 1 | 2 = 0
  #depth = 0
  #isText = false
  #isEscaped = false
  /** Whether the next element needs a comma before it. */
  #needsComma = false

  constructor(name: string) {
    this.#name = name
  }

  /** The elements that the chunk completes. Throws 400. */
  push(chunk: Uint8Array): Buffer[] {
    const elements: Buffer[] = []
    let from = 0
    for (let at = 0; at < chunk.byteLength; at += 1) {
      const code = chunk[at] ?? 0
      const isBetween = this.#place === 1 && this.#depth === 2 && !this.#isText
      if (this.#place !== 1) this.#addAround(code)
      if (this.#isText) {
        this.#readText(code)
      } else if (code === QUOTE) {
        if (isBetween) throw notObjects(this.#name)
        this.#isText = true
      } else if (OPENING.has(code)) {
        this.#depth += 1
        if (this.#place === 0 && this.#depth === 2) this.#enter(code)
        else if (isBetween) {
          if (this.#needsComma || code !== 0x7b) throw notObjects(this.#name)
          from = at
        }
      } else if (CLOSING.has(code)) {
        this.#depth -= 1
        if (this.#place === 1 && this.#depth === 2) {
          elements.push(this.#pending.take(chunk.subarray(from, at + 1)))
          this.#needsComma = true
        } else if (isBetween) {
          this.#place = 2
          this.#addAround(code)
        }
      } else if (isBetween) this.#readBetween(code)
    }
    if (this.#place === 1 && this.#depth > 2) this.#pending.add(chunk.subarray(from))
    return elements
  }

  /** Returns the text around the list. Throws 400 if the body is not a JSON object with it. */
  end(): AroundList {
    const [head, tail] = this.#around.map((bytes) => Buffer.from(bytes).toString('utf8'))
    const json = parseStrictJson(`${head}${tail}`)
    if (this.#place !== 2 || !isObject(json) || !Array.isArray(json[this.#name])) throw noList(this.#name)
    return { head: head ?? '', tail: tail ?? '' }
  }

  /** The text before the list, once it has begun. */
  get head(): string {
    return Buffer.from(this.#around[0]).toString('utf8')
  }

  #enter(code: number): void {
    const isList = code === 0x5b && new RegExp(`[{,]\\s*"${this.#name}"\\s*:\\s*\\[$`).test(this.head)
    if (!isList) throw noList(this.#name)
    this.#place = 1
  }

  #readBetween(code: number): void {
    if (SPACE.has(code)) return
    if (code !== COMMA || !this.#needsComma) throw notObjects(this.#name)
    this.#needsComma = false
  }

  #readText(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (code === BACKSLASH) this.#isEscaped = true
    else if (code === QUOTE) this.#isText = false
  }

  #addAround(code: number): void {
    const bytes = this.#around[this.#place === 2 ? 1 : 0]
    if (bytes.length === MAX_REST_BYTES) throw noList(this.#name)
    bytes.push(code)
  }
}

function noList(name: string) {
  return invalidRequest(
    `The body must be a JSON object with the list "${name}" and nothing else of its size.`,
    {
      param: name,
    },
  )
}

function notObjects(name: string) {
  return invalidRequest(`"${name}" must be a list of objects.`, { param: name })
}

/** The request as JSON. Throws 400. */
export function parseRequest(text: string): JsonObject {
  const json = parseStrictJson(text)
  if (isObject(json)) return json
  throw invalidRequest('It must be a JSON object.')
}
