// Reads a body place by place. What a place is known to have is in the body with all that it says; any other member may make the
// provider read more than what is sent.

import { wordSet } from '../../../shared/values/text.ts'
import { isGiven, isObject, type JsonObject, listObjects } from '../json/json.ts'

export interface SentContent {
  images: {
    count: number
    /** The length of their base64 data in the body. */
    bytes: number
  }
  /** The length of the data of documents, videos and sounds in the body. */
  dataBytes: number
  /** Whether it has documents or videos, whose pages and frames are billed. */
  unsized: boolean
  /** Whether the provider may read what is not in it: stored files, items, addresses, searches, and what no table here knows. */
  external: boolean
}

export const NO_CONTENT: SentContent = {
  images: { count: 0, bytes: 0 },
  dataBytes: 0,
  unsized: false,
  external: false,
}

/** Reads the value of a member. */
export type Read = (value: unknown, counter: ContentCounter) => void

const IMAGE_DATA = /^data:image\/[\w.+-]{1,40};base64,/i
/** Both alphabets, because Google accepts both. */
const BASE64 = /^[\w+/-]*={0,2}$/
const ADDRESS = /^(?!data:)[a-z][\w+.-]*:\/\//i

export class ContentCounter {
  count = 0
  bytes = 0
  dataBytes = 0
  unsized = false
  external = false

  get content(): SentContent {
    const { count, bytes, dataBytes, unsized, external } = this
    return { images: { count, bytes }, dataBytes, unsized, external }
  }

  /** Data that is not base64 counts as text. */
  image(base64: unknown): void {
    this.count += 1
    if (typeof base64 === 'string' && BASE64.test(base64)) this.bytes += base64.length
  }

  /** An image by its URL. The data of a URL can also be a document. */
  link(url: unknown): void {
    const head = typeof url === 'string' ? IMAGE_DATA.exec(url)?.[0] : undefined
    if (typeof url !== 'string') this.external = true
    else if (head !== undefined) this.image(url.slice(head.length))
    else if (/^https?:/i.test(url)) this.count += 1
    else if (/^data:/i.test(url)) this.file(url)
    // The name of a stored file.
    else this.external = true
  }

  /** The data of a document or a video. */
  file(data: unknown): void {
    this.sound(data)
    this.unsized = true
  }

  /** The data of a sound, whose bytes bound its tokens. */
  sound(data: unknown): void {
    if (typeof data === 'string' && !ADDRESS.test(data)) this.dataBytes += data.length
    else this.external = true
  }
}

/** Whatever it says is in the body. */
export const whole: Read = () => undefined

export function isFilled(value: unknown): boolean {
  return isGiven(value) && value !== '' && value !== false && !(Array.isArray(value) && value.length === 0)
}

/** Reads an object, or those of a list. Members without a reader in `places` are in the body with all they say if they are `known`. */
export function members(names: string, places: Readonly<Record<string, Read>> = {}): Read {
  const inBody = wordSet(names)
  return (value, counter) => {
    for (const object of isObject(value) ? [value] : listObjects(value))
      for (const [key, member] of Object.entries(object)) {
        const name = snakeCase(key)
        if (!isFilled(member)) continue
        if (Object.hasOwn(places, name)) places[name]?.(member, counter)
        else if (!inBody.has(name)) counter.external = true
      }
  }
}

/** Google accepts each name in both spellings. */
function snakeCase(name: string): string {
  return /[A-Z]/.test(name) ? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : name
}

/** Reads objects that differ by their type; one of another type is not known. */
export function byType(
  types: Readonly<Record<string, Read>>,
  typeOf = (object: JsonObject) => object.type,
): Read {
  return (value, counter) => {
    for (const object of isObject(value) ? [value] : listObjects(value)) {
      const type = String(typeOf(object))
      if (Object.hasOwn(types, type)) types[type]?.(object, counter)
      else counter.external = true
    }
  }
}

/** Maps each of the types to the same reader. */
export function forTypes(types: string, read: Read): Record<string, Read> {
  return Object.fromEntries([...wordSet(types)].map((type) => [type, read]))
}
