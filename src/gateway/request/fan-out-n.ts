// `n` for providers that do not support it: one call for each choice, merged into one answer.
import type { ChatRequest } from '../../shared/chat.ts'
import type { Answer, PlainAnswer } from '../formats/events.ts'
import { refuseRequest } from '../formats/refuse-request.ts'
import type { Target } from '../formats/target.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import { mergePlain, mergeStreams } from './merge-answers.ts'

/** More choices than this are not worth a call each. */
const MAX_CALLS = 8

export interface FanOut {
  target: Pick<Target, 'quirks'>
  request: ChatRequest
  signal: AbortSignal
  /** Choices of a plain answer that were answered before; those of this time are added, also when others fail. */
  answered: PlainAnswer[]
}

type Send = (call: { request: ChatRequest; signal: AbortSignal }) => Promise<Answer>

/**
 * How many calls a request takes at a target: one for each choice where the target has no `n`. Throws the failure that
 * says that they would be too many.
 */
export function countCalls(target: Pick<Target, 'quirks'>, request: ChatRequest): number {
  const n = request.n ?? 1
  if (!target.quirks.noN || n === 1) return 1
  if (n > MAX_CALLS) {
    throw refuseRequest(
      `This provider gives one choice a call, and at most ${MAX_CALLS} calls are made: "n" must be ${MAX_CALLS} or less.`,
      'n',
    )
  }
  return n
}

/**
 * One answer with all choices of the request. Where the target has no `n`, the calls are concurrent. Of plain calls,
 * only those that are not in `answered` are made, and the first failure is thrown once all have ended. The first stream
 * that fails aborts the others.
 */
export async function fanOut(input: FanOut, send: Send): Promise<Answer> {
  const { target, request, signal, answered } = input
  const n = countCalls(target, request)
  if (n === 1) return await send({ request, signal })
  const single = { ...request, n: 1 }
  if (request.stream) return await fanOutStreams(n, signal, (each) => send({ request: single, signal: each }))
  const calls = Array.from({ length: n - answered.length }, () => send({ request: single, signal }))
  const outcomes = await Promise.allSettled(calls)
  for (const outcome of outcomes)
    if (outcome.status === 'fulfilled' && outcome.value.kind === 'plain') answered.push(outcome.value)
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
  const merged = mergePlain(answered)
  if (!merged) throw new TypeError('a plain request was answered with a stream')
  return merged
}

async function fanOutStreams(
  n: number,
  signal: AbortSignal,
  send: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const abort = new AbortController()
  const each = AbortSignal.any([signal, abort.signal])
  let begun = 0
  const calls = Array.from({ length: n }, async () => {
    const answer = await send(each)
    begun += 1
    return answer
  })
  try {
    const answers = await Promise.all(calls)
    const streams = answers.filter((answer) => answer.kind === 'stream')
    return { kind: 'stream', events: mergeStreams(streams, abort) }
  } catch (error) {
    abort.abort()
    const outcomes = await Promise.allSettled(calls)
    for (const outcome of outcomes)
      if (outcome.status === 'fulfilled' && outcome.value.kind === 'stream')
        await outcome.value.events[Symbol.asyncIterator]().return?.()
    if (begun === 0 || !(error instanceof UpstreamFailure)) throw error
    // The other streams had begun, so their provider worked, even if this one failed.
    throw new UpstreamFailure({ ...error, message: error.message, begun: true })
  }
}
