// Anthropic and Gemini sign the reasoning before a tool call and expect it back with the call's result. The
// chat-completions format has no field for it, so it is remembered here, in memory only. A forgotten signature costs
// answer quality, never correctness.
import { TextCache } from './text-cache.ts'

/** The signatures that one API key received in one API format, by tool call id. */
export interface ReasoningSignatures {
  remember(callId: string, signature: string): void
  /** Null when the signature is unknown or was discarded. */
  recall(callId: string): string | null
}

/** The most recently used signatures of a gateway. */
export class ReasoningSignatureCache {
  readonly #cache: TextCache

  constructor(maxCharacters?: number) {
    this.#cache = new TextCache(maxCharacters)
  }

  /** What one API key may read and write. Tool call ids are chosen by the upstream, so two keys can hold the same one. */
  scopeTo(keyId: string, apiFormat: string): ReasoningSignatures {
    return new ScopedSignatures(this.#cache, keyId, apiFormat)
  }
}

class ScopedSignatures implements ReasoningSignatures {
  readonly #cache: TextCache
  readonly #keyId: string
  readonly #apiFormat: string

  constructor(cache: TextCache, keyId: string, apiFormat: string) {
    this.#cache = cache
    this.#keyId = keyId
    this.#apiFormat = apiFormat
  }

  remember(callId: string, signature: string): void {
    this.#cache.set(this.#entryKey(callId), signature)
  }

  recall(callId: string): string | null {
    return this.#cache.get(this.#entryKey(callId))
  }

  #entryKey(callId: string): string {
    return JSON.stringify([this.#keyId, this.#apiFormat, callId])
  }
}
