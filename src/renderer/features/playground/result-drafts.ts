// Providers require the results of all parallel tool calls of an answer, so they are sent together.
import type { Exchange, ToolResult, ToolUse } from '../../parts/chats/chat-storage.ts'
import { getAnswer, listColumns } from '../../parts/chats/chat-tree.ts'

/** The typed results, by column and then by the id of the call. */
export type ResultDrafts = ReadonlyMap<number, ReadonlyMap<string, string>>

export function setDraft(drafts: ResultDrafts, column: number, callId: string, text: string): ResultDrafts {
  return new Map(drafts).set(column, new Map(drafts.get(column)).set(callId, text))
}

/** The tool calls of a column that have no results yet. */
export function listOpenCalls(exchange: Exchange, column: number): readonly ToolUse[] {
  const answer = getAnswer(exchange, column)
  return answer?.state === 'done' ? answer.toolUses : []
}

export interface CollectedResults {
  /** The results of the columns in which every call has one. */
  results: ToolResult[]
  /** How many are missing in the columns with at least one result, or in all of them if there is none. */
  missing: number
}

/** Skips columns without any result if there are several. */
export function collectResults(exchange: Exchange, drafts: ResultDrafts): CollectedResults {
  const columns = listColumns(exchange).flatMap((column) => {
    const calls = listOpenCalls(exchange, column)
    if (calls.length === 0) return []
    const results = calls.flatMap(({ id, name }) => {
      const content = drafts.get(column)?.get(id) ?? ''
      return content.trim() === '' ? [] : [{ column, callId: id, name, content }]
    })
    return [{ results, missing: calls.length - results.length }]
  })
  const started = columns.filter(({ results }) => results.length > 0)
  return {
    results: started.flatMap(({ results, missing }) => (missing === 0 ? results : [])),
    missing: (started.length > 0 ? started : columns).reduce((sum, { missing }) => sum + missing, 0),
  }
}
