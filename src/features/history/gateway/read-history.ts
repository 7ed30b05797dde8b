// The usage that the coding agents of a home folder have written to their logs, of which nothing else is kept.

import { getOrCreate } from '../../../gateway/platform/maps.ts'
import type { NotCounted } from '../../../shared/api/history.ts'
import { HISTORY_TOOL_NAMES, HISTORY_TOOLS, type HistoryTool } from '../../../shared/api/history-tools.ts'
import { NANO_PER_USD } from '../../../shared/money/money.ts'
import { type Comparison, Findings, type History, type Skipped } from './findings.ts'
import type { HistoryPrices } from './history-prices.ts'
import { claudeCode } from './readers/claude-code.ts'
import { cline } from './readers/cline.ts'
import { codex } from './readers/codex.ts'
import { copilot } from './readers/copilot.ts'
import { gemini } from './readers/gemini.ts'
import { kilo, opencode } from './readers/opencode.ts'
import { pi } from './readers/pi.ts'
import { qwen } from './readers/qwen.ts'
import { type Place, type Reader, SKIP_REASONS, type Tokens, type UsageRow } from './readers/reader.ts'

export const readers: Readonly<Record<HistoryTool, Reader>> = {
  'claude-code': claudeCode,
  codex,
  gemini,
  opencode,
  kilo,
  qwen,
  copilot,
  pi,
  cline,
}

interface HistorySum {
  calls: number
  tokens: Tokens
  webSearches: number
  /** At the list prices of that time, without the calls of `unpricedCalls`. */
  costUsd: number
  /** Calls of models without a known list price. */
  unpricedCalls: number
}

export interface ToolHistory extends HistorySum {
  tool: HistoryTool
  name: string
  /** The folders and files in which its logs are looked for. */
  places: string[]
  /** Date-times; null without a call. */
  firstAt: string | null
  lastAt: string | null
  models: (HistorySum & { model: string })[]
  notCounted: NotCounted[]
  /** Of the sessions whose sums the tool states itself; null for none, and for a part of the time. */
  comparison: Comparison | null
}

export interface HistoryOptions extends Place {
  /** Only calls from then on; milliseconds since 1970. */
  since?: number | undefined
  /** All if absent. */
  tool?: HistoryTool | undefined
}

/** Sums up the logs of one tool after another. Nothing is written or sent. */
export async function readHistory({ since = 0, tool, ...place }: HistoryOptions): Promise<ToolHistory[]> {
  // The price list is large, and other commands that load this file need none.
  const { HistoryPrices: Prices } = await import('./history-prices.ts')
  const prices = new Prices()
  const histories: ToolHistory[] = []
  for (const each of tool === undefined ? HISTORY_TOOLS : [tool]) {
    const { rows, skipped, comparison } = await readCalls(each, place)
    histories.push({
      tool: each,
      name: HISTORY_TOOL_NAMES[each],
      places: readers[each].locate(place),
      ...summarize(
        rows.filter(({ time }) => time >= since),
        prices,
      ),
      notCounted: describeSkipped(skipped),
      comparison: since > 0 ? null : comparison,
    })
  }
  return histories
}

export function describeSkipped(skipped: readonly Skipped[]): NotCounted[] {
  return skipped.map(({ reason, ...counts }) => ({ ...counts, ...SKIP_REASONS[reason] }))
}

/** Reads the logs of a tool: a row for each call. */
export async function readCalls(tool: HistoryTool, place: Place): Promise<History> {
  const findings = new Findings()
  await readers[tool].read(place, findings)
  return findings.finish()
}

type Sums = Pick<ToolHistory, keyof HistorySum | 'firstAt' | 'lastAt' | 'models'>

function summarize(rows: readonly UsageRow[], prices: HistoryPrices): Sums {
  const total = new Sum()
  const models = new Map<string, Sum>()
  let [first, last] = [Infinity, -Infinity]
  for (const row of rows) {
    const nano = prices.compute(row)?.nano ?? null
    total.add(row, nano)
    getOrCreate(models, row.model, () => new Sum()).add(row, nano)
    first = Math.min(first, row.time)
    last = Math.max(last, row.time)
  }
  const toDate = (time: number) => (rows.length === 0 ? null : new Date(time).toISOString())
  return {
    ...total.finish(),
    firstAt: toDate(first),
    lastAt: toDate(last),
    models: [...models].map(([model, sum]) => ({ model, ...sum.finish() })),
  }
}

class Sum {
  readonly #tokens = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 }
  #calls = 0
  #webSearches = 0
  #nano = 0
  #unpricedCalls = 0

  add({ tokens, calls, webSearches }: UsageRow, nano: number | null): void {
    this.#calls += calls
    this.#webSearches += webSearches
    this.#nano += nano ?? 0
    this.#unpricedCalls += nano === null ? calls : 0
    for (const bucket of Object.keys(this.#tokens) as (keyof Tokens)[]) this.#tokens[bucket] += tokens[bucket]
  }

  finish(): HistorySum {
    return {
      calls: this.#calls,
      tokens: this.#tokens,
      webSearches: this.#webSearches,
      costUsd: this.#nano / NANO_PER_USD,
      unpricedCalls: this.#unpricedCalls,
    }
  }
}
