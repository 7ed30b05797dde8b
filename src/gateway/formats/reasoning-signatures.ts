// Owns the memory of what a vendor wants back with a tool call and the chat-completions format has no place for:
// signed thoughts. In this process only, bounded, by the id of the call; losing it must cost no more than quality.

const MAX_ENTRIES = 2_000
const MAX_CHARACTERS = 16_000_000

/** Remembers the most recently used texts: at most 2,000 of them and 16 million characters together. */
export class Recall {
  readonly #texts = new Map<string, string>()
  readonly #maxCharacters: number
  #characters = 0

  constructor(maxCharacters = MAX_CHARACTERS) {
    this.#maxCharacters = maxCharacters
  }

  remember(callId: string, text: string): void {
    this.#forget(callId)
    this.#texts.set(callId, text)
    this.#characters += text.length
    for (const oldest of this.#texts.keys()) {
      if (this.#texts.size <= MAX_ENTRIES && this.#characters <= this.#maxCharacters) break
      this.#forget(oldest)
    }
  }

  /** The text kept for the call, or null. */
  recall(callId: string): string | null {
    const text = this.#texts.get(callId)
    if (text === undefined) return null
    this.#texts.delete(callId)
    this.#texts.set(callId, text)
    return text
  }

  #forget(callId: string): void {
    this.#characters -= this.#texts.get(callId)?.length ?? 0
    this.#texts.delete(callId)
  }
}
