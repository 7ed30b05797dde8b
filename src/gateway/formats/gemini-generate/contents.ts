// Owns the way of a conversation from the chat-completions format into Gemini's: roles, parts, function calls and
// their responses. Source: Google's Gemini API reference, `Content`. Knows nothing of the other request fields.
import type { Message } from '../../../shared/chat.ts'
import { isObject, type JsonObject, parseJson } from '../json.ts'
import { type Piece, readPieces, textOf } from '../openai-chat/message-content.ts'
import { readCalledFunction } from '../openai-chat/tools.ts'
import type { ReasoningSignatures } from '../reasoning-signatures.ts'
import { refuseRequest } from '../refuse-request.ts'

interface GeminiContent {
  role: 'user' | 'model'
  parts: JsonObject[]
}

export interface Contents {
  system: string | null
  contents: GeminiContent[]
}

/** What Google documents for calls that came from another model, whose signature nobody has. */
const NO_SIGNATURE = 'skip_thought_signature_validator'

const LINK_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    gif: 'image/gif',
    heic: 'image/heic',
    jpeg: 'image/jpeg',
    jpg: 'image/jpeg',
    png: 'image/png',
    webp: 'image/webp',
  }),
)

function encodePiece(piece: Piece): JsonObject {
  switch (piece.kind) {
    case 'text':
      return { text: piece.text }
    case 'inline':
      return { inlineData: { mimeType: piece.mediaType, data: piece.base64 } }
    case 'link': {
      const ending = /\.([a-z]+)$/.exec(piece.url.split(/[?#]/, 1)[0]?.toLowerCase() ?? '')?.[1]
      const mimeType = LINK_TYPES.get(ending ?? '')
      return { fileData: { fileUri: piece.url, ...(mimeType && { mimeType }) } }
    }
  }
}

/** The signature that the client carried back with the call, in the place where Google's compatible endpoint has it. */
function carriedSignature(call: JsonObject): string | null {
  const extra = isObject(call.extra_content) ? call.extra_content : {}
  const google = isObject(extra.google) ? extra.google : {}
  return typeof google.thought_signature === 'string' && google.thought_signature !== ''
    ? google.thought_signature
    : null
}

/** A function's result: Gemini wants an object, and anything else is put into one. */
function responseOf(message: Message): JsonObject {
  const text = textOf(message.content)
  const value = parseJson(text)
  return isObject(value) ? value : { result: value ?? text }
}

class Conversion {
  readonly contents: GeminiContent[] = []
  readonly #signatures: ReasoningSignatures
  readonly #wantsSignatures: boolean
  /** The name of the function behind every call so far: a response must say it, the clients' format does not. */
  readonly #names = new Map<string, string>()

  constructor(signatures: ReasoningSignatures, wantsSignatures: boolean) {
    this.#signatures = signatures
    this.#wantsSignatures = wantsSignatures
  }

  add(message: Message): void {
    switch (message.role) {
      case 'system':
      case 'developer':
        return
      case 'user':
        this.#push('user', readPieces(message.content).map(encodePiece))
        return
      case 'assistant':
        this.#push('model', this.#modelParts(message))
        return
      case 'tool':
        this.#push('user', this.#result(message))
        return
      case 'function':
        throw refuseRequest('This provider has no messages of the role "function": use "tool".', 'messages')
    }
  }

  #modelParts(message: Extract<Message, { role: 'assistant' }>): JsonObject[] {
    const said = readPieces(message.content).map(encodePiece)
    const calls = (message.tool_calls ?? []).map((call, position) => {
      const { name, args } = readCalledFunction(call)
      this.#names.set(call.id, name)
      const known = carriedSignature(call) ?? this.#signatures.recall(call.id)
      // Of parallel calls only the first is signed.
      const signature = known ?? (this.#wantsSignatures && position === 0 ? NO_SIGNATURE : null)
      return {
        functionCall: { id: call.id, name, args },
        ...(signature !== null && { thoughtSignature: signature }),
      }
    })
    return [...said, ...calls]
  }

  #result(message: Extract<Message, { role: 'tool' }>): JsonObject[] {
    const id = message.tool_call_id
    const name = this.#names.get(id) ?? message.name
    if (!name)
      throw refuseRequest(`No call with the id "${id.slice(0, 100)}" comes before its result.`, 'messages')
    const media = readPieces(message.content).filter((piece) => piece.kind !== 'text')
    return [{ functionResponse: { id, name, response: responseOf(message) } }, ...media.map(encodePiece)]
  }

  #push(role: GeminiContent['role'], parts: JsonObject[]): void {
    if (parts.length === 0) return
    const last = this.contents.at(-1)
    // One by one: a call takes no more than some hundred thousand arguments.
    if (last?.role === role) for (const part of parts) last.parts.push(part)
    else this.contents.push({ role, parts })
  }
}

/**
 * The conversation in Gemini's shape, turns of one role merged, so that results of parallel calls stand together.
 * `wantsSignatures`: the model refuses a function call without its thought signature. Throws 400 for what has no place.
 */
export function encodeContents(
  messages: readonly Message[],
  signatures: ReasoningSignatures,
  wantsSignatures: boolean,
): Contents {
  const conversion = new Conversion(signatures, wantsSignatures)
  for (const message of messages) conversion.add(message)
  const { contents } = conversion
  const texts = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ content }) => textOf(content))
    .filter((text) => text !== '')
  const system = texts.length > 0 ? texts.join('\n') : null
  // Gemini wants something to answer: instructions alone are then what is asked.
  if (contents.length === 0 && system !== null)
    return { system: null, contents: [{ role: 'user', parts: [{ text: system }] }] }
  return { system, contents }
}
