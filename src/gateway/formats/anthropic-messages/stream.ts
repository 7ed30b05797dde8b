// Source: Anthropic's Messages API reference, "Streaming".

import { EventBuilder, UsageReports } from '../chat/answers.ts'
import type { CompletionIdentity, StreamParser } from '../chat/codec-types.ts'
import type { ChatEvent, SseEvent } from '../chat/events.ts'
import type { ReasoningSignatures } from '../chat/reasoning.ts'
import type { ReportedUsage } from '../chat/usage.ts'
import { isObject, type JsonObject, parseJson, stringOr } from '../json/json.ts'
import {
  isKnownBlock,
  readFailure,
  readRefusal,
  readThinkingBlock,
  rememberThinking,
  signedThinking,
  toFinishReason,
} from './answer.ts'
import { mergeUsage, readAnthropicUsage } from './usage.ts'

interface OpenBlock {
  /** Completed by the deltas. */
  block: JsonObject
  /** A tool call's index among the calls, which differs from the block's index. */
  callIndex: number
  arguments: string
}

/** A block of an unknown type as a plain answer would contain it. */
function toContentPart({ block, arguments: text }: OpenBlock): JsonObject {
  return text === '' ? block : { ...block, input: parseJson(text) ?? text }
}

export class AnthropicStream implements StreamParser {
  readonly #build: EventBuilder
  readonly #signatures: ReasoningSignatures
  readonly #blocks = new Map<unknown, OpenBlock>()
  #pendingThinking: JsonObject[] = []
  /** Complete thinking that is not yet in a chat event, because what it precedes is not known. */
  #unsentThinking: JsonObject[] = []
  #calls = 0
  #usage: JsonObject = {}
  readonly #reports = new UsageReports()
  #stopped = false
  /** Whether the last event belongs to a block, such as hidden thinking or Anthropic's server tools. */
  hiddenProgress = false

  constructor(defaults: CompletionIdentity, signatures: ReasoningSignatures) {
    this.#build = new EventBuilder(defaults)
    this.#signatures = signatures
  }

  event({ event, data }: SseEvent): ChatEvent[] {
    this.hiddenProgress = false
    if (this.#build.ended || data === '') return []
    const value = parseJson(data)
    if (!isObject(value))
      return this.#build.malformed('The stream contains an event that is not a JSON object.')
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
        return this.#build.done()
      case 'error':
        return this.#build.fail(readFailure(value))
      default:
        // `ping` and future events: Anthropic's versioning policy asks clients to ignore unknown ones.
        return []
    }
  }

  end(): ChatEvent[] {
    if (this.#build.ended) return []
    return this.#stopped
      ? this.#build.done()
      : this.#build.malformed('The stream ended before the answer was complete.')
  }

  #messageStart({ message }: JsonObject): ChatEvent[] {
    if (!isObject(message)) return this.#build.malformed('The stream does not begin with a message.')
    this.#build.setIdentity(message.id, message.model)
    // It counts the prompt; what is produced is only known from the last report.
    return this.#readUsage(message.usage, { estimated: true })
  }

  #blockStart({ index, content_block: block }: JsonObject): ChatEvent[] {
    if (!isObject(block)) return this.#build.malformed('The stream contains an invalid content block.')
    this.hiddenProgress = true
    const open: OpenBlock = { block: { ...block }, callIndex: this.#calls, arguments: '' }
    this.#blocks.set(index, open)
    const id = stringOr(block.id, '')
    const signed = this.#takeThinking(block.type === 'tool_use' ? id : undefined)
    if (block.type === 'text') return this.#build.delta({ ...signed, content: stringOr(block.text, '') })
    if (block.type === 'thinking')
      return this.#build.delta({ ...signed, reasoning_content: stringOr(block.thinking, '') })
    if (block.type !== 'tool_use') return signed.signed_reasoning ? this.#build.delta(signed) : []
    this.#calls += 1
    rememberThinking(this.#signatures, id, this.#pendingThinking)
    this.#pendingThinking = []
    const called = { name: stringOr(block.name, ''), arguments: '' }
    return this.#build.delta({
      ...signed,
      tool_calls: [{ index: open.callIndex, id, type: 'function', function: called }],
    })
  }

  #blockDelta({ index, delta }: JsonObject): ChatEvent[] {
    const open = this.#blocks.get(index)
    if (!open || !isObject(delta))
      return this.#build.malformed('The stream contains a delta without a content block.')
    const { block } = open
    const { type: _, ...values } = delta
    this.hiddenProgress = Object.values(values).some((value) => value !== '' && value !== null)
    switch (delta.type) {
      case 'text_delta':
        return block.type === 'text' ? this.#build.delta({ content: stringOr(delta.text, '') }) : []
      case 'thinking_delta': {
        const text = stringOr(delta.thinking, '')
        block.thinking = stringOr(block.thinking, '') + text
        return this.#build.delta({ reasoning_content: text })
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
    this.hiddenProgress = true
    const thinking = readThinkingBlock(open.block)
    if (thinking) {
      this.#pendingThinking.push(thinking)
      this.#unsentThinking.push(thinking)
    }
    // Clients expect JSON even for a call without arguments; some servers send all arguments at the start.
    const hasNoDeltas = open.block.type === 'tool_use' && open.arguments === ''
    if (hasNoDeltas) return this.#arguments(open, JSON.stringify(open.block.input ?? {}))
    return isKnownBlock(open.block) ? [] : this.#build.delta({ content_parts: [toContentPart(open)] })
  }

  #messageDelta({ delta, usage }: JsonObject): ChatEvent[] {
    const events = this.#readUsage(usage)
    if (!isObject(delta) || typeof delta.stop_reason !== 'string') return events
    this.#stopped = true
    const last = { ...this.#takeThinking(), ...readRefusal(delta) }
    return [...events, ...this.#build.delta(last, toFinishReason(delta.stop_reason))]
  }

  #takeThinking(callId?: string): ReturnType<typeof signedThinking> {
    const blocks = this.#unsentThinking
    this.#unsentThinking = []
    return signedThinking(blocks, callId)
  }

  #readUsage(usage: unknown, certainty: Pick<ReportedUsage, 'estimated'> = {}): ChatEvent[] {
    this.#usage = mergeUsage(this.#usage, usage)
    const report = readAnthropicUsage(this.#usage)
    return this.#reports.next(report && { ...report, ...certainty })
  }

  #arguments({ callIndex }: OpenBlock, text: string): ChatEvent[] {
    return this.#build.delta({ tool_calls: [{ index: callIndex, function: { arguments: text } }] })
  }
}
