// Owns `n` for vendors that have none: one call for each choice, merged into one answer.
// Knows nothing of API formats: it is handed the way to make one call.
import type { ChatRequest } from '../../shared/chat.ts'
import type { ChatUsage } from '../../shared/chat-completion.ts'
import type { Answer, ChatEvent, PlainAnswer, StreamAnswer } from '../formats/events.ts'
import { refuseRequest } from '../formats/refuse-request.ts'
import type { Target } from '../formats/target.ts'
import { type ReportedUsage, sumUsage } from '../formats/token-usage.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'

/** More choices than this are not worth a call each. */
const MOST_CALLS = 8

type Call = (request: ChatRequest, signal: AbortSignal) => Promise<Answer>

/** The counts of all calls together: each was billed on its own. Null unless every call has reported. */
function sumReports(all: readonly (ReportedUsage | null)[]): ReportedUsage | null {
  const reports = all.filter((usage) => usage !== null)
  if (reports.length < all.length) return null
  const tokens = (field: 'prompt_tokens' | 'completion_tokens' | 'total_tokens'): number =>
    reports.reduce((total, { asChatUsage }) => total + asChatUsage[field], 0)
  const costs = reports.map(({ costUsd }) => costUsd).filter((cost) => cost !== null)
  const asChatUsage: ChatUsage = {
    prompt_tokens: tokens('prompt_tokens'),
    completion_tokens: tokens('completion_tokens'),
    total_tokens: tokens('total_tokens'),
  }
  return {
    buckets: sumUsage(reports.map(({ buckets }) => buckets)),
    calls: reports.map(({ buckets }) => buckets),
    costUsd: costs.length === reports.length ? costs.reduce((total, cost) => total + cost, 0) : null,
    ...(reports.some(({ otherTier }) => otherTier) && { otherTier: true }),
    asChatUsage,
  }
}

function mergePlain(answers: readonly PlainAnswer[]): PlainAnswer | null {
  const [first] = answers
  if (!first) return null
  const choices = answers.flatMap(({ completion }, index) =>
    completion.choices.slice(0, 1).map((choice) => ({ ...choice, index })),
  )
  return {
    kind: 'plain',
    completion: { ...first.completion, choices },
    usage: sumReports(answers.map(({ usage }) => usage)),
  }
}

/** Chunks as they come, from whichever call; done when all are, failed when one is. */
async function* mergeStreams(
  streams: readonly StreamAnswer[],
  abort: AbortController,
): AsyncGenerator<ChatEvent, void, void> {
  const iterators = streams.map(({ events }) => events[Symbol.asyncIterator]())
  const usages: (ReportedUsage | null)[] = streams.map(() => null)
  const pull = async (index: number) => ({ index, result: await iterators[index]?.next() })
  const waiting = new Map(iterators.map((_, index) => [index, pull(index)]))
  try {
    while (waiting.size > 0) {
      const { index, result } = await Promise.race(waiting.values())
      const event: ChatEvent | undefined = result?.value
      if (!result || result.done || !event || event.type === 'done') {
        waiting.delete(index)
        continue
      }
      if (event.type === 'failed') {
        yield event
        return
      }
      waiting.set(index, pull(index))
      if (event.type === 'usage') usages[index] = event.usage
      else
        yield {
          type: 'chunk',
          chunk: { ...event.chunk, choices: event.chunk.choices.map((c) => ({ ...c, index })) },
          raw: null,
        }
    }
    const usage = sumReports(usages)
    if (usage) yield { type: 'usage', usage }
    yield { type: 'done' }
  } finally {
    abort.abort()
    await Promise.allSettled(waiting.values())
    await Promise.allSettled(iterators.map((iterator) => iterator.return?.()))
  }
}

/**
 * How many calls a request takes at a target: one for each choice where the target has no `n`. Throws the failure that
 * says that they would be too many.
 */
export function callsFor(target: Pick<Target, 'quirks'>, request: ChatRequest): number {
  const n = request.n ?? 1
  if (!target.quirks.noN || n === 1) return 1
  if (n > MOST_CALLS) {
    throw refuseRequest(
      `This provider gives one choice a call, and at most ${MOST_CALLS} calls are made: "n" must be ${MOST_CALLS} or less.`,
      'n',
    )
  }
  return n
}

/**
 * One answer with all the choices asked for. Where the target has no `n`, the calls run side by side. Of plain calls
 * that do not all succeed, those that did are left in `answered`, and are not made again when the target is tried
 * again; the first failure is thrown. The first stream that fails ends the others.
 */
export async function answerChoices(
  target: Target,
  request: ChatRequest,
  signal: AbortSignal,
  call: Call,
  answered: PlainAnswer[] = [],
): Promise<Answer> {
  const n = callsFor(target, request)
  if (n === 1) return await call(request, signal)
  const single = { ...request, n: 1 }
  if (request.stream) return await streamChoices(n, single, signal, call)
  const calls = Array.from({ length: n - answered.length }, () => call(single, signal))
  const outcomes = await Promise.allSettled(calls)
  for (const outcome of outcomes)
    if (outcome.status === 'fulfilled' && outcome.value.kind === 'plain') answered.push(outcome.value)
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
  const merged = mergePlain(answered)
  if (!merged) throw new TypeError('a plain request was answered with a stream')
  return merged
}

async function streamChoices(
  n: number,
  single: ChatRequest,
  signal: AbortSignal,
  call: Call,
): Promise<Answer> {
  const abort = new AbortController()
  const each = AbortSignal.any([signal, abort.signal])
  let begun = 0
  const calls = Array.from({ length: n }, async () => {
    const answer = await call(single, each)
    begun += 1
    return answer
  })
  try {
    const answers = await Promise.all(calls)
    return {
      kind: 'stream',
      events: mergeStreams(
        answers.filter((answer) => answer.kind === 'stream'),
        abort,
      ),
    }
  } catch (error) {
    abort.abort()
    const outcomes = await Promise.allSettled(calls)
    for (const outcome of outcomes)
      if (outcome.status === 'fulfilled' && outcome.value.kind === 'stream')
        await outcome.value.events[Symbol.asyncIterator]().return?.()
    if (begun === 0 || !(error instanceof UpstreamFailure)) throw error
    // The streams that had begun were cut off: their provider has worked, whatever became of this one.
    throw new UpstreamFailure({ ...error, message: error.message, begun: true })
  }
}
