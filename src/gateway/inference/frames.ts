// The bytes that a chat client gets: JSON bodies and `data:` lines, with our id and the served model's name.
import type { ChatChunk, ChatCompletion, ChatUsage } from '../../shared/chat-completion.ts'
import type { ErrorBody } from '../../shared/errors.ts'
import { type NanoUsd, nanoToUsd } from '../../shared/money.ts'

export interface Identity {
  /** The request id, under which GET /v1/requests/{id} finds the request. */
  id: string
  /** The model that served. */
  model: string
}

export const DONE = 'data: [DONE]\n\n'

/**
 * The `data:` lines of one stream. Chunks are passed on byte for byte where possible; only id and model are replaced.
 * `created`: seconds since the epoch, for a stream whose chunks have none. Providers are always asked for usage, so it is
 * removed when the client did not ask.
 */
export class StreamFrames {
  readonly #identity: Identity
  readonly #wantsUsage: boolean
  #created: number
  /** Other members of the upstream's usage chunk. */
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

  /** `members` of the upstream's usage chunk go into the one that the client gets at the end. */
  recordUsage(members: Readonly<Record<string, unknown>> | undefined): void {
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

export function completionBody(completion: ChatCompletion, identity: Identity, usage: ChatUsage): string {
  return JSON.stringify({ ...completion, ...identity, usage })
}

/** Usage with its `cost` in USD; without a price there is none. */
export function withCost(usage: ChatUsage, costNano: NanoUsd | null): ChatUsage {
  const { cost: _upstream, ...counts } = usage
  return costNano === null ? counts : { ...counts, cost: nanoToUsd(costNano) }
}

export function errorBody(error: ErrorBody): string {
  return JSON.stringify({ error })
}

/** The last event of a failed stream; clients recognise it by its `error` member. */
export function errorFrame(error: ErrorBody): string {
  return `data: ${errorBody(error)}\n\n`
}
