const START = /^\s*\{\s*"input"\s*:\s*"/
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** Reads the text of `{"input":"…"}` as its JSON arrives in pieces. */
export class CustomInputReader {
  #pending = ''
  #state: 'before' | 'inside' | 'after' = 'before'

  /** The text that these pieces complete; empty while it is not clear whether they have that form. */
  read(piece: string): string {
    if (this.#state === 'after') return ''
    this.#pending += piece
    if (this.#state === 'before') {
      const start = START.exec(this.#pending)
      if (!start) return ''
      this.#pending = this.#pending.slice(start[0].length)
      this.#state = 'inside'
    }
    return this.#readText()
  }

  #readText(): string {
    const json = this.#pending
    let text = ''
    let at = 0
    while (at < json.length) {
      const char = json.charAt(at)
      if (char === '"') {
        this.#state = 'after'
        break
      }
      if (char !== '\\') {
        text += char
        at += 1
        continue
      }
      const kind = json.charAt(at + 1)
      const length = kind === 'u' ? 6 : 2
      if (at + length > json.length) break
      text +=
        kind === 'u'
          ? String.fromCharCode(Number.parseInt(json.slice(at + 2, at + 6), 16))
          : (ESCAPES[kind] ?? kind)
      at += length
    }
    this.#pending = json.slice(at)
    return text
  }
}
