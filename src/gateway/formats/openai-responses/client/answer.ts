// Chat answers as responses, plain and streamed.

import type { ErrorBody } from '../../../../shared/api/errors.ts'
import type { ChatChunk, ChatCompletion, ChatUsage } from '../../../../shared/formats/chat-completion.ts'
import type { AnswerContext, StreamWriter } from '../../chat/codec-types.ts'
import { readSignedReasoning } from '../../chat/reasoning.ts'
import { asList, asObject, isObject, type JsonObject, parseJson } from '../../json/json.ts'
import { ResponseOutput } from './output.ts'
import type { EndStatus, OutputEvent } from './output-items.ts'
import { errorMembers, failureCode, responseObject } from './response-object.ts'
import { ToolTable } from './tools.ts'

const ENCRYPTED = 'reasoning.encrypted_content'

function createOutput({ requestId, body }: AnswerContext): ResponseOutput {
  const { store, include } = body
  const showsSigned = store === false || (Array.isArray(include) && include.includes(ENCRYPTED))
  return new ResponseOutput({ requestId, tools: new ToolTable(body), showsSigned })
}

interface Ending {
  status: EndStatus
  /** Why the response is incomplete. */
  reason: string | null
}

const INCOMPLETE: Readonly<Record<string, string>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
}

function toEnding(finishReason: string | null): Ending {
  const reason = INCOMPLETE[finishReason ?? ''] ?? null
  return { status: reason === null ? 'completed' : 'incomplete', reason }
}

/** The log probabilities of a chat choice or a chunk's. */
function readChoiceLogprobs(choice: Readonly<Record<string, unknown>>): unknown[] {
  return asList(asObject(choice.logprobs).content)
}

export function answerBody(
  completion: ChatCompletion,
  usage: ChatUsage,
  context: AnswerContext,
): { response: JsonObject; output: ResponseOutput } {
  const output = createOutput(context)
  const choice = completion.choices.find(({ index }) => index === 0) ?? completion.choices[0]
  if (choice) for (const delta of inOrder(choice.message)) output.add(delta, readChoiceLogprobs(choice))
  const { status, reason } = toEnding(choice?.finish_reason ?? null)
  output.end(status)
  return { response: responseObject(context, { status, output: output.items, usage, reason }), output }
}

type Message = ChatCompletion['choices'][number]['message']

/** The message as a stream would bring it: signed reasoning after its text, and before the call that it precedes. */
function inOrder(message: Message): Readonly<Record<string, unknown>>[] {
  const { reasoning_content: reasoning, tool_calls: calls = [], signed_reasoning: _, ...rest } = message
  const signed = readSignedReasoning(message)
  const known = new Set(calls.map(({ id }) => id))
  const first = signed.filter(({ call_id: id }) => id === undefined || !known.has(id))
  return [
    { reasoning_content: reasoning },
    { signed_reasoning: first },
    rest,
    ...calls.map((call, index) => ({
      signed_reasoning: signed.filter(({ call_id: id }) => id === call.id),
      tool_calls: [{ ...call, index }],
    })),
  ]
}

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
    return begun + this.#format(this.#output.add(choice.delta, readChoiceLogprobs(choice)))
  }

  nativeEvent(data: string): null {
    if (!data.includes(ITEM_DONE)) return null
    const event = parseJson(data)
    if (isObject(event) && event.type === ITEM_DONE && isObject(event.item)) this.#remember([event.item])
    return null
  }

  end(usage: ChatUsage): string {
    const begun = this.#begin()
    const { status, reason } = toEnding(this.#finishReason)
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
