// Chat chunks as a stream of Anthropic's Messages API. Source: Anthropic's API reference, "Streaming".

import type { ErrorBody } from '../../../../shared/api/errors.ts'
import type {
  ChatChunk,
  ChatUsage,
  ChunkChoice,
  ToolCallDelta,
} from '../../../../shared/formats/chat-completion.ts'
import type { AnswerContext, StreamWriter } from '../../chat/codec-types.ts'
import type { SignedReasoning } from '../../chat/reasoning.ts'
import { isObject, type JsonObject, parseJson, stringOr } from '../../json/json.ts'
import {
  type End,
  emptyMessage,
  encodeEnd,
  encodeUsage,
  errorBody,
  readSigned,
  textBlock,
  thinkingBlock,
  toolUseBlock,
  wantsThinking,
} from './answer.ts'

type BlockType = 'text' | 'thinking' | 'tool_use'

function sse(type: string, members: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`
}

const NO_USAGE = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: null,
  output_tokens: 0,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: null,
  inference_geo: null,
  speed: null,
}

export class MessageStreamWriter implements StreamWriter {
  readonly #context: AnswerContext
  readonly #wantsThinking: boolean
  readonly #calls = new ToolCallQueue()
  #started = false
  /** Whether the last native event was the end of the message. */
  #stopped = false
  /** The open block; null between blocks. */
  #open: BlockType | null = null
  /** The index of the open or the next block. */
  #index = 0
  /** Write the output that arrived while a tool call was incomplete. */
  #late: (() => string)[] = []
  readonly #end: End = { finishReason: 'stop', refusal: '', stopReason: null }

  constructor(context: AnswerContext) {
    this.#context = context
    this.#wantsThinking = wantsThinking(context)
  }

  chunk({ choices }: ChatChunk): string {
    const [choice] = choices
    // No client of this format can ask for several choices.
    return choice?.index === 0 ? this.#begin() + this.#choice(choice) : ''
  }

  end(usage: ChatUsage): string {
    return [
      this.#begin(),
      this.#flush(),
      this.#close(),
      sse('message_delta', {
        delta: { ...encodeEnd(this.#end, this.#context), container: null },
        usage: encodeUsage(usage),
      }),
      sse('message_stop', {}),
    ].join('')
  }

  fail(error: ErrorBody, status: number): string {
    const { type, ...members } = errorBody(error, status, this.#context.requestId)
    return sse(stringOr(type, 'error'), members)
  }

  nativeEvent(data: string): null {
    this.#stopped = data.includes('message_stop') && Object(parseJson(data)).type === 'message_stop'
    return null
  }

  /** A provider's stream may end after the stop reason. */
  nativeEnd(): string {
    return this.#stopped ? '' : sse('message_stop', {})
  }

  #begin(): string {
    if (this.#started) return ''
    this.#started = true
    return sse('message_start', { message: { ...emptyMessage(this.#context), usage: NO_USAGE } })
  }

  #choice({ delta, finish_reason: finishReason, stop_reason: stopReason }: ChunkChoice): string {
    const refusal = stringOr(delta.refusal, '')
    this.#end.refusal += refusal
    if (finishReason) {
      this.#end.finishReason = finishReason
      this.#end.stopReason = stopReason
    }
    const calls = delta.tool_calls ?? []
    const signed = readSigned(delta, calls)
    const unplaced = signed.filter(({ call_id: id }) => !calls.some((call) => call.id === id))
    const reasoning = stringOr(delta.reasoning_content, '')
    const text = (delta.content ?? '') + refusal
    return [
      reasoning === '' ? '' : this.#besideCalls(() => this.#reasoning(reasoning)),
      ...unplaced.map((entry) => this.#besideCalls(() => this.#signed(entry))),
      text === '' ? '' : this.#besideCalls(() => this.#text(text)),
      ...calls.map((call) => {
        this.#calls.add(call, signed)
        return this.#sendCalls()
      }),
    ].join('')
  }

  /** Writes a piece that belongs to no tool call, unless it has to wait for one. */
  #besideCalls(write: () => string): string {
    if (this.#calls.current && !this.#calls.isComplete) {
      this.#late.push(write)
      return ''
    }
    return this.#flush() + write()
  }

  #reasoning(text: string): string {
    if (!this.#wantsThinking) return ''
    return (
      this.#block('thinking', { type: 'thinking', thinking: '', signature: '' }) +
      this.#delta({ type: 'thinking_delta', thinking: text })
    )
  }

  /** Signs the open thinking, or is a separate block. */
  #signed(entry: SignedReasoning): string {
    if (!this.#wantsThinking) return ''
    const { type, thinking, signature, ...rest } = thinkingBlock(entry, '')
    if (type !== 'thinking') return this.#close() + this.#start(null, { type, ...rest }) + this.#stop()
    const isOpen = this.#open === 'thinking'
    const empty = { type, thinking: '', signature: '' }
    const opened = isOpen ? '' : this.#block('thinking', empty)
    const text = isOpen || !thinking ? '' : this.#delta({ type: 'thinking_delta', thinking })
    return opened + text + this.#delta({ type: 'signature_delta', signature }) + this.#close()
  }

  #text(text: string): string {
    return this.#block('text', textBlock('')) + this.#delta({ type: 'text_delta', text })
  }

  #sendCalls(): string {
    let text = ''
    for (;;) {
      text += this.#sendCurrent()
      if (!this.#calls.hasNext || !this.#calls.isComplete) return text
      text += this.#close()
      this.#calls.advance()
    }
  }

  #sendCurrent(): string {
    const call = this.#calls.current
    if (!call) return ''
    const opened = this.#open === 'tool_use' ? '' : this.#openCall(call)
    const json = call.received.slice(call.sent)
    call.sent = call.received.length
    return opened + (json === '' ? '' : this.#delta({ type: 'input_json_delta', partial_json: json }))
  }

  #openCall({ id, name, signed }: QueuedCall): string {
    const prefix = signed.map((entry) => this.#signed(entry)).join('')
    return prefix + this.#block('tool_use', toolUseBlock(id, name, {}))
  }

  /** The rest of all tool calls. */
  #finishCalls(): string {
    let text = ''
    while (this.#calls.current) {
      text += this.#sendCurrent() + this.#close()
      this.#calls.advance()
    }
    return text
  }

  /** The rest of all tool calls, and what had to wait for them. */
  #flush(): string {
    const calls = this.#finishCalls()
    const late = this.#late.splice(0)
    return calls + late.map((write) => write()).join('')
  }

  /** Opens a block of the type unless it is open. */
  #block(type: BlockType, block: JsonObject): string {
    return this.#open === type ? '' : this.#close() + this.#start(type, block)
  }

  #start(type: BlockType | null, block: JsonObject): string {
    this.#open = type
    return sse('content_block_start', { index: this.#index, content_block: block })
  }

  #delta(delta: JsonObject): string {
    return sse('content_block_delta', { index: this.#index, delta })
  }

  #close(): string {
    return this.#open === null ? '' : this.#stop()
  }

  #stop(): string {
    this.#open = null
    const stopped = sse('content_block_stop', { index: this.#index })
    this.#index += 1
    return stopped
  }
}

export interface QueuedCall {
  id: string
  name: string
  /** The signed reasoning directly before it. */
  signed: readonly SignedReasoning[]
  /** Everything received. */
  received: string
  /** How much of it has been sent. */
  sent: number
}

/**
 * The tool calls of a stream in their order. In Anthropic's format one block follows the other, so the arguments of a
 * call wait until those of the earlier ones are complete.
 */
class ToolCallQueue {
  readonly #calls = new Map<number, QueuedCall>()
  /** The calls that are not complete or not begun, first the one that is being sent. */
  #waiting: QueuedCall[] = []

  add({ index, id, function: called }: ToolCallDelta, signed: readonly SignedReasoning[]): void {
    const openCall = this.#calls.get(index)
    if (openCall) {
      openCall.received += called?.arguments ?? ''
      return
    }
    const call = {
      id: id ?? '',
      name: called?.name ?? '',
      signed: signed.filter((entry) => entry.call_id === id),
      received: called?.arguments ?? '',
      sent: 0,
    }
    this.#calls.set(index, call)
    this.#waiting.push(call)
  }

  /** The call whose arguments can be sent now. */
  get current(): QueuedCall | null {
    return this.#waiting[0] ?? null
  }

  /** Whether the current call is complete, as far as its arguments show. */
  get isComplete(): boolean {
    return isObject(parseJson(this.current?.received ?? ''))
  }

  get hasNext(): boolean {
    return this.#waiting.length > 1
  }

  /** Goes on to the next call. */
  advance(): void {
    this.#waiting = this.#waiting.slice(1)
  }
}
