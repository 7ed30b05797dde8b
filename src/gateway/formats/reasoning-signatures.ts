// Anthropic and Gemini sign the reasoning before a tool call and expect it back with the call's result. The
// chat-completions format has no field for it, so it is remembered here, in memory only. A forgotten signature costs
// answer quality, never correctness.

const MAX_ENTRIES = 2_000
const MAX_CHARACTERS = 16_000_000

/** The signatures that one API key received in one API format, by tool call id. */
export interface ReasoningSignatures {
  remember(callId: string, signature: string): void
  /** Null when the signature is unknown or was discarded. */
  recall(callId: string): string | null
}

/** Least-recently-used cache of a gateway: at most 2,000 signatures, and 16 million characters in total. */
export class ReasoningSignatureCache {
  readonly #signatures = new Map<string, string>()
  readonly #maxCharacters: number
  #characters = 0

  constructor(maxCharacters = MAX_CHARACTERS) {
    this.#maxCharacters = maxCharacters
  }

  /** What one API key may read and write. Tool call ids are chosen by the upstream, so two keys can hold the same one. */
  scopeTo(keyId: string, apiFormat: string): ReasoningSignatures {
    const entryKey = (callId: string): string => JSON.stringify([keyId, apiFormat, callId])
    return {
      remember: (callId, signature) => this.#add(entryKey(callId), signature),
      recall: (callId) => this.#read(entryKey(callId)),
    }
  }

  #add(key: string, signature: string): void {
    this.#delete(key)
    this.#signatures.set(key, signature)
    this.#characters += signature.length
    for (const oldest of this.#signatures.keys()) {
      if (this.#signatures.size <= MAX_ENTRIES && this.#characters <= this.#maxCharacters) break
      this.#delete(oldest)
    }
  }

  #read(key: string): string | null {
    const signature = this.#signatures.get(key)
    if (signature === undefined) return null
    this.#signatures.delete(key)
    this.#signatures.set(key, signature)
    return signature
  }

  #delete(key: string): void {
    this.#characters -= this.#signatures.get(key)?.length ?? 0
    this.#signatures.delete(key)
  }
}
