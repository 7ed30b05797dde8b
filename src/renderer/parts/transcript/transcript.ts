/** One piece of a message, whatever the API format. */
export type TranscriptPart =
  | { type: 'text'; text: string }
  /** Blank when the provider returned it encrypted. */
  | { type: 'reasoning'; text: string }
  | { type: 'call'; id: string; name: string; input: string }
  | { type: 'result'; id: string; name: string; text: string; failed: boolean }
  /** `source` is a `data:` URL, or the URL that the provider fetched. */
  | { type: 'image'; source: string }
  /** Anything else, by its name in the format: a file, audio, a search of the provider. */
  | { type: 'other'; name: string; detail: string }

export type TranscriptRole = 'system' | 'user' | 'assistant' | 'tool'

export interface TranscriptMessage {
  role: TranscriptRole
  parts: TranscriptPart[]
}

/** A client's request and the answer, in the same form for every API format. */
export interface Transcript {
  messages: TranscriptMessage[]
  /** More than one when the client asked for several. */
  answers: TranscriptMessage[]
  /** The names of the tools that the model could call. */
  tools: string[]
}

/** Reads the bodies of one API format. Whatever it does not know, it leaves out or names. */
export interface TranscriptReader {
  request(body: JsonObject): Pick<Transcript, 'messages' | 'tools'>
  response(body: JsonObject): TranscriptMessage[]
  /** Makes one response of the events of a stream, as far as it arrived. */
  assemble(events: readonly JsonObject[]): JsonObject
}

export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The objects of a list; empty for anything else. */
export function toObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function toObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/**
 * What the parts of a stream are put together in, by the number that the provider gave them. A number can be anything, so an array
 * is not safe: one item at 4,000,000,000 would make it that long.
 */
export class NumberedItems<Item> {
  readonly #items = new Map<number, Item>()

  get(index: unknown): Item | undefined {
    return this.#items.get(Number(index ?? 0))
  }

  set(index: unknown, item: Item): void {
    this.#items.set(Number(index ?? 0), item)
  }

  /** In the order of their numbers. */
  list(): Item[] {
    return [...this.#items].toSorted(([a], [b]) => a - b).map(([, item]) => item)
  }
}

export function getText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Writes JSON with line breaks; a text that is JSON is reformatted. */
export function writeJson(value: unknown): string {
  if (typeof value !== 'string') return value === undefined ? '' : JSON.stringify(value, null, 2)
  try {
    return JSON.stringify(JSON.parse(value), null, 2)
  } catch {
    return value
  }
}

/** A message unless it is empty. */
export function getMessage(role: TranscriptRole, parts: TranscriptPart[]): TranscriptMessage[] {
  return parts.length > 0 ? [{ role, parts }] : []
}

/** The content of a message: a text, or a list of parts. */
export function listParts(
  content: unknown,
  readPart: (part: JsonObject) => TranscriptPart[],
): TranscriptPart[] {
  return typeof content === 'string' ? textPart(content) : toObjects(content).flatMap(readPart)
}

/** Where the results of tools are parts of a user's message, they are shown as a message of the tools. */
export function splitResults(parts: readonly TranscriptPart[]): TranscriptMessage[] {
  return [
    ...getMessage(
      'tool',
      parts.filter(({ type }) => type === 'result'),
    ),
    ...getMessage(
      'user',
      parts.filter(({ type }) => type !== 'result'),
    ),
  ]
}

export function textPart(value: unknown): TranscriptPart[] {
  return typeof value === 'string' && value !== '' ? [{ type: 'text', text: value }] : []
}

/** A part of a type that has no form here. */
export function otherPart(name: unknown, detail: unknown = ''): TranscriptPart {
  return { type: 'other', name: getText(name) || 'unknown', detail: getText(detail) }
}
