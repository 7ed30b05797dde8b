import type { RequestRecord } from '../../../shared/api/requests.ts'
import { growCall } from '../../../shared/formats/answer-assembler.ts'
import type { ChatPart } from '../../data/chat-stream.ts'
import type { ApiError } from '../../kit/api-error.ts'
import { tokensPerSecond } from '../../kit/output-speed.ts'
import type { Answer, ToolUse } from './chat-storage.ts'

export interface TimedPart {
  part: ChatPart
  /** Milliseconds from the request to its arrival. */
  ms: number
}

/** The answer after parts of its stream. */
export function applyParts(answer: Answer, parts: readonly TimedPart[]): Answer {
  let next = answer
  for (const { part, ms } of parts) next = { ...next, ...applyPart(next, part, ms) }
  return next
}

/**
 * The fields of an answer that a part of its stream changes. `ms` is the time since the request was sent; times that are
 * known already are those of the request's record.
 */
function applyPart(answer: Answer, part: ChatPart, ms: number): Partial<Answer> {
  const firstTokenMs = answer.firstTokenMs ?? ms
  switch (part.type) {
    case 'started':
      return { requestId: part.requestId, model: part.model ?? answer.model }
    case 'text':
      return { text: answer.text + part.text, firstTokenMs }
    case 'reasoning':
      return { reasoning: answer.reasoning + part.text, firstTokenMs }
    case 'tool':
      return { toolUses: appendToolDelta(answer.toolUses, part), firstTokenMs }
    case 'model':
      return { model: part.model }
    case 'usage':
      return { tokensIn: part.tokensIn, tokensOut: part.tokensOut, costUsd: part.costUsd }
    case 'finished':
      return { state: 'done', ms: answer.ms ?? ms }
    default:
      part satisfies never
      return {}
  }
}

function appendToolDelta(uses: readonly ToolUse[], delta: Extract<ChatPart, { type: 'tool' }>): ToolUse[] {
  const use = growCall(uses[delta.index], delta)
  return delta.index < uses.length ? uses.with(delta.index, use) : [...uses, use]
}

/** The fields of an answer whose stream ended early: stopped by the user, or failed. */
export function interruptAnswer(
  answer: Answer,
  { message, code, type, requestId }: ApiError,
  stopped: boolean,
  ms: number,
): Partial<Answer> {
  if (stopped) return { state: 'stopped', ms: answer.ms ?? ms }
  return {
    state: 'failed',
    ms: answer.ms ?? ms,
    error: { message, code, type },
    requestId: answer.requestId ?? requestId,
  }
}

/** The tokens, the cost and the times of an answer, from the record of its request. */
export function readRecord(record: RequestRecord): Partial<Answer> {
  const { tokensIn, tokensOut, costUsd, costStatus, sample, timings } = record
  const isFinal = costStatus === 'exact' || costStatus === 'free'
  return {
    tokensIn,
    tokensOut,
    costUsd,
    costNote: sample && costUsd ? 'sample' : isFinal ? null : costStatus,
    ...(timings.totalMs === null
      ? {}
      : {
          ms: timings.totalMs,
          firstTokenMs: timings.firstByteMs,
          tokensPerSecond: tokensPerSecond(record),
        }),
  }
}

/** The longest wait for an animation frame; a hidden window has none. */
const MAX_WAIT_MS = 250
/** After this long without a pause, reading lets the window handle input. */
const MAX_READ_MS = 8

/**
 * Collects the parts of a stream and applies them at most once per animation frame, and for at most half of the time: the
 * next batch waits for as long as the window took to show the last one.
 */
export class PartBatch {
  #parts: TimedPart[] = []
  #frame = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #notBefore = 0
  readonly #apply: (parts: readonly TimedPart[]) => void

  constructor(apply: (parts: readonly TimedPart[]) => void) {
    this.#apply = apply
  }

  add(part: TimedPart): void {
    this.#parts.push(part)
    if (this.#timer === undefined) this.#schedule()
  }

  /** Applies what was collected now. */
  flush(): void {
    cancelAnimationFrame(this.#frame)
    clearTimeout(this.#timer)
    this.#timer = undefined
    const parts = this.#parts
    this.#parts = []
    if (parts.length > 0) this.#apply(parts)
  }

  #schedule(): void {
    this.#frame = requestAnimationFrame(this.#onFrame)
    this.#timer = setTimeout(() => this.flush(), MAX_WAIT_MS)
  }

  readonly #onFrame = (): void => {
    const start = performance.now()
    if (start < this.#notBefore) {
      this.#frame = requestAnimationFrame(this.#onFrame)
      return
    }
    this.flush()
    // React renders at the end of this task.
    setTimeout(() => {
      const end = performance.now()
      this.#notBefore = end + (end - start)
    })
  }
}

/**
 * Returns a function that pauses reading for a moment when it has taken long, for example when many parts arrived together.
 */
export function createPause(): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < MAX_READ_MS) return undefined
    return new Promise((resume) =>
      setTimeout(() => {
        since = performance.now()
        resume()
      }),
    )
  }
}
