const MAX_ENTRIES = 2_000
const MAX_CHARACTERS = 16_000_000

/** Least-recently-used cache: at most 2,000 texts, and 16 million characters in total. */
export class TextCache {
  readonly #texts = new Map<string, string>()
  readonly #maxCharacters: number
  #characters = 0

  constructor(maxCharacters = MAX_CHARACTERS) {
    this.#maxCharacters = maxCharacters
  }

  set(key: string, text: string): void {
    this.delete(key)
    this.#texts.set(key, text)
    this.#characters += text.length
    for (const oldest of this.#texts.keys()) {
      if (this.#texts.size <= MAX_ENTRIES && this.#characters <= this.#maxCharacters) break
      this.delete(oldest)
    }
  }

  get(key: string): string | null {
    const text = this.#texts.get(key)
    if (text === undefined) return null
    this.#texts.delete(key)
    this.#texts.set(key, text)
    return text
  }

  delete(key: string): void {
    this.#characters -= this.#texts.get(key)?.length ?? 0
    this.#texts.delete(key)
  }
}
