// Chat messages as a conversation of Converse. Source: AWS's API reference, `Message` and `ContentBlock`. Blocks carry their marks
// for the cache as `cache_control` until `request.ts` replaces them.
import type { Message, ToolCall } from '../../../shared/formats/chat.ts'
import { readCacheControl, sanitizeCallId } from '../anthropic-messages/request.ts'
import type { Target } from '../chat/codec-types.ts'
import { refuseRequest } from '../chat/failure.ts'
import * as chat from '../chat/message-content.ts'
import { readSignedReasoning } from '../chat/reasoning.ts'
import { asObject, type JsonObject, listObjects, parseJson, stringOr } from '../json/json.ts'
import { isOwnReasoning } from './answer.ts'

export interface Turn {
  role: 'user' | 'assistant'
  content: JsonObject[]
}

export interface Conversation {
  system: JsonObject[]
  messages: Turn[]
  /** The names of the tools that were called. */
  called: ReadonlySet<string>
}

/** The kind of block and the format for each type of media. */
const MEDIA: ReadonlyMap<string, readonly [kind: 'image' | 'document' | 'video' | 'audio', format: string]> =
  new Map([
    ['image/jpeg', ['image', 'jpeg']],
    ['image/jpg', ['image', 'jpeg']],
    ['image/png', ['image', 'png']],
    ['image/gif', ['image', 'gif']],
    ['image/webp', ['image', 'webp']],
    ['application/pdf', ['document', 'pdf']],
    ['text/csv', ['document', 'csv']],
    ['text/html', ['document', 'html']],
    ['text/markdown', ['document', 'md']],
    ['text/plain', ['document', 'txt']],
    ['application/msword', ['document', 'doc']],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', ['document', 'docx']],
    ['application/vnd.ms-excel', ['document', 'xls']],
    ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', ['document', 'xlsx']],
    ['video/mp4', ['video', 'mp4']],
    ['video/quicktime', ['video', 'mov']],
    ['video/webm', ['video', 'webm']],
    ['video/x-matroska', ['video', 'mkv']],
    ['audio/wav', ['audio', 'wav']],
    ['audio/mpeg', ['audio', 'mp3']],
  ])

const LONGEST_NAME = 200

/** A document's name may have letters, digits, single spaces, hyphens, parentheses and square brackets. */
function sanitizeName(filename: string): string {
  const name = filename.replace(/\.\w{1,5}$/, '').replace(/[^\p{L}\p{N}\s()[\]-]/gu, '-')
  return name.replace(/\s+/g, ' ').trim().slice(0, LONGEST_NAME) || 'document'
}

class Conversion {
  readonly messages: Turn[] = []
  readonly called = new Set<string>()
  readonly #target: Target
  /** How often each document's name has occurred: Bedrock rejects a name that another document has. */
  readonly #names = new Map<string, number>()

  constructor(target: Target) {
    this.#target = target
  }

  add(message: Message): void {
    switch (message.role) {
      case 'user':
        this.#push('user', this.blocks(message.content))
        return
      case 'tool':
        this.#push('user', [this.#result(message)])
        return
      case 'assistant':
        this.#push('assistant', this.#answer(message))
        return
      case 'function':
        throw refuseRequest('This provider has no messages of the role "function": use "tool".', 'messages')
    }
  }

  /** Converse rejects text that is only white space. */
  blocks(content: Message['content']): JsonObject[] {
    return chat
      .readPieces(content)
      .filter((piece) => piece.kind !== 'text' || piece.text.trim() !== '')
      .map((piece) => ({ ...this.#block(piece), ...readCacheControl(piece.part) }))
  }

  #block(piece: chat.Piece): JsonObject {
    if (piece.kind === 'text') return { text: piece.text }
    if (piece.kind === 'link')
      throw refuseRequest('This provider takes images as data only: send a data URL.', 'messages')
    const [kind, format] = MEDIA.get(piece.mediaType) ?? []
    if (!kind)
      throw refuseRequest(`This provider does not take content of the type "${piece.mediaType}".`, 'messages')
    const source = { bytes: piece.base64 }
    const name = kind === 'document' ? { name: this.#name(asObject(piece.part.file).filename) } : {}
    return { [kind]: { format, ...name, source } }
  }

  #name(filename: unknown): string {
    const name = sanitizeName(stringOr(filename, ''))
    const count = (this.#names.get(name) ?? 0) + 1
    this.#names.set(name, count)
    return count === 1 ? name : `${name} (${count})`
  }

  #result(message: Extract<Message, { role: 'tool' }>): JsonObject {
    const blocks = this.blocks(message.content)
    const marked = blocks.findLast((block) => block.cache_control)
    const content = blocks.map(({ cache_control: _, ...block }) => block)
    return {
      toolResult: {
        toolUseId: sanitizeCallId(message.tool_call_id),
        // There must be content.
        content: content.length > 0 ? content : [{ text: '(no output)' }],
      },
      ...readCacheControl({ ...marked, ...message }),
    }
  }

  #answer(message: Extract<Message, { role: 'assistant' }>): JsonObject[] {
    const texts = this.blocks(message.content).filter((block) => 'text' in block)
    const calls = message.tool_calls ?? []
    const reasoning = this.#reasoning(message, calls)
    return [
      ...(reasoning.get(undefined) ?? []),
      ...texts,
      ...calls.flatMap((call) => [...(reasoning.get(call.id) ?? []), this.#call(call)]),
    ]
  }

  #call(call: ToolCall): JsonObject {
    const { name, args } = chat.readCalledFunction(call)
    this.called.add(name)
    return {
      toolUse: { toolUseId: sanitizeCallId(call.id), name, input: args },
      ...readCacheControl(call),
    }
  }

  /** The model's own reasoning by the call that it precedes: what the client sent back, else what is remembered of the calls. */
  #reasoning(
    message: Extract<Message, { role: 'assistant' }>,
    calls: readonly ToolCall[],
  ): Map<string | undefined, JsonObject[]> {
    const { upstreamModel, signatures } = this.#target
    const given = readSignedReasoning(message).filter(({ format }) => format === 'bedrock-converse')
    const all =
      given.length > 0
        ? given.map(({ data, call_id: callId }) => ({ data, callId }))
        : calls.flatMap(({ id }, at) =>
            listObjects(parseJson(signatures.recall(id) ?? '')).map((data) => ({
              data,
              // The order of a turn: reasoning, text, calls.
              callId: at === 0 ? undefined : id,
            })),
          )
    const byCall = new Map<string | undefined, JsonObject[]>()
    for (const { data, callId } of all) {
      const { reasoningContent } = data
      // Another model rejects it, or has no place for a signature.
      if (!isOwnReasoning(upstreamModel, data)) continue
      byCall.set(callId, [...(byCall.get(callId) ?? []), { reasoningContent }])
    }
    return byCall
  }

  #push(role: Turn['role'], content: JsonObject[]): void {
    if (content.length === 0) return
    const last = this.messages.at(-1)
    // Not `push(...content)`: a call is limited to roughly a hundred thousand arguments.
    if (last?.role === role) for (const block of content) last.content.push(block)
    else this.messages.push({ role, content })
  }
}

const isResult = (block: JsonObject): boolean => 'toolResult' in block

/** Results of calls come first in a turn, and a document needs a text next to it. */
function completeTurn({ role, content }: Turn): Turn {
  const sorted = [...content.filter(isResult), ...content.filter((block) => !isResult(block))]
  const lacksText = sorted.some((block) => 'document' in block) && !sorted.some((block) => 'text' in block)
  return { role, content: lacksText ? [...sorted, { text: 'The document is attached.' }] : sorted }
}

/**
 * Converse's shape: instructions apart, successive turns of one role merged, so that all results of parallel calls are in one
 * turn. Throws 400 for what the format cannot express.
 */
export function encodeConversation(given: readonly Message[], target: Target): Conversation {
  const conversion = new Conversion(target)
  const { instructions, conversation } = chat.separateInstructions(given, ({ content }) =>
    chat.joinTexts(content),
  )
  const system = instructions.flatMap(({ content }) => conversion.blocks(content))
  for (const message of conversation) conversion.add(message)
  const messages = conversion.messages.map(completeTurn)
  const { called } = conversion
  // A conversation needs a message of the user, so instructions alone are sent as one.
  if (messages.length === 0) return { system: [], messages: [{ role: 'user', content: system }], called }
  return { system: system.filter((block) => 'text' in block), messages, called }
}
