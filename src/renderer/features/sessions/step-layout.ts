// Where the requests of a session are on its time axis. Long pauses, in which the user reads or thinks, are shortened: otherwise all
// requests of a session of hours would be hairlines.
import { getBranchKey } from '../../../shared/api/agent-tree.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import type { SessionStep } from '../../../shared/api/sessions.ts'

/** Pauses longer than this are shortened. */
const LONG_MS = 60_000
/** The part of the axis for a shortened pause, relative to the time in which something ran. */
const PAUSE_PART = 0.04

export interface Step {
  record: RequestRecord
  /** The offset from the beginning of the session, in milliseconds. */
  offsetMs: number
  durationMs: number
  /** The place on the axis, from 0 to 1. */
  from: number
  to: number
  /** The cost of this step and all before it, in USD. */
  totalUsd: number
  /** The pause before it, if it is a long one; otherwise 0. */
  pauseMs: number
}

/** `records` from the first to the last. A request that runs lasts until now. */
export function layoutSteps(records: readonly RequestRecord[], nowMs: number): Step[] {
  const first = records[0]
  if (first === undefined) return []
  const begin = Date.parse(first.createdAt)
  const spans = records.map((record) => {
    const start = Date.parse(record.createdAt)
    return { record, start, end: start + computeDuration(record, start, nowMs) }
  })
  const pauses: number[] = []
  let busyUntil = begin
  let busyMs = 0
  for (const { start, end } of spans) {
    const gap = Math.max(0, start - busyUntil)
    pauses.push(gap > LONG_MS ? gap : 0)
    busyMs += (gap > LONG_MS ? 0 : gap) + Math.max(0, end - Math.max(start, busyUntil))
    busyUntil = Math.max(busyUntil, end)
  }
  const shownPauseMs = Math.max(1, busyMs * PAUSE_PART)
  const pauseCount = pauses.filter((ms) => ms > 0).length
  const wholeMs = Math.max(1, busyMs + pauseCount * shownPauseMs)
  let cutMs = 0
  let totalUsd = 0
  return spans.map(({ record, start, end }, index) => {
    const pauseMs = pauses[index] ?? 0
    if (pauseMs > 0) cutMs += pauseMs - shownPauseMs
    totalUsd += record.costUsd ?? 0
    return {
      record,
      offsetMs: start - begin,
      durationMs: end - start,
      from: (start - begin - cutMs) / wholeMs,
      to: Math.min(1, (end - begin - cutMs) / wholeMs),
      totalUsd,
      pauseMs,
    }
  })
}

function computeDuration({ status, timings }: RequestRecord, start: number, nowMs: number): number {
  if (timings.totalMs !== null) return timings.totalMs
  return status === 'running' ? Math.max(0, nowMs - start) : 0
}

/**
 * The steps that call the same tools with the same arguments as the step of their agent before them, by request id, each with the
 * first of the row. The same test after an edit is no repeat.
 */
export function findRepeats(
  steps: readonly Step[],
  done: ReadonlyMap<string, SessionStep> | undefined,
): ReadonlyMap<string, Step> {
  const repeats = new Map<string, Step>()
  const last = new Map<string, { calls: string; first: Step }>()
  for (const step of steps) {
    const tools = done?.get(step.record.id)?.tools ?? []
    const agent = getBranchKey(step.record)
    const calls = JSON.stringify(tools)
    const before = last.get(agent)
    if (tools.length > 0 && before?.calls === calls) repeats.set(step.record.id, before.first)
    else last.set(agent, { calls, first: step })
  }
  return repeats
}

/** The cost of each model, the most expensive first. */
export function sumByModel(records: readonly RequestRecord[]) {
  const sums = new Map<string, { model: string; requests: number; tokens: number; costUsd: number }>()
  for (const record of records) {
    const model = record.model ?? record.requestedModel
    if (model === null || record.status === 'refused' || record.status === 'rejected') continue
    const sum = sums.get(model) ?? { model, requests: 0, tokens: 0, costUsd: 0 }
    sum.requests += record.count
    sum.tokens += record.tokensIn + record.tokensOut
    sum.costUsd += record.costUsd ?? 0
    sums.set(model, sum)
  }
  return [...sums.values()].toSorted((a, b) => b.costUsd - a.costUsd || b.requests - a.requests)
}
