// Owns when typed results of tools can be sent: the calls of a column need all of theirs, as providers take no fewer. Pure.

import type { Exchange, ToolResult, ToolUse } from '../../playground/chat-storage.ts'
import { getAnswer, listColumns } from '../../playground/chat-tree.ts'

/** What is typed, by column and then by the call's id. */
export type ResultDrafts = ReadonlyMap<number, ReadonlyMap<string, string>>

export function withDraft(drafts: ResultDrafts, column: number, callId: string, text: string): ResultDrafts {
  return new Map(drafts).set(column, new Map(drafts.get(column)).set(callId, text))
}

/** The calls of a column that wait for results. */
export function openCalls(exchange: Exchange, column: number): readonly ToolUse[] {
  const answer = getAnswer(exchange, column)
  return answer?.state === 'done' ? answer.toolUses : []
}

export interface ResultsReady {
  /** Of the columns whose calls all have one. */
  results: ToolResult[]
  /** How many are still to be typed in the columns that were begun, or in all of them when none was. */
  missing: number
}

/** Of columns side by side, one may be left out as a whole: it is not asked then. */
export function resultsReady(exchange: Exchange, drafts: ResultDrafts): ResultsReady {
  const columns = listColumns(exchange).flatMap((column) => {
    const calls = openCalls(exchange, column)
    if (calls.length === 0) return []
    const results = calls.flatMap(({ id, name }) => {
      const content = drafts.get(column)?.get(id) ?? ''
      return content.trim() === '' ? [] : [{ column, callId: id, name, content }]
    })
    return [{ results, missing: calls.length - results.length }]
  })
  const begun = columns.filter(({ results }) => results.length > 0)
  return {
    results: begun.flatMap(({ results, missing }) => (missing === 0 ? results : [])),
    missing: (begun.length > 0 ? begun : columns).reduce((sum, { missing }) => sum + missing, 0),
  }
}
