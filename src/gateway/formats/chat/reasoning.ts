// Reasoning that providers sign or encrypt and expect back. Chat requests carry it in `signed_reasoning` of assistant
// messages, chat answers in `signed_reasoning` of messages and deltas. Clients of other formats receive it as an opaque text in
// the field that their own format has for it.
import { API_FORMATS, type ApiFormat } from '../../../shared/api/providers.ts'
import { asList, asObject, isObject, type JsonObject, parseJson } from '../json/json.ts'

export interface SignedReasoning {
  /** Only providers of this format can read it. */
  format: ApiFormat
  /** The provider's own object: a thinking block, a reasoning item, a part. */
  data: JsonObject
  /** The tool call that it precedes; absent if it precedes all other output of the message. */
  call_id?: string
}

/** Distinguishes the opaque texts of this gateway from those of vendors. */
const PREFIX = 'tollgate.1.'

export function encodeSignedReasoning({ format, data }: SignedReasoning): string {
  return PREFIX + Buffer.from(JSON.stringify({ format, data })).toString('base64url')
}

/** Whether `encodeSignedReasoning` wrote the text. */
export function isSignedReasoning(text: string): boolean {
  return text.startsWith(PREFIX)
}

/** Null for a text that this gateway did not write. */
export function decodeSignedReasoning(text: string): SignedReasoning | null {
  if (!isSignedReasoning(text)) return null
  const value = parseJson(Buffer.from(text.slice(PREFIX.length), 'base64url').toString('utf8'))
  if (!isObject(value) || !isObject(value.data)) return null
  const format = API_FORMATS.find((name) => name === value.format)
  return format ? { format, data: value.data } : null
}

/** The signed reasoning in a chat message or delta; entries of other shapes are skipped. */
export function readSignedReasoning(message: Readonly<Record<string, unknown>>): SignedReasoning[] {
  const { signed_reasoning: all } = message
  return asList(all).flatMap((entry) => {
    if (!isObject(entry) || !isObject(entry.data)) return []
    const format = API_FORMATS.find((name) => name === entry.format)
    if (!format) return []
    const { data, call_id: callId } = entry
    return [{ format, data, ...(typeof callId === 'string' && { call_id: callId }) }]
  })
}

/** A chat message or delta for a client of the chat-completions format, which has no field for signed reasoning. */
export function withoutSignedReasoning<Message extends Readonly<Record<string, unknown>>>(
  message: Message,
): Message {
  // JSON has no undefined.
  return 'signed_reasoning' in message ? { ...message, signed_reasoning: undefined } : message
}

// Anthropic and Gemini sign the reasoning before a tool call and expect it back with the call's result. The
// chat-completions format has no field for it, so it is remembered here, in memory only. A forgotten signature costs
// answer quality, never correctness.
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

  /** The signatures of one API key. Upstreams choose the ids of tool calls, so two keys can have the same one. */
  scopeTo(keyId: string, apiFormat: string): ReasoningSignatures {
    const entryKey = (callId: string): string => JSON.stringify([keyId, apiFormat, callId])
    return {
      remember: (callId, signature) => this.#cache.set(entryKey(callId), signature),
      recall: (callId) => this.#cache.get(entryKey(callId)),
    }
  }
}

/** The signature in a tool call, in the field of Google's OpenAI-compatible endpoint. */
export function readCallSignature(call: Readonly<Record<string, unknown>>): string | null {
  const extra = asObject(call.extra_content)
  const google = asObject(extra.google)
  return typeof google.thought_signature === 'string' && google.thought_signature !== ''
    ? google.thought_signature
    : null
}
