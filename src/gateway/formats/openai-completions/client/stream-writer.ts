import type { ChatChunk, ChatUsage } from '../../../../shared/chat-completion.ts'
import type { ErrorBody } from '../../../../shared/errors.ts'
import type { AnswerContext, StreamWriter } from '../../chat/client-codec.ts'
import { isObject, type JsonObject } from '../../json/json.ts'

/** A choice with a text instead of a message or a delta. */
export function toTextChoice(choice: JsonObject): JsonObject {
  const { delta, message, finish_reason: finish, ...rest } = choice
  const output = isObject(delta) ? delta : isObject(message) ? message : {}
  const text = [output.content, output.refusal].find((each) => typeof each === 'string') ?? ''
  return { logprobs: null, ...rest, text, finish_reason: finish === 'tool_calls' ? 'stop' : (finish ?? null) }
}

/** OpenAI's stream of a text completion. Providers are always asked for usage; it is sent if the client asked. */
export class TextStreamWriter implements StreamWriter {
  readonly #identity: JsonObject
  readonly #wantsUsage: boolean
  #created: number
  #members: Readonly<Record<string, unknown>> = {}

  constructor({ requestId, model, created, body }: AnswerContext) {
    this.#identity = { id: requestId, object: 'text_completion', model }
    this.#created = created
    this.#wantsUsage = isObject(body.stream_options) && body.stream_options.include_usage === true
  }

  chunk({ choices, usage: _, ...members }: ChatChunk): string {
    this.#created = members.created
    const texts = choices.map(toTextChoice)
    // Such as the first chunk of a chat, which has only a role.
    if (texts.every(({ text, finish_reason: finish }) => text === '' && finish === null)) return ''
    return this.#write({ ...members, choices: texts })
  }

  recordUsageMembers(members: Readonly<Record<string, unknown>>): void {
    this.#members = members
  }

  end(usage: ChatUsage): string {
    const last = this.#wantsUsage
      ? this.#write({ ...this.#members, created: this.#created, choices: [], usage })
      : ''
    return `${last}data: [DONE]\n\n`
  }

  fail(error: ErrorBody): string {
    return `data: ${JSON.stringify({ error })}\n\n`
  }

  #write(members: JsonObject): string {
    return `data: ${JSON.stringify({ ...members, ...this.#identity })}\n\n`
  }
}
