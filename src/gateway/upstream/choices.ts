// Owns `n` for vendors that have none: one call for each choice, merged into one answer.
// Knows nothing of wires: it is handed the way to make one call.
import type { ChatRequest, ChatUsage } from '../../shared/chat.ts'
import type { UsageBuckets } from '../../shared/requests.ts'
import type { Answer, ChatEvent, PlainAnswer, ReportedUsage, StreamAnswer } from '../chat/events.ts'
import type { Target } from './target.ts'

type Call = (request: ChatRequest, signal: AbortSignal) => Promise<Answer>

function sumBuckets(all: readonly UsageBuckets[]): UsageBuckets {
  const sum = (bucket: keyof UsageBuckets): number =>
    all.reduce((total, buckets) => total + buckets[bucket], 0)
  return {
    input: sum('input'),
    cacheRead: sum('cacheRead'),
    cacheWrite5m: sum('cacheWrite5m'),
    cacheWrite1h: sum('cacheWrite1h'),
    audioInput: sum('audioInput'),
    output: sum('output'),
    audioOutput: sum('audioOutput'),
    reasoning: sum('reasoning'),
  }
}

/** The counts of all calls together: each was billed on its own. Null unless every call has reported. */
function sumUsage(all: readonly (ReportedUsage | null)[]): ReportedUsage | null {
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
    buckets: sumBuckets(reports.map(({ buckets }) => buckets)),
    costUsd: costs.length === reports.length ? costs.reduce((total, cost) => total + cost, 0) : null,
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
    usage: sumUsage(answers.map(({ usage }) => usage)),
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
    const usage = sumUsage(usages)
    if (usage) yield { type: 'usage', usage }
    yield { type: 'done' }
  } finally {
    abort.abort()
    await Promise.allSettled(waiting.values())
    await Promise.allSettled(iterators.map((iterator) => iterator.return?.()))
  }
}

/**
 * One answer with all the choices asked for. Where the target has no `n`, the calls run side by side; the first
 * failure ends the others and is thrown.
 */
export async function answerChoices(
  target: Target,
  request: ChatRequest,
  signal: AbortSignal,
  call: Call,
): Promise<Answer> {
  const n = request.n ?? 1
  if (!target.quirks.noN || n === 1) return await call(request, signal)
  const abort = new AbortController()
  const each = AbortSignal.any([signal, abort.signal])
  const single = { ...request, n: 1 }
  const calls = Array.from({ length: n }, () => call(single, each))
  try {
    const answers = await Promise.all(calls)
    const streams = answers.filter((answer) => answer.kind === 'stream')
    if (streams.length > 0) return { kind: 'stream', events: mergeStreams(streams, abort) }
    return mergePlain(answers.filter((answer) => answer.kind === 'plain')) ?? (await call(request, signal))
  } catch (error) {
    abort.abort()
    await Promise.allSettled(calls)
    throw error
  }
}
