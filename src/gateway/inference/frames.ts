// Owns the text of what goes to a chat client: JSON bodies and `data:` lines under our id and the served model's name.
import type { ChatChunk, ChatCompletion, ChatUsage } from '../../shared/chat-completion.ts'
import type { ErrorBody } from '../../shared/errors.ts'
import { type NanoUsd, nanoToUsd } from '../../shared/money.ts'

export interface Identity {
  /** The request id: what the client is told is what GET /v1/requests/{id} knows. */
  id: string
  /** The model that served. */
  model: string
}

export const DONE = 'data: [DONE]\n\n'

/**
 * The `data:` lines of one stream. Chunks keep their own bytes wherever they can; only id and model are put in place.
 * `created`: seconds since the epoch, for a stream whose chunks do not say. Usage is always asked for: what tells of it
 * is taken off when the client did not ask.
 */
export class StreamFrames {
  readonly #identity: Identity
  readonly #wantsUsage: boolean
  #created: number
  /** What the upstream's usage chunk says beside usage. */
  #members: Readonly<Record<string, unknown>> = {}

  constructor(identity: Identity, created: number, wantsUsage: boolean) {
    this.#identity = identity
    this.#created = created
    this.#wantsUsage = wantsUsage
  }

  chunk(chunk: ChatChunk, raw: string | null): string {
    this.#created = chunk.created
    if (this.#wantsUsage || chunk.usage !== null) return chunkFrame(chunk, raw, this.#identity)
    const { usage: _, ...rest } = chunk
    return chunkFrame(rest, raw === null ? null : withoutNullUsage(raw), this.#identity)
  }

  /** Takes note of a usage chunk, for the one that the client gets at the end. */
  reported(members: Readonly<Record<string, unknown>> | undefined): void {
    if (members) this.#members = members
  }

  /** The last chunk; empty when the client did not ask for usage. */
  usage(usage: ChatUsage): string {
    if (!this.#wantsUsage) return ''
    const chunk: ChatChunk = {
      ...this.#members,
      ...this.#identity,
      object: 'chat.completion.chunk',
      created: this.#created,
      choices: [],
      usage,
    }
    return `data: ${JSON.stringify(chunk)}\n\n`
  }
}

function chunkFrame(chunk: ChatChunk, raw: string | null, identity: Identity): string {
  const kept =
    raw === null
      ? null
      : replaceMember(replaceMember(raw, 'id', chunk.id, identity.id), 'model', chunk.model, identity.model)
  return `data: ${kept ?? JSON.stringify({ ...chunk, ...identity })}\n\n`
}

/** The text without the member; null when that is not plain to see, as when several are named so. */
function withoutNullUsage(json: string): string | null {
  const only = /,\s*"usage"\s*:\s*null(?=\s*[,}])/.exec(json)
  if (!only || json.split('"usage"').length !== 2) return null
  return json.slice(0, only.index) + json.slice(only.index + only[0].length)
}

/** An unescaped quote cannot stand inside a JSON string, so the first match is a member and not some text. */
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

export function completionBody(completion: ChatCompletion, identity: Identity, usage: ChatUsage): string {
  return JSON.stringify({ ...completion, ...identity, usage })
}

/** Usage with what it cost, in USD; without a price it says nothing of cost. */
export function withCost(usage: ChatUsage, costNano: NanoUsd | null): ChatUsage {
  const { cost: _upstream, ...counts } = usage
  return costNano === null ? counts : { ...counts, cost: nanoToUsd(costNano) }
}

export function errorBody(error: ErrorBody): string {
  return JSON.stringify({ error })
}

/** The last event of a stream that failed; clients know it by its `error` member. */
export function errorFrame(error: ErrorBody): string {
  return `data: ${errorBody(error)}\n\n`
}
