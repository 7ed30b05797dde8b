// Owns when typed results of tools can be sent: the calls of a lane need all of theirs, as providers take no fewer. Pure.

import type { Exchange, ToolResult, ToolUse } from '../../playground/chat-storage.ts'
import { answerOf, lanesOf } from '../../playground/chat-tree.ts'

/** What is typed, by lane and then by the call's id. */
export type ResultDrafts = ReadonlyMap<number, ReadonlyMap<string, string>>

export function withDraft(drafts: ResultDrafts, lane: number, callId: string, text: string): ResultDrafts {
  return new Map(drafts).set(lane, new Map(drafts.get(lane)).set(callId, text))
}

/** The calls of a lane that wait for results. */
export function openCalls(exchange: Exchange, lane: number): readonly ToolUse[] {
  const answer = answerOf(exchange, lane)
  return answer?.state === 'done' ? answer.toolUses : []
}

export interface ResultsReady {
  /** Of the lanes whose calls all have one. */
  results: ToolResult[]
  /** How many are still to be typed in the lanes that were begun, or in all of them when none was. */
  missing: number
}

/** Of lanes side by side, one may be left out as a whole: it is not asked then. */
export function resultsReady(exchange: Exchange, drafts: ResultDrafts): ResultsReady {
  const lanes = lanesOf(exchange).flatMap((lane) => {
    const calls = openCalls(exchange, lane)
    if (calls.length === 0) return []
    const results = calls.flatMap(({ id, name }) => {
      const content = drafts.get(lane)?.get(id) ?? ''
      return content.trim() === '' ? [] : [{ lane, callId: id, name, content }]
    })
    return [{ results, missing: calls.length - results.length }]
  })
  const begun = lanes.filter(({ results }) => results.length > 0)
  return {
    results: begun.flatMap(({ results, missing }) => (missing === 0 ? results : [])),
    missing: (begun.length > 0 ? begun : lanes).reduce((sum, { missing }) => sum + missing, 0),
  }
}
