// The longest tasks of the window's main thread, in CPU time: on a busy machine the clock also counts the time in which the
// thread waited for a processor.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { App } from './app.ts'

/** Chrome's Trace Event Format. Times are in microseconds; `tdur` is CPU time. */
const TraceEvent = z.object({
  name: z.string(),
  pid: z.number(),
  tid: z.number(),
  ts: z.number(),
  dur: z.number().optional(),
  tdur: z.number().optional(),
  args: z.object({ name: z.string().optional() }).optional().catch(undefined),
})
type TraceEvent = z.infer<typeof TraceEvent>
const Trace = z.object({ traceEvents: z.array(TraceEvent) })

const TRACE_BUFFER_KB = 400_000
const MIN_COVERAGE = 0.8

export interface LongestTasks {
  /** CPU time of the longest task. */
  cpuMs: number
  /** Duration of the longest task as `PerformanceObserver` reports it; 0 if none took 50 ms. */
  clockMs: number
}

/** Measures the tasks of the main thread while `act` runs. */
export async function measureLongestTasks(app: App, act: () => Promise<void>): Promise<LongestTasks> {
  await app.window.evaluate(() => {
    const observer = new PerformanceObserver((list) => {
      const longest = Math.max(0, ...list.getEntries().map(({ duration }) => duration))
      Reflect.set(window, 'longestTaskMs', Math.max(longest, Reflect.get(window, 'longestTaskMs')))
    })
    Reflect.set(window, 'longestTaskMs', 0)
    observer.observe({ type: 'longtask' })
  })
  await app.electron.evaluate(({ contentTracing }, options) => contentTracing.startRecording(options), {
    included_categories: ['toplevel'],
    trace_buffer_size_in_kb: TRACE_BUFFER_KB,
  })
  const start = performance.now()
  await act()
  const tookMs = performance.now() - start
  const path = join(app.dataDir, 'trace.json')
  await app.electron.evaluate(({ contentTracing }, to) => contentTracing.stopRecording(to), path)
  const clockMs = await app.window.evaluate(() => Number(Reflect.get(window, 'longestTaskMs')))
  return { cpuMs: readLongestTask(path, tookMs), clockMs }
}

function readLongestTask(path: string, tookMs: number): number {
  const { traceEvents } = Trace.parse(JSON.parse(readFileSync(path, 'utf8')))
  const main = traceEvents.find(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
  const events = traceEvents.filter(
    ({ pid, tid, dur }) => pid === main?.pid && tid === main?.tid && dur !== undefined,
  )
  const starts = events.map(({ ts }) => ts)
  const coveredMs = (Math.max(...starts) - Math.min(...starts)) / 1000
  if (!(coveredMs > tookMs * MIN_COVERAGE)) throw new Error('the trace does not cover all tasks')
  // The trace lacks the ends of some long tasks, but not those of their parts.
  return Math.max(...events.map((event) => readCpuTime(event, events))) / 1000
}

/** The CPU time of a task. Where the trace has none, it is the duration without the waiting in its longest part. */
function readCpuTime({ ts, dur = 0, tdur }: TraceEvent, events: readonly TraceEvent[]): number {
  if (tdur !== undefined) return tdur
  const parts = events.filter((part) => part.tdur !== undefined && part.ts >= ts && part.ts < ts + dur)
  const waits = parts.map((part) => (part.dur ?? 0) - (part.tdur ?? 0))
  return dur - Math.max(0, ...waits)
}
