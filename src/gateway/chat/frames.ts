// Owns the text of what goes to a chat client: JSON bodies and `data:` lines under our id and the served model's name.
import type { ChatChunk, ChatCompletion, ChatUsage } from '../../shared/chat.ts'
import type { ErrorBody } from '../../shared/errors.ts'
import { type NanoUsd, nanoToUsd } from '../../shared/money.ts'

export interface Identity {
  /** The request id: what the client is told is what GET /v1/requests/{id} knows. */
  id: string
  /** The model that served. */
  model: string
}

export const DONE = 'data: [DONE]\n\n'

/** A chunk as a `data:` line. Its own bytes are kept wherever they can be; only id and model are put in place. */
export function chunkFrame(chunk: ChatChunk, raw: string | null, identity: Identity): string {
  const kept =
    raw === null
      ? null
      : replaceMember(replaceMember(raw, 'id', chunk.id, identity.id), 'model', chunk.model, identity.model)
  return `data: ${kept ?? JSON.stringify({ ...chunk, ...identity })}\n\n`
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

/** The last chunk of a stream whose client asked for usage. */
export function usageFrame(identity: Identity, created: number, usage: ChatUsage): string {
  const chunk: ChatChunk = { ...identity, object: 'chat.completion.chunk', created, choices: [], usage }
  return `data: ${JSON.stringify(chunk)}\n\n`
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
