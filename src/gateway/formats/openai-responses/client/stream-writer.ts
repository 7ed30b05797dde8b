import type { ChatChunk, ChatUsage } from '../../../../shared/chat-completion.ts'
import type { ErrorBody } from '../../../../shared/errors.ts'
import type { AnswerContext, StreamWriter } from '../../chat/client-codec.ts'
import { isObject, type JsonObject, parseJson } from '../../json/json.ts'
import { choiceLogprobs, createOutput, endOf } from './answer.ts'
import { errorMembers, failureCode } from './errors.ts'
import type { ResponseOutput } from './output.ts'
import type { OutputEvent } from './output-item.ts'
import { responseObject } from './response-object.ts'

const ITEM_DONE = 'response.output_item.done'

export class ResponseStreamWriter implements StreamWriter {
  readonly #context: AnswerContext
  readonly #remember: (items: readonly JsonObject[]) => void
  readonly #output: ResponseOutput
  #sequence = 0
  #begun = false
  #finishReason: string | null = null

  /** `remember` is called with the items of a complete answer, as the next request needs them. */
  constructor(context: AnswerContext, remember: (items: readonly JsonObject[]) => void) {
    this.#context = context
    this.#remember = remember
    this.#output = createOutput(context)
  }

  chunk({ choices }: ChatChunk): string {
    const begun = this.#begin()
    const choice = choices.find(({ index }) => index === 0)
    if (!choice) return begun
    this.#finishReason = choice.finish_reason ?? this.#finishReason
    return begun + this.#format(this.#output.add(choice.delta, choiceLogprobs(choice)))
  }

  nativeEvent(data: string): null {
    if (!data.includes(ITEM_DONE)) return null
    const event = parseJson(data)
    if (isObject(event) && event.type === ITEM_DONE && isObject(event.item)) this.#remember([event.item])
    return null
  }

  end(usage: ChatUsage): string {
    const begun = this.#begin()
    const { status, reason } = endOf(this.#finishReason)
    const events = this.#format(this.#output.end(status))
    this.#remember(this.#output.wholeItems)
    const response = responseObject(this.#context, { status, output: this.#output.items, usage, reason })
    return begun + events + this.#format([{ type: `response.${status}`, response }])
  }

  /**
   * Two events: SDKs throw at `error`, and Codex reads the cause from `response.failed`. After native events, this writer
   * has written nothing before.
   */
  fail(error: ErrorBody): string {
    const members = errorMembers(error)
    const { code, message, param } = members
    const failure = { code: failureCode(error), message }
    const { items } = this.#output
    const response = responseObject(this.#context, { status: 'failed', output: items, error: failure })
    return this.#format([
      { type: 'error', code, message, param, error: members },
      { type: 'response.failed', response },
    ])
  }

  #begin(): string {
    if (this.#begun) return ''
    this.#begun = true
    const response = responseObject(this.#context, { status: 'in_progress', output: [] })
    return this.#format([
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
    ])
  }

  #format(events: readonly OutputEvent[]): string {
    return events
      .map(({ type, ...members }) => {
        const data = { type, sequence_number: this.#sequence, ...members }
        this.#sequence += 1
        return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
      })
      .join('')
  }
}
