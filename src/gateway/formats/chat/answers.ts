// Answers of other formats as chat completions, plain and streamed.
import type { ToolCall } from '../../../shared/formats/chat.ts'
import type { ChatChunk, ChunkChoice, ToolCallDelta } from '../../../shared/formats/chat-completion.ts'
import { isObject, type JsonObject, parseJson, stringOr } from '../json/json.ts'
import type { CompletionIdentity, StreamParser } from './codec-types.ts'
import type { ChatEvent, PlainAnswer, SseEvent } from './events.ts'
import { malformedAnswer, type UpstreamFailure } from './failure.ts'
import { normalizeCompletion } from './normalize.ts'
import type { SignedReasoning } from './reasoning.ts'
import type { ReportedUsage } from './usage.ts'

/** The model's output in the terms of a chat message. */
export interface AnswerParts {
  text: string
  refusal: string
  reasoning: string
  signed: SignedReasoning[]
  calls: ToolCall[]
  /** Output without a counterpart in chat completions, such as searches, unchanged: `content_parts`. */
  others: JsonObject[]
}

export function createParts(): AnswerParts {
  return { text: '', refusal: '', reasoning: '', signed: [], calls: [], others: [] }
}

export function toMessage({ text, refusal, reasoning, signed, calls, others }: AnswerParts): JsonObject {
  return {
    role: 'assistant',
    content: text === '' && (calls.length > 0 || refusal !== '') ? null : text,
    refusal: refusal === '' ? null : refusal,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(signed.length > 0 && { signed_reasoning: signed }),
    ...(others.length > 0 && { content_parts: others }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

interface Choice {
  message: JsonObject
  finish: string
  logprobs?: JsonObject | null
}

/** An answer with one choice. `members`: those of the completion, as the provider sent them; `defaults` replace what is missing. */
export function toPlainAnswer(
  members: JsonObject,
  { message, finish, logprobs = null }: Choice,
  usage: ReportedUsage | null,
  defaults: CompletionIdentity,
): PlainAnswer | UpstreamFailure {
  const choices = [{ index: 0, message, logprobs, finish_reason: finish }]
  const completion = normalizeCompletion({ ...members, choices }, defaults)
  return completion ? { kind: 'plain', completion, usage } : malformedAnswer('The answer has no message.')
}

/** Builds the chat events of a translated stream: chunks with one identity, and one final event. */
export class EventBuilder {
  #identity: CompletionIdentity
  /** Whether the last event was built. Whatever the upstream sends afterwards is ignored. */
  ended = false

  constructor(defaults: CompletionIdentity) {
    this.#identity = defaults
  }

  /** Adopts the upstream's answer id and model name; values that are not strings are ignored. */
  setIdentity(id: unknown, model: unknown): void {
    const previousIdentity = this.#identity
    this.#identity = {
      ...previousIdentity,
      id: stringOr(id, previousIdentity.id),
      model: stringOr(model, previousIdentity.model),
    }
  }

  delta(
    delta: ChunkChoice['delta'],
    finishReason: string | null = null,
    logprobs: JsonObject | null = null,
  ): ChatEvent[] {
    const choices = [{ index: 0, delta, ...(logprobs && { logprobs }), finish_reason: finishReason }]
    return [
      { type: 'chunk', chunk: { ...this.#identity, object: 'chat.completion.chunk', choices }, raw: null },
    ]
  }

  done(): ChatEvent[] {
    this.ended = true
    return [{ type: 'done' }]
  }

  malformed(message: string): ChatEvent[] {
    return this.fail(malformedAnswer(message))
  }

  fail(failure: UpstreamFailure): ChatEvent[] {
    this.ended = true
    return [{ type: 'failed', failure }]
  }
}

/** A complete tool call as one delta of a stream, for upstreams that send a plain answer to a streaming request. */
export function toolCallDelta(call: ToolCall, index: number): ToolCallDelta {
  const { type, function: called, ...rest } = call
  return { ...rest, index, ...(type !== undefined && { type }), ...(called && { function: called }) }
}

/** The events of an equivalent stream: each choice's message and finish reason, then usage, then `done`. */
export async function* completionEvents(answer: PlainAnswer): AsyncGenerator<ChatEvent[], void, void> {
  const events: ChatEvent[] = []
  const { usage } = answer
  const { choices, usage: _, ...members } = answer.completion
  const chunk = (choice: ChunkChoice): ChatEvent => {
    const made: ChatChunk = { ...members, object: 'chat.completion.chunk', choices: [choice] }
    return { type: 'chunk', chunk: made, raw: null }
  }
  for (const { index, message, finish_reason, ...rest } of choices) {
    const { tool_calls: calls, ...delta } = message
    const toolCalls = calls?.map(toolCallDelta)
    events.push(
      chunk({ index, delta: { ...delta, ...(toolCalls && { tool_calls: toolCalls }) }, finish_reason: null }),
      chunk({ ...rest, index, delta: {}, finish_reason: finish_reason ?? 'stop' }),
    )
  }
  if (usage) events.push({ type: 'usage', usage, members })
  events.push({ type: 'done' })
  yield events
}

const produced = ({ buckets }: ReportedUsage): number => buckets.output + buckets.audioOutput

/** Decides which of a stream's usage reports count. */
export class UsageReports {
  #last: ReportedUsage | null = null

  /**
   * Returns the event for a report, with the other fields of its chunk. Returns nothing for a report that is unreadable, or
   * that has no output tokens after an earlier one had some.
   */
  next(report: ReportedUsage | null, members?: JsonObject): ChatEvent[] {
    if (!report || (this.#last && produced(report) === 0 && produced(this.#last) > 0)) return []
    this.#last = report
    return [{ type: 'usage', usage: report, ...(members && { members }) }]
  }
}

/** Adds each unchanged event to the chat events that a format's parser reads from it. */
export class NativeStreamParser implements StreamParser {
  readonly #parser: StreamParser
  readonly #namesEvents: boolean

  /** `namesEvents`: clients tell events apart by their names, which some servers leave out. */
  constructor(parser: StreamParser, namesEvents = false) {
    this.#parser = parser
    this.#namesEvents = namesEvents
  }

  get hiddenProgress(): boolean {
    return this.#parser.hiddenProgress ?? false
  }

  get mayStall(): boolean {
    return this.#parser.mayStall ?? false
  }

  event(event: SseEvent): ChatEvent[] {
    const events = this.#parser.event(event)
    const last = events.at(-1)
    // A failure is reported in our own words.
    if (last?.type === 'failed') return events
    const name = event.event ?? (this.#namesEvents ? nameIn(event.data) : null)
    const native: ChatEvent = { type: 'native', event: name, data: event.data }
    if (this.#parser.hasFinished) native.final = true
    if (last?.type === 'done') events.splice(-1, 0, native)
    else events.push(native)
    return events
  }

  end(): ChatEvent[] {
    return this.#parser.end()
  }
}

/** The formats in which the data repeats the name as its type. */
function nameIn(data: string): string | null {
  const value = parseJson(data)
  return isObject(value) && typeof value.type === 'string' && /^[\w.]+$/.test(value.type) ? value.type : null
}
