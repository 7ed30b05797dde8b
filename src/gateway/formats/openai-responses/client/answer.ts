// Chat answers as responses, plain and streamed.
import type { ErrorBody } from '../../../../shared/api/errors.ts'
import type { ChatChunk, ChatCompletion, ChatUsage } from '../../../../shared/formats/chat-completion.ts'
import type { AnswerContext, StreamWriter } from '../../chat/codec-types.ts'
import { readSignedReasoning } from '../../chat/reasoning.ts'
import { asList, asObject, isObject, type JsonObject, parseJson, stringOr } from '../../json/json.ts'
import { type CallItem, callIdPrefix, createCallItem } from './call-item.ts'
import {
  type EndStatus,
  MessageItem,
  type OpenItem,
  type OutputEvent,
  ReasoningItem,
} from './output-items.ts'
import { errorMembers, failureCode, itemId, responseObject } from './response-object.ts'
import { ToolTable } from './tools.ts'

// The output of a response, assembled from the deltas of a chat answer.

type Fields = Readonly<Record<string, unknown>>

interface OutputOptions {
  requestId: string
  tools: ToolTable
  /** Whether the client gets signed reasoning. */
  showsSigned: boolean
}

/** Builds the output items from the deltas of a chat answer, or from a whole message, and the events of the stream. */
class ResponseOutput {
  readonly #options: OutputOptions
  readonly #items: OpenItem[] = []
  /** The text or reasoning at the end of the output. */
  #growing: MessageItem | ReasoningItem | null = null
  /** Indexed by the call's index in the chat answer. Pieces of calls may alternate, so all stay open until the end. */
  readonly #calls = new Map<unknown, CallItem>()

  constructor(options: OutputOptions) {
    this.#options = options
  }

  get items(): JsonObject[] {
    return this.#items.map(({ item }) => item)
  }

  /** The items as the next request needs them. */
  get wholeItems(): JsonObject[] {
    return this.#items.map(({ item, whole }) => whole ?? item)
  }

  add(delta: Fields, logprobs: readonly unknown[] = []): OutputEvent[] {
    const { reasoning_content: reasoning, content, refusal, annotations, tool_calls: calls } = delta
    const events = this.#addSigned(delta)
    if (typeof reasoning === 'string' && reasoning !== '')
      events.push(...this.#inReasoning((item) => item.add(reasoning)))
    if (typeof content === 'string' && content !== '')
      events.push(...this.#inMessage((message) => message.add('text', content, logprobs)))
    for (const item of asList(annotations)) {
      const annotation = readAnnotation(item)
      if (annotation) events.push(...this.#inMessage((message) => message.annotate(annotation)))
    }
    if (typeof refusal === 'string' && refusal !== '')
      events.push(...this.#inMessage((message) => message.add('refusal', refusal)))
    for (const [at, call] of Array.isArray(calls) ? calls.entries() : [])
      if (isObject(call)) events.push(...this.#addCall(call, at))
    return events
  }

  end(status: EndStatus): OutputEvent[] {
    const events = this.#endGrowing(this.#calls.size > 0 ? 'completed' : status)
    const last = [...this.#calls.values()].at(-1)
    for (const call of this.#calls.values()) events.push(...call.end(call === last ? status : 'completed'))
    this.#calls.clear()
    return events
  }

  /** Signed reasoning ends the reasoning that it signs. */
  #addSigned(delta: Fields): OutputEvent[] {
    return readSignedReasoning(delta).flatMap((signed) => [
      ...this.#inReasoning((item) => {
        item.sign(signed)
        return []
      }),
      ...this.#endGrowing('completed'),
    ])
  }

  #inReasoning(add: (item: ReasoningItem) => OutputEvent[]): OutputEvent[] {
    if (this.#growing instanceof ReasoningItem) return add(this.#growing)
    const { showsSigned } = this.#options
    return this.#grow(new ReasoningItem(this.#items.length, this.#newId('rs'), showsSigned), add)
  }

  #inMessage(add: (item: MessageItem) => OutputEvent[]): OutputEvent[] {
    if (this.#growing instanceof MessageItem) return add(this.#growing)
    return this.#grow(new MessageItem(this.#items.length, this.#newId('msg')), add)
  }

  /** Ends the growing item, and begins this one. */
  #grow<Item extends MessageItem | ReasoningItem>(
    item: Item,
    add: (item: Item) => OutputEvent[],
  ): OutputEvent[] {
    const ended = this.#endGrowing('completed')
    this.#growing = item
    this.#items.push(item)
    return [...ended, ...item.begin(), ...add(item)]
  }

  #addCall(call: JsonObject, position: number): OutputEvent[] {
    const { function: called } = call
    const { name, arguments: args } = asObject(called)
    const key = call.index ?? position
    const open = this.#calls.get(key)
    const piece = stringOr(args, '')
    if (open) return piece === '' ? [] : open.add(piece)
    const events = this.#endGrowing('completed')
    const origin = this.#options.tools.findOrigin(stringOr(name, ''))
    const id = this.#newId(callIdPrefix(origin))
    const index = this.#items.length
    const item = createCallItem({ index, id, callId: stringOr(call.id, id), origin })
    this.#calls.set(key, item)
    this.#items.push(item)
    return [...events, ...item.begin(), ...(piece === '' ? [] : item.add(piece))]
  }

  #endGrowing(status: EndStatus): OutputEvent[] {
    const item = this.#growing
    this.#growing = null
    return item?.end(status) ?? []
  }

  #newId(prefix: string): string {
    return itemId(prefix, this.#options.requestId, this.#items.length)
  }
}

/** A citation of the chat format. */
function readAnnotation(annotation: unknown): JsonObject | null {
  if (!isObject(annotation) || !isObject(annotation.url_citation)) return null
  const { url, title, start_index: start, end_index: end } = annotation.url_citation
  if (typeof url !== 'string') return null
  return {
    type: 'url_citation',
    url,
    title: stringOr(title, ''),
    start_index: typeof start === 'number' ? start : 0,
    end_index: typeof end === 'number' ? end : 0,
  }
}

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
  const callIds = new Set(calls.map(({ id }) => id))
  const first = signed.filter(({ call_id: id }) => id === undefined || !callIds.has(id))
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
