import type { ChatChunk, ChatUsage } from '../../../../shared/chat-completion.ts'
import type { ErrorBody } from '../../../../shared/errors.ts'
import type { AnswerContext, StreamWriter } from '../../client-codec.ts'
import { withoutSignedReasoning } from '../../signed-reasoning.ts'

/** The members of an answer that are ours. */
export interface Identity {
  /** The request id, under which GET /v1/requests/{id} finds the request. */
  id: string
  /** The model that served. */
  model: string
}

const DONE = 'data: [DONE]\n\n'

/**
 * Chunks are passed on byte for byte where possible; only id and model are replaced. Providers are always asked for usage,
 * so it is removed if the client did not ask.
 */
export class ChatStreamWriter implements StreamWriter {
  readonly #identity: Identity
  readonly #wantsUsage: boolean
  #created: number
  /** Other members of the upstream's usage chunk. */
  #members: Readonly<Record<string, unknown>> = {}

  constructor({ requestId, model, created }: AnswerContext, wantsUsage: boolean) {
    this.#identity = { id: requestId, model }
    this.#created = created
    this.#wantsUsage = wantsUsage
  }

  chunk(chunk: ChatChunk, raw: string | null): string {
    this.#created = chunk.created
    const sent = raw === null ? withoutReasoning(chunk) : chunk
    if (this.#wantsUsage || sent.usage !== null) return chunkFrame(sent, raw, this.#identity)
    const { usage: _, ...rest } = sent
    return chunkFrame(rest, raw === null ? null : withoutNullUsage(raw), this.#identity)
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
    return `data: ${JSON.stringify(chunk)}\n\n${DONE}`
  }

  /** Clients recognise the error by its `error` member. */
  fail(error: ErrorBody): string {
    return `data: ${JSON.stringify({ error })}\n\n`
  }
}

function withoutReasoning(chunk: ChatChunk): ChatChunk {
  if (!chunk.choices.some(({ delta }) => 'signed_reasoning' in delta)) return chunk
  const choices = chunk.choices.map((choice) => ({ ...choice, delta: withoutSignedReasoning(choice.delta) }))
  return { ...chunk, choices }
}

function chunkFrame(chunk: ChatChunk, raw: string | null, identity: Identity): string {
  const edited =
    raw === null
      ? null
      : replaceMember(replaceMember(raw, 'id', chunk.id, identity.id), 'model', chunk.model, identity.model)
  return `data: ${edited ?? JSON.stringify({ ...chunk, ...identity })}\n\n`
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
