// A strict parser for the HTTP/1.1 responses on a connection.

export interface RawResponse {
  status: number
  headers: Map<string, string>
  body: string
}

/** Thrown for bytes that are not a response. */
export class NotHttp extends Error {
  override name = 'NotHttp'
}

export class ResponseReader {
  #unread: Buffer = Buffer.alloc(0)

  push(bytes: Buffer): void {
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes])
  }

  get hasUnread(): boolean {
    return this.#unread.length > 0
  }

  /**
   * The next response, or null while it is incomplete. `headOnly`: it answers a HEAD and has no body. `closed`: no more
   * bytes will come, so that a body without a length ends here.
   */
  next(headOnly: boolean, closed: boolean): RawResponse | null {
    const headEnd = this.#unread.indexOf('\r\n\r\n')
    if (headEnd < 0) return null
    const [first = '', ...lines] = this.#unread.toString('latin1', 0, headEnd).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3})( |$)/.exec(first)?.[1])
    if (Number.isNaN(status)) throw new NotHttp(`not a status line: ${first.slice(0, 100)}`)
    const headers = new Map<string, string>()
    for (const line of lines) {
      const colon = line.indexOf(':')
      if (colon <= 0) throw new NotHttp(`not a header: ${line.slice(0, 100)}`)
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
    }
    const bodyAt = headEnd + 4
    const consume = (body: Buffer, end: number): RawResponse => {
      this.#unread = this.#unread.subarray(end)
      return { status, headers, body: body.toString('utf8') }
    }
    if (headOnly || status < 200 || status === 204 || status === 304) return consume(Buffer.alloc(0), bodyAt)
    const length = headers.get('content-length')
    if (headers.get('transfer-encoding') === 'chunked') {
      const chunked = this.#readChunked(bodyAt)
      return chunked && consume(chunked.body, chunked.end)
    }
    if (length !== undefined) {
      const end = bodyAt + Number(length)
      return this.#unread.length < end ? null : consume(this.#unread.subarray(bodyAt, end), end)
    }
    return closed ? consume(this.#unread.subarray(bodyAt), this.#unread.length) : null
  }

  #readChunked(from: number): { body: Buffer; end: number } | null {
    const parts: Buffer[] = []
    for (let at = from; ; ) {
      const lineEnd = this.#unread.indexOf('\r\n', at)
      if (lineEnd < 0) return null
      const size = Number.parseInt(this.#unread.toString('latin1', at, lineEnd), 16)
      if (Number.isNaN(size)) throw new NotHttp('not a chunk size')
      if (size === 0) {
        // Trailers, if any, end with an empty line.
        const isBare = this.#unread.toString('latin1', lineEnd, lineEnd + 4) === '\r\n\r\n'
        const end = isBare ? lineEnd : this.#unread.indexOf('\r\n\r\n', lineEnd)
        return end < 0 ? null : { body: Buffer.concat(parts), end: end + 4 }
      }
      const dataAt = lineEnd + 2
      if (this.#unread.length < dataAt + size + 2) return null
      parts.push(this.#unread.subarray(dataAt, dataAt + size))
      at = dataAt + size + 2
    }
  }
}
