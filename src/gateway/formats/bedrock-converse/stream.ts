// Source: AWS's API reference, `ConverseStream`. The usage comes in `metadata`, after the end of the message.
import { EventBuilder } from '../chat/answers.ts'
import type { AnswerTarget, CompletionIdentity, StreamParser } from '../chat/codec-types.ts'
import type { ChatEvent, SseEvent } from '../chat/events.ts'
import { UpstreamFailure, withUsage } from '../chat/failure.ts'
import { asObject, isObject, type JsonObject, parseJson, stringOr } from '../json/json.ts'
import { isClientCall, ReasoningPlaces, readImage, readSigned, toFinishReason } from './answer.ts'
import { readConverseUsage } from './usage.ts'

interface OpenBlock {
  /** The call's index among the calls; null for a block that is no call. */
  callIndex: number | null
  arguments: string
  reasoning: { text: string; signature: string }
  /** The format of an image, which only its start has. */
  imageFormat: unknown
  /** The data of an image or of encrypted reasoning. */
  data: Buffer[]
}

/** Each piece is base64 of its own. */
function addData(open: OpenBlock, piece: unknown): void {
  if (typeof piece === 'string') open.data.push(Buffer.from(piece, 'base64'))
}

export class ConverseStream implements StreamParser {
  readonly #build: EventBuilder
  readonly #model: string
  readonly #places: ReasoningPlaces
  readonly #blocks = new Map<unknown, OpenBlock>()
  #calls = 0
  /** Set at the end of the message; a failure waits for the usage. */
  #finish: string | UpstreamFailure | null = null
  /** Whether the last event belongs to a block, such as encrypted reasoning. */
  hiddenProgress = false

  constructor(defaults: CompletionIdentity, { signatures, upstreamModel }: AnswerTarget) {
    this.#build = new EventBuilder(defaults)
    this.#model = upstreamModel
    this.#places = new ReasoningPlaces(signatures)
  }

  get hasFinished(): boolean {
    return this.#finish !== null
  }

  event({ event, data }: SseEvent): ChatEvent[] {
    this.hiddenProgress = false
    if (this.#build.ended || data === '') return []
    const value = parseJson(data)
    if (!isObject(value))
      return this.#build.malformed('The stream contains an event that is not a JSON object.')
    switch (event) {
      case 'contentBlockStart':
        return this.#blockStart(value)
      case 'contentBlockDelta':
        return this.#blockDelta(value)
      case 'contentBlockStop':
        return this.#blockStop(value)
      case 'messageStop':
        return this.#messageStop(value)
      case 'metadata':
        return this.#metadata(value)
      default:
        // `messageStart`, which only has the role, and future events.
        return []
    }
  }

  end(): ChatEvent[] {
    if (this.#build.ended) return []
    if (this.#finish === null)
      return this.#build.malformed('The stream ended before the answer was complete.')
    return this.#finish instanceof UpstreamFailure ? this.#build.fail(this.#finish) : this.#build.done()
  }

  #open(index: unknown): OpenBlock {
    const known = this.#blocks.get(index)
    if (known) return known
    const reasoning = { text: '', signature: '' }
    const block = { callIndex: null, arguments: '', reasoning, imageFormat: null, data: [] }
    this.#blocks.set(index, block)
    return block
  }

  /** Only calls and images have a start. */
  #blockStart({ contentBlockIndex: index, start }: JsonObject): ChatEvent[] {
    const { toolUse, image } = asObject(start)
    const open = this.#open(index)
    if (isObject(image)) open.imageFormat = image.format
    if (!isClientCall(toolUse)) return []
    const id = stringOr(toolUse.toolUseId, '')
    open.callIndex = this.#calls
    this.#calls += 1
    const signed = this.#places.takeForCall(id)
    const called = { name: stringOr(toolUse.name, ''), arguments: '' }
    return this.#build.delta({
      ...(signed.length > 0 && { signed_reasoning: signed }),
      tool_calls: [{ index: open.callIndex, id, type: 'function', function: called }],
    })
  }

  #blockDelta({ contentBlockIndex: index, delta }: JsonObject): ChatEvent[] {
    this.hiddenProgress = true
    const { text, toolUse, reasoningContent, image } = asObject(delta)
    if (typeof text === 'string') {
      const signed = this.#places.take()
      return this.#build.delta({ ...(signed.length > 0 && { signed_reasoning: signed }), content: text })
    }
    const open = this.#open(index)
    if (isObject(reasoningContent)) return this.#reasoning(open, reasoningContent)
    addData(open, asObject(asObject(image).source).bytes)
    const { callIndex } = open
    const part = stringOr(asObject(toolUse).input, '')
    if (callIndex === null || part === '') return []
    open.arguments += part
    return this.#build.delta({ tool_calls: [{ index: callIndex, function: { arguments: part } }] })
  }

  #reasoning(open: OpenBlock, { text, signature, redactedContent }: JsonObject): ChatEvent[] {
    const { reasoning } = open
    reasoning.signature += stringOr(signature, '')
    addData(open, redactedContent)
    if (typeof text !== 'string') return []
    reasoning.text += text
    return this.#build.delta({ reasoning_content: text })
  }

  #blockStop({ contentBlockIndex: index }: JsonObject): ChatEvent[] {
    const open = this.#blocks.get(index)
    if (!open) return []
    this.#blocks.delete(index)
    this.hiddenProgress = true
    const { callIndex, arguments: args, reasoning, imageFormat: format } = open
    const data = open.data.length > 0 ? Buffer.concat(open.data).toString('base64') : null
    const images = readImage({ format, source: { bytes: data } })
    if (images.length > 0) return this.#build.delta({ images })
    this.#places.add(readSigned(this.#model, { reasoningText: reasoning, redactedContent: data }))
    // Clients expect JSON even for a call without arguments.
    if (callIndex === null || args !== '') return []
    return this.#build.delta({ tool_calls: [{ index: callIndex, function: { arguments: '{}' } }] })
  }

  #messageStop({ stopReason }: JsonObject): ChatEvent[] {
    const finish = toFinishReason(stringOr(stopReason, 'end_turn'))
    this.#finish = finish
    if (finish instanceof UpstreamFailure) return []
    const signed = this.#places.take()
    return this.#build.delta(signed.length > 0 ? { signed_reasoning: signed } : {}, finish)
  }

  #metadata(value: JsonObject): ChatEvent[] {
    const usage = readConverseUsage(value, { model: this.#model, isStream: true })
    const events: ChatEvent[] = usage ? [{ type: 'usage', usage }] : []
    if (this.#finish instanceof UpstreamFailure)
      return [...events, ...this.#build.fail(withUsage(this.#finish, usage))]
    return this.#finish === null ? events : [...events, ...this.#build.done()]
  }
}
