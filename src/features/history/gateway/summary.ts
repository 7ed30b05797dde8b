// The result of an import in words.

import type { ImportResult, NotCounted } from '../../../shared/api/history.ts'
import type { HistoryTool } from '../../../shared/api/history-tools.ts'
import type { ImportedTool } from './imported-usage-rows.ts'

interface Imported extends Pick<ImportResult, 'outcome' | 'tools'> {
  /** Why it failed. */
  error: string | null
  /** What the store has. */
  imported: readonly ImportedTool[]
  /** Only this one was imported; all if absent. */
  tool: HistoryTool | undefined
  timeZone: string
}

const counts = new Intl.NumberFormat('en-US')

/** Such as: 12,431 calls of 5 tools since August 3, 2026. 214 calls not counted, because they are requests of this gateway. */
export function summarizeImport({ outcome, error, tools, imported, tool, timeZone }: Imported): string {
  const stored = imported.filter((each) => tool === undefined || each.tool === tool)
  const used = stored.filter(({ calls }) => calls > 0)
  const calls = sum(used.map((each) => each.calls))
  const added = sum(tools.map((each) => each.calls))
  const first = Math.min(...stored.map(({ firstAt }) => firstAt ?? Infinity))
  const since = Number.isFinite(first)
    ? ` since ${new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone }).format(first)}`
    : ''
  const fresh = added < calls ? `, ${added === 0 ? 'none' : counts.format(added)} of them new` : ''
  return [
    ...(outcome === 'canceled' ? ['Canceled.'] : error === null ? [] : [`Failed: ${error}`]),
    `${count(calls, 'call')} of ${count(used.length, 'tool')}${since}${fresh}.`,
    ...listNotCounted(stored, tools).map(
      ({ count: number, noun, because }) => `${count(number, noun)} not counted, because ${because}.`,
    ),
  ].join(' ')
}

/** Calls that are stored and do not count, and what could not be stored. */
function listNotCounted(
  stored: readonly ImportedTool[],
  tools: ImportResult['tools'],
): Pick<NotCounted, 'count' | 'noun' | 'because'>[] {
  const all = [
    ...REASONS.map(({ name, because }) => ({
      count: sum(stored.map((each) => each[name])),
      noun: 'call',
      because,
    })),
    ...tools.flatMap(({ notCounted }) => notCounted),
  ]
  const byReason = Map.groupBy(all, ({ noun, because }) => `${noun} ${because}`)
  return [...byReason.values()].flatMap((same) => {
    const { 0: first } = same
    const number = sum(same.map((each) => each.count))
    return first && number > 0 ? [{ ...first, count: number }] : []
  })
}

const REASONS = [
  { name: 'metered', because: 'Tollgate has metered them' },
  { name: 'repeated', because: 'sub-agents repeat those of their main agent' },
  { name: 'uncertain', because: 'Tollgate may have metered them, and has deleted its records of that time' },
] as const

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function count(number: number, noun: string): string {
  return `${counts.format(number)} ${noun}${number === 1 ? '' : 's'}`
}
