import type { ChatUsage } from '../../shared/chat-completion.ts'
import type { ChatEvent, PlainAnswer, StreamAnswer } from '../formats/events.ts'
import { type ReportedUsage, sumUsage } from '../formats/token-usage.ts'

/** One answer of the first choice of each; null for none. */
export function mergePlain(answers: readonly PlainAnswer[]): PlainAnswer | null {
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
export async function* mergeStreams(
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
    ...tierOf(reports),
    asChatUsage,
  }
}

/** The tier of all reports; `several`, which has no price, where they differ. */
function tierOf(reports: readonly ReportedUsage[]): Pick<ReportedUsage, 'otherTier'> {
  const [tier, ...others] = new Set(reports.map(({ otherTier }) => otherTier))
  if (others.length > 0) return { otherTier: 'several' }
  return tier === undefined ? {} : { otherTier: tier }
}
