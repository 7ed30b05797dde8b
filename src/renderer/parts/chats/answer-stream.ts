import { flushSync } from 'react-dom'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { growCall } from '../../../shared/formats/answer-assembler.ts'
import type { ChatPart } from '../../data/chat-stream.ts'
import type { ApiError } from '../../kit/api-error.ts'
import { tokensPerSecond } from '../../kit/output-speed.ts'
import type { Answer, ToolUse } from './chat.ts'

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

/** The shortest time between two batches: about a frame. */
const FRAME_MS = 16

/**
 * Collects the parts of a stream, and applies them in batches. Rendering a long answer takes long, so the next batch waits for
 * twice the time that the last one took: input is handled in between.
 */
export function createBatch(apply: (parts: readonly TimedPart[]) => void) {
  let parts: TimedPart[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let waitMs = FRAME_MS
  /** Applies what was collected now. */
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const batch = parts
    parts = []
    if (batch.length === 0) return
    const start = performance.now()
    // React would otherwise render later, and the measured time would be zero.
    flushSync(() => apply(batch))
    waitMs = Math.max(FRAME_MS, 2 * (performance.now() - start))
  }
  const add = (part: TimedPart) => {
    parts.push(part)
    timer ??= setTimeout(flush, waitMs)
  }
  return { add, flush }
}
