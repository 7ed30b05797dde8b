// Reasoning that providers sign or encrypt and expect back. Chat requests carry it in `signed_reasoning` of assistant
// messages, chat answers in `signed_reasoning` of messages and deltas. Clients of other formats receive it as an opaque text in
// the field that their own format has for it.
import { API_FORMATS, type ApiFormat } from '../../../shared/providers.ts'
import { isObject, type JsonObject, parseJson } from '../json/json.ts'

export interface SignedReasoning {
  /** Only providers of this format can read it. */
  format: ApiFormat
  /** As the provider returned it: a thinking block, a reasoning item, a part. */
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
  return (Array.isArray(all) ? all : []).flatMap((entry) => {
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
