// Serves clients of OpenAI's chat completions.

import type { ErrorBody } from '../../../../shared/api/errors.ts'
import type { ChatRequest } from '../../../../shared/formats/chat.ts'
import type { ChatChunk, ChatUsage } from '../../../../shared/formats/chat-completion.ts'
import type { AnswerContext, ClientCodec, StreamWriter } from '../../chat/codec-types.ts'
import { type ChunkPieces, joinPieces } from '../../chat/events.ts'
import { withoutSignedReasoning } from '../../chat/reasoning.ts'
import { isObject } from '../../json/json.ts'

export const openaiChatClient: ClientCodec<ChatRequest> = {
  decodeRequest: (body) => ({ request: body, untranslatable: null, externalContent: false }),
  answerBody: ({ choices, ...completion }, usage, { requestId, model }) => ({
    ...completion,
    id: requestId,
    model,
    choices: choices.map((choice) => ({ ...choice, message: withoutSignedReasoning(choice.message) })),
    usage,
  }),
  streamWriter: (context) => {
    const options = context.body.stream_options
    return new ChatStreamWriter(context, isObject(options) && options.include_usage === true)
  },
  errorBody: (error) => ({ error }),
}

/** The members of an answer that are ours. */
export interface Identity {
  /** The request id, under which GET /v1/requests/{id} finds the request. */
  id: string
  /** The model that served. */
  model: string
}

/** No JSON contains it. */
const MARK = '\0'

const DONE = 'data: [DONE]\n\n'

/**
 * Chunks are passed on byte for byte where possible; only id and model are replaced. Providers are always asked for usage,
 * so it is removed if the client did not ask.
 */
export class ChatStreamWriter implements StreamWriter {
  readonly #identity: Identity
  readonly #wantsUsage: boolean
  #created: number
  #parts: readonly string[] | null = null
  /** `#parts` with our id and model. */
  #edited: readonly string[] | null = null
  /** Other members of the upstream's usage chunk. */
  #members: Readonly<Record<string, unknown>> = {}

  constructor({ requestId, model, created }: AnswerContext, wantsUsage: boolean) {
    this.#identity = { id: requestId, model }
    this.#created = created
    this.#wantsUsage = wantsUsage
  }

  chunk(chunk: ChatChunk, raw: string | null, pieces?: ChunkPieces): string {
    this.#created = chunk.created
    if (raw === null) return this.#format(withoutReasoning(chunk))
    const parts = pieces && this.#editParts(chunk, pieces.parts)
    if (parts) return joinPieces({ parts, texts: pieces.texts })
    const edited = this.#edit(chunk, raw)
    return edited === null ? this.#format(chunk) : frame(edited)
  }

  /** Null where they cannot be edited. The last ones are kept, because most chunks of a stream have them. */
  #editParts(chunk: ChatChunk, parts: readonly string[]): readonly string[] | null {
    if (this.#parts === parts) return this.#edited
    this.#parts = parts
    const edited = this.#edit(chunk, parts.join(MARK))
    this.#edited = edited === null ? null : frame(edited).split(MARK)
    return this.#edited
  }

  /** The chunk's JSON with our id and model, and without a usage of null that the client did not ask for; null if ambiguous. */
  #edit(chunk: ChatChunk, raw: string): string | null {
    const { id, model } = this.#identity
    const json = this.#wantsUsage || chunk.usage !== null ? raw : withoutNullUsage(raw)
    return replaceMember(replaceMember(json, 'id', chunk.id, id), 'model', chunk.model, model)
  }

  #format(chunk: ChatChunk): string {
    const { usage, ...rest } = chunk
    const sent = this.#wantsUsage || usage !== null ? chunk : rest
    return frame(JSON.stringify({ ...sent, ...this.#identity }))
  }

  recordUsageMembers(members: Readonly<Record<string, unknown>>): void {
    this.#members = members
  }

  end(usage: ChatUsage): string {
    if (!this.#wantsUsage) return DONE
    const chunk: ChatChunk = {
      ...this.#members,
      ...this.#identity,
      object: 'chat.completion.chunk',
      created: this.#created,
      choices: [],
      usage,
    }
    return frame(JSON.stringify(chunk)) + DONE
  }

  /** Clients recognize the error by its `error` member. */
  fail(error: ErrorBody): string {
    return frame(JSON.stringify({ error }))
  }
}

function withoutReasoning(chunk: ChatChunk): ChatChunk {
  if (!chunk.choices.some(({ delta }) => 'signed_reasoning' in delta)) return chunk
  const choices = chunk.choices.map((choice) => ({ ...choice, delta: withoutSignedReasoning(choice.delta) }))
  return { ...chunk, choices }
}

function frame(json: string): string {
  return `data: ${json}\n\n`
}

/** The text without the member; null when that is ambiguous, as with several members of the name. */
function withoutNullUsage(json: string): string | null {
  const only = /,\s*"usage"\s*:\s*null(?=\s*[,}])/.exec(json)
  if (!only || json.split('"usage"').length !== 2) return null
  return json.slice(0, only.index) + json.slice(only.index + only[0].length)
}

/** A JSON string cannot contain an unescaped quote, so the first match is a member and not part of a text. */
function replaceMember(json: string | null, name: string, from: string, to: string): string | null {
  if (json === null || from === to) return json
  for (const colon of [':', ': ']) {
    const member = `"${name}"${colon}${JSON.stringify(from)}`
    const at = json.indexOf(member)
    if (at !== -1)
      return `${json.slice(0, at)}"${name}":${JSON.stringify(to)}${json.slice(at + member.length)}`
  }
  return null
}
