// Source: Google's Gemini API reference, `Content`.
import type { Message } from '../../../shared/chat.ts'
import { refuseRequest } from '../chat/failure.ts'
import { type Piece, readCalledFunction, readPieces, textOf } from '../chat/message-content.ts'
import { type ReasoningSignatures, readCallSignature, readSignedReasoning } from '../chat/reasoning.ts'
import { isObject, type JsonObject, parseJson } from '../json/json.ts'

interface GeminiContent {
  role: 'user' | 'model'
  parts: JsonObject[]
}

export interface Contents {
  system: string | null
  contents: GeminiContent[]
}

/** Google's documented value for function calls by other models, which have no signature. */
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

/** Gemini requires an object as a function's result, so other values are wrapped in one. */
function encodeResponse(message: Message): JsonObject {
  const text = textOf(message.content)
  const value = parseJson(text)
  return isObject(value) ? value : { result: value ?? text }
}

/** The signature of an earlier answer's text goes back with its last part. */
function signLastPart(parts: JsonObject[], message: Message): JsonObject[] {
  const own = readSignedReasoning(message).findLast(
    ({ format, call_id: callId }) => format === 'gemini-generate' && callId === undefined,
  )
  if (typeof own?.data.thoughtSignature !== 'string') return parts
  const { thoughtSignature } = own.data
  return [...parts.slice(0, -1), { ...(parts.at(-1) ?? { text: '' }), thoughtSignature }]
}

class Conversion {
  readonly contents: GeminiContent[] = []
  readonly #signatures: ReasoningSignatures
  readonly #wantsSignatures: boolean
  /** Function names by call id: Gemini's function responses need the name, the clients' format does not have it. */
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
    const text = signLastPart(readPieces(message.content).map(encodePiece), message)
    const calls = (message.tool_calls ?? []).map((call, position) => {
      const { name, args } = readCalledFunction(call)
      this.#names.set(call.id, name)
      const ownSignature = readCallSignature(call) ?? this.#signatures.recall(call.id)
      // Only the first of parallel calls is signed.
      const signature = ownSignature ?? (this.#wantsSignatures && position === 0 ? NO_SIGNATURE : null)
      return {
        functionCall: { id: call.id, name, args },
        ...(signature !== null && { thoughtSignature: signature }),
      }
    })
    return [...text, ...calls]
  }

  #result(message: Extract<Message, { role: 'tool' }>): JsonObject[] {
    const id = message.tool_call_id
    const name = this.#names.get(id) ?? message.name
    if (!name)
      throw refuseRequest(
        `There is no tool call with the id "${id.slice(0, 100)}" before this result.`,
        'messages',
      )
    const media = readPieces(message.content).filter((piece) => piece.kind !== 'text')
    return [{ functionResponse: { id, name, response: encodeResponse(message) } }, ...media.map(encodePiece)]
  }

  #push(role: GeminiContent['role'], parts: JsonObject[]): void {
    if (parts.length === 0) return
    const last = this.contents.at(-1)
    // Not `push(...parts)`: a call is limited to roughly a hundred thousand arguments.
    if (last?.role === role) for (const part of parts) last.parts.push(part)
    else this.contents.push({ role, parts })
  }
}

/**
 * Gemini's shape: successive turns of one role merged, so that results of parallel calls are in one turn.
 * `wantsSignatures`: the model rejects a function call without a thought signature. Throws 400 for what the format cannot
 * express.
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
  // Gemini requires a user message, so instructions alone are sent as one.
  if (contents.length === 0 && system !== null)
    return { system: null, contents: [{ role: 'user', parts: [{ text: system }] }] }
  return { system, contents }
}
