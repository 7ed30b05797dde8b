// `n` for providers that do not support it: one call for each choice, merged into one answer.
import type { ChatRequest } from '../../shared/formats/chat.ts'
import type { ChatUsage } from '../../shared/formats/chat-completion.ts'
import type { Answer, ChatEvent, PlainAnswer, StreamAnswer } from '../formats/chat/events.ts'
import { UpstreamFailure } from '../formats/chat/failure.ts'
import { type ReportedUsage, sumUsage } from '../formats/chat/usage.ts'

export interface FanOut {
  /** One for each choice; at least two. */
  calls: number
  request: ChatRequest
  signal: AbortSignal
  /** Choices of a plain answer that were answered before; those of this time are added, also when others fail. */
  answered: PlainAnswer[]
}

type Send = (call: { request: ChatRequest; signal: AbortSignal }) => Promise<Answer>

/**
 * One answer with all choices of the request, by concurrent calls. Of plain calls,
 * only those that are not in `answered` are made, and the first failure is thrown once all have ended. The first stream
 * that fails aborts the others.
 */
export async function fanOut(input: FanOut, send: Send): Promise<Answer> {
  const { calls: n, request, signal, answered } = input
  const single = { ...request, n: 1 }
  if (request.stream)
    return await fanOutStreams(n, signal, (streamSignal) => send({ request: single, signal: streamSignal }))
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
  const streamSignal = AbortSignal.any([signal, abort.signal])
  let begun = 0
  const calls = Array.from({ length: n }, async () => {
    const answer = await send(streamSignal)
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
    throw new UpstreamFailure({ ...error, message: error.message, partiallyAnswered: true })
  }
}

/** One answer of the first choice of each; null for none. */
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

/** The chunks of all streams as they come; done when all are, failed when one is. `abort` ends them all. */
async function* mergeStreams(
  streams: readonly StreamAnswer[],
  abort: AbortController,
): AsyncGenerator<ChatEvent[], void, void> {
  const iterators = streams.map(({ events }) => events[Symbol.asyncIterator]())
  const usages: (ReportedUsage | null)[] = streams.map(() => null)
  const pull = async (index: number) => ({ index, result: await iterators[index]?.next() })
  const waiting = new Map(iterators.map((_, index) => [index, pull(index)]))
  try {
    while (waiting.size > 0) {
      const { index, result } = await Promise.race(waiting.values())
      const batch = !result || result.done ? [] : result.value
      const last = batch.at(-1)
      if (!last || last.type === 'done') waiting.delete(index)
      else if (last.type !== 'failed') waiting.set(index, pull(index))
      const report = batch.findLast((event) => event.type === 'usage')
      if (report) usages[index] = report.usage
      const chunks = batch.flatMap((event) => asChoice(event, index))
      if (last?.type === 'failed') chunks.push(last)
      if (chunks.length > 0) yield chunks
      if (last?.type === 'failed') return
    }
    const usage = sumReports(usages)
    yield usage ? [{ type: 'usage', usage }, { type: 'done' }] : [{ type: 'done' }]
  } finally {
    abort.abort()
    await Promise.allSettled(waiting.values())
    await Promise.allSettled(iterators.map((iterator) => iterator.return?.()))
  }
}

/** A chunk of one stream as that of a choice; nothing for other events. */
function asChoice(event: ChatEvent, index: number): ChatEvent[] {
  if (event.type !== 'chunk') return []
  const choices = event.chunk.choices.map((choice) => ({ ...choice, index }))
  return [{ type: 'chunk', chunk: { ...event.chunk, choices }, raw: null }]
}

/** The sum of all calls, each of which was billed. Null unless every call has reported. */
function sumReports(all: readonly (ReportedUsage | null)[]): ReportedUsage | null {
  const reports = all.filter((usage) => usage !== null)
  if (reports.length < all.length) return null
  const sum = (field: 'prompt_tokens' | 'completion_tokens' | 'total_tokens'): number =>
    reports.reduce((total, { asChatUsage }) => total + asChatUsage[field], 0)
  const costs = reports.map(({ costUsd }) => costUsd).filter((cost) => cost !== null)
  const asChatUsage: ChatUsage = {
    prompt_tokens: sum('prompt_tokens'),
    completion_tokens: sum('completion_tokens'),
    total_tokens: sum('total_tokens'),
  }
  return {
    buckets: sumUsage(reports.map(({ buckets }) => buckets)),
    calls: reports.map(({ buckets }) => buckets),
    costUsd: costs.length === reports.length ? costs.reduce((total, cost) => total + cost, 0) : null,
    ...getTier(reports),
    asChatUsage,
  }
}

/** The tier of all reports; `several`, which has no price, where they differ. */
function getTier(reports: readonly ReportedUsage[]): Pick<ReportedUsage, 'otherTier'> {
  const [tier, ...others] = new Set(reports.map(({ otherTier }) => otherTier))
  if (others.length > 0) return { otherTier: 'several' }
  return tier === undefined ? {} : { otherTier: tier }
}
