// Owns the reading of Anthropic's stream: its named events as the chat events they stand for. Source: Anthropic's
// Messages API reference, "Streaming". Knows nothing of sockets.

import type { AnswerDefaults, StreamParser } from '../codec.ts'
import type { ChatEvent } from '../events.ts'
import { isObject, type JsonObject, parseJson, stringOr } from '../json.ts'
import { MadeEvents } from '../openai-chat/event-builder.ts'
import type { Recall } from '../reasoning-signatures.ts'
import type { SseEvent } from '../sse.ts'
import { UsageReports } from '../usage-reports.ts'
import { finishReasonFor, isKnownBlock, keepThoughts, keptThought, refusalIn } from './blocks.ts'
import { anthropicFailure } from './errors.ts'
import { laterUsage, readAnthropicUsage } from './usage.ts'

interface OpenBlock {
  /** As it will have to come back, filled in as deltas come. */
  block: JsonObject
  /** Of a tool call: its index among the calls, which is not the block's. */
  callIndex: number
  arguments: string
}

/** A block of no known type as a plain answer would have it. */
function wholeBlock({ block, arguments: text }: OpenBlock): JsonObject {
  return text === '' ? block : { ...block, input: parseJson(text) ?? text }
}

export class AnthropicStream implements StreamParser {
  readonly #make: MadeEvents
  readonly #thoughts: Recall
  readonly #blocks = new Map<unknown, OpenBlock>()
  #pendingThoughts: JsonObject[] = []
  #calls = 0
  #usage: JsonObject = {}
  readonly #reports = new UsageReports()
  #stopped = false
  /** Whether the last event is of a block: thoughts that are not shown, and Anthropic's own tools. */
  #unseenWork = false

  constructor(defaults: AnswerDefaults, thoughts: Recall) {
    this.#make = new MadeEvents(defaults)
    this.#thoughts = thoughts
  }

  get unseenWork(): boolean {
    return this.#unseenWork
  }

  event({ event, data }: SseEvent): ChatEvent[] {
    this.#unseenWork = false
    if (this.#make.ended || data === '') return []
    const value = parseJson(data)
    if (!isObject(value)) return this.#make.malformed('The stream holds an event that is not a JSON object.')
    switch (value.type ?? event) {
      case 'message_start':
        return this.#messageStart(value)
      case 'content_block_start':
        return this.#blockStart(value)
      case 'content_block_delta':
        return this.#blockDelta(value)
      case 'content_block_stop':
        return this.#blockStop(value)
      case 'message_delta':
        return this.#messageDelta(value)
      case 'message_stop':
        return this.#make.done()
      case 'error':
        return this.#make.fail(anthropicFailure(value))
      default:
        // `ping`, and what Anthropic may add: its versioning policy asks clients to ignore it.
        return []
    }
  }

  end(): ChatEvent[] {
    if (this.#make.ended) return []
    return this.#stopped ? this.#make.done() : this.#make.malformed('The stream broke off before its end.')
  }

  #messageStart({ message }: JsonObject): ChatEvent[] {
    if (!isObject(message)) return this.#make.malformed('The stream begins without its message.')
    this.#make.named(message.id, message.model)
    return this.#used(message.usage)
  }

  #blockStart({ index, content_block: block }: JsonObject): ChatEvent[] {
    if (!isObject(block)) return this.#make.malformed('The stream holds a broken content block.')
    this.#unseenWork = true
    const open: OpenBlock = { block: { ...block }, callIndex: this.#calls, arguments: '' }
    this.#blocks.set(index, open)
    if (block.type === 'text') return this.#make.delta({ content: stringOr(block.text, '') })
    if (block.type === 'thinking')
      return this.#make.delta({ reasoning_content: stringOr(block.thinking, '') })
    if (block.type !== 'tool_use') return []
    this.#calls += 1
    const id = stringOr(block.id, '')
    keepThoughts(this.#thoughts, id, this.#pendingThoughts)
    this.#pendingThoughts = []
    const called = { name: stringOr(block.name, ''), arguments: '' }
    return this.#make.delta({
      tool_calls: [{ index: open.callIndex, id, type: 'function', function: called }],
    })
  }

  #blockDelta({ index, delta }: JsonObject): ChatEvent[] {
    const open = this.#blocks.get(index)
    if (!open || !isObject(delta))
      return this.#make.malformed('The stream holds a delta of no content block.')
    const { block } = open
    const { type: _, ...said } = delta
    this.#unseenWork = Object.values(said).some((value) => value !== '' && value !== null)
    switch (delta.type) {
      case 'text_delta':
        return block.type === 'text' ? this.#make.delta({ content: stringOr(delta.text, '') }) : []
      case 'thinking_delta': {
        const text = stringOr(delta.thinking, '')
        block.thinking = stringOr(block.thinking, '') + text
        return this.#make.delta({ reasoning_content: text })
      }
      case 'signature_delta':
        block.signature = stringOr(block.signature, '') + stringOr(delta.signature, '')
        return []
      case 'input_json_delta': {
        const text = stringOr(delta.partial_json, '')
        if (text === '') return []
        open.arguments += text
        return block.type === 'tool_use' ? this.#arguments(open, text) : []
      }
      default:
        return []
    }
  }

  #blockStop({ index }: JsonObject): ChatEvent[] {
    const open = this.#blocks.get(index)
    if (!open) return []
    this.#blocks.delete(index)
    this.#unseenWork = true
    const kept = keptThought(open.block)
    if (kept) this.#pendingThoughts.push(kept)
    // A call without arguments sends none, but clients read them as JSON; some servers send them whole at the start.
    const isBare = open.block.type === 'tool_use' && open.arguments === ''
    if (isBare) return this.#arguments(open, JSON.stringify(open.block.input ?? {}))
    return isKnownBlock(open.block) ? [] : this.#make.delta({ content_parts: [wholeBlock(open)] })
  }

  #messageDelta({ delta, usage }: JsonObject): ChatEvent[] {
    const events = this.#used(usage)
    if (!isObject(delta) || typeof delta.stop_reason !== 'string') return events
    this.#stopped = true
    return [...events, ...this.#make.delta(refusalIn(delta), finishReasonFor(delta.stop_reason))]
  }

  #used(usage: unknown): ChatEvent[] {
    this.#usage = laterUsage(this.#usage, usage)
    return this.#reports.next(readAnthropicUsage(this.#usage))
  }

  #arguments({ callIndex }: OpenBlock, text: string): ChatEvent[] {
    return this.#make.delta({ tool_calls: [{ index: callIndex, function: { arguments: text } }] })
  }
}
