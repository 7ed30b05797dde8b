import { EstimateRequest } from '../../../shared/api/pricing.ts'

/** The entered workload: the tokens of a month, or a number of requests and the tokens of one. */
export interface Workload {
  /** Requests per month; null if the tokens are those of the whole month. */
  requests: number | null
  input: number
  output: number
  /** Percentages of the input that are read from a cache and written to one. */
  cached: number
  written: number
}

/** The tokens of a month. */
export interface MonthlyTokens {
  /** Null if it is not known. */
  requests: number | null
  input: number
  cacheRead: number
  cacheWrite: number
  output: number
}

export const EXAMPLE: Workload = {
  requests: null,
  input: 10_000_000,
  output: 2_000_000,
  cached: 0,
  written: 0,
}

/** The most of any count. */
export const MAX_COUNT = 1e15

function readCount(text: string | null): number | null {
  const count = text === null ? null : EstimateRequest.shape.monthlyInputTokens.safeParse(Number(text))
  return count?.success ? count.data : null
}

function readPercent(text: string | null): number {
  const percent = Number(text)
  return percent >= 0 && percent <= 100 ? percent : 0
}

/** Reads a workload from a query string; null if it has none. */
export function readWorkload(search: URLSearchParams): Workload | null {
  const [input, output] = [readCount(search.get('in')), readCount(search.get('out'))]
  if (input === null && output === null) return null
  const cached = readPercent(search.get('cached'))
  return {
    requests: readCount(search.get('requests')),
    input: input ?? 0,
    output: output ?? 0,
    cached,
    written: Math.min(100 - cached, readPercent(search.get('written'))),
  }
}

/** Writes a workload into a query string; null removes it. */
export function writeWorkload(search: URLSearchParams, workload: Workload | null): URLSearchParams {
  const { requests = null, input = null, output = null, cached = 0, written = 0 } = workload ?? {}
  const values = { requests, in: input, out: output, cached: cached || null, written: written || null }
  for (const [name, value] of Object.entries(values)) {
    if (value === null) search.delete(name)
    else search.set(name, String(value))
  }
  return search
}

export function monthlyTokens({ requests, input, output, cached, written }: Workload): MonthlyTokens {
  const times = requests ?? 1
  const cacheRead = Math.round((times * input * cached) / 100)
  const cacheWrite = Math.round((times * input * written) / 100)
  const all = times * input
  return {
    requests,
    input: Math.max(0, all - cacheRead - cacheWrite),
    cacheRead,
    cacheWrite,
    output: times * output,
  }
}

/** Enters the workload in the other way. `requests`: their number, if it is known. */
export function switchEntry(workload: Workload, requests: number): Workload {
  if (workload.requests !== null) {
    const { input, output } = workload
    return {
      ...workload,
      requests: null,
      input: Math.min(MAX_COUNT, workload.requests * input),
      output: Math.min(MAX_COUNT, workload.requests * output),
    }
  }
  const count = Math.max(1, requests)
  return {
    ...workload,
    requests: count,
    input: Math.round(workload.input / count),
    output: Math.round(workload.output / count),
  }
}
