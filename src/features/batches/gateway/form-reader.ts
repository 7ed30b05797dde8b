// Reads the parts of a form while it arrives, for files that are too large for memory.
import { readPartHeaders } from '../../../gateway/formats/pass-through/body.ts'
import { invalidRequest } from '../../../gateway/platform/errors.ts'
import { asBuffer } from './splitters.ts'

const LINE_END = '\r\n'
const MAX_HEADER_BYTES = 16_384

export interface StreamedPart {
  name: string
  /** Null for a part that is not a file. */
  filename: string | null
  /** To be read to its end before the next part. */
  content: AsyncGenerator<Buffer>
}

/** The parts of `multipart/form-data`, in their order. Throws 400 for a form that is damaged. */
export async function* readParts(
  chunks: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<StreamedPart> {
  const delimiter = Buffer.from(`${LINE_END}--${boundary}`)
  const source = new Source(chunks)
  if ((await source.take(delimiter.byteLength - 2)).compare(delimiter.subarray(2)) !== 0) throw damaged()
  while ((await source.take(2)).toString('latin1') === LINE_END) {
    const headers = await source.takeUntil(`${LINE_END}${LINE_END}`)
    const part = readPartHeaders(headers.toString('utf8'))
    if (!part) throw damaged()
    const content = source.readUntil(delimiter)
    yield { name: part.name, filename: part.filename, content }
    for await (const _ of content);
  }
}

class Source {
  readonly #chunks: AsyncIterator<Uint8Array>
  #buffer: Buffer = Buffer.alloc(0)

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  async take(length: number): Promise<Buffer> {
    while (this.#buffer.byteLength < length) await this.#fill()
    return this.#cut(length)
  }

  /** Returns the bytes before the mark, and skips it. */
  async takeUntil(mark: string): Promise<Buffer> {
    for (;;) {
      const at = this.#buffer.indexOf(mark)
      if (at !== -1) {
        const before = this.#cut(at)
        this.#cut(mark.length)
        return before
      }
      if (this.#buffer.byteLength > MAX_HEADER_BYTES) throw damaged()
      await this.#fill()
    }
  }

  /** Yields the bytes before the mark in pieces, and skips it. */
  async *readUntil(mark: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#buffer.indexOf(mark)
      if (at !== -1) {
        const last = this.#cut(at)
        this.#cut(mark.byteLength)
        if (last.byteLength > 0) yield last
        return
      }
      const safe = this.#buffer.byteLength - mark.byteLength + 1
      if (safe > 0) yield this.#cut(safe)
      await this.#fill()
    }
  }

  #cut(length: number): Buffer {
    const cut = this.#buffer.subarray(0, length)
    this.#buffer = this.#buffer.subarray(length)
    return cut
  }

  async #fill(): Promise<void> {
    const { value, done } = await this.#chunks.next()
    if (done) throw damaged()
    this.#buffer = this.#buffer.byteLength === 0 ? asBuffer(value) : Buffer.concat([this.#buffer, value])
  }
}

function damaged() {
  return invalidRequest('The body is not valid multipart/form-data.')
}
