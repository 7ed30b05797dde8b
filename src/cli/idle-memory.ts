// V8 collects garbage when a program allocates. A gateway that goes idle after a start or a burst of requests would keep
// what they left.
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { z } from 'zod'

const CHECK_MS = 7_000
/** The share of the time since the last check in which the main thread did anything. */
const IDLE = 0.02
const WORTHWHILE_BYTES = 8 * 1024 * 1024

/** V8 returns empty pages to the operating system only in its collection for the case that memory has run out. */
type CollectAll = (options: { type: 'major'; flavor: 'last-resort' }) => void

/**
 * Checks regularly whether the main thread is idle and its heap has grown, and then frees what it can, which takes some
 * 20 ms. Returns a function that ends this.
 */
export function releaseMemoryWhenIdle(checkMs = CHECK_MS, collect = exposeCollection()): () => void {
  if (collect === null) return () => {}
  let load = performance.eventLoopUtilization()
  let leastBytes = 0
  const timer = setInterval(() => {
    const since = performance.eventLoopUtilization(load)
    load = performance.eventLoopUtilization()
    const { heapTotal } = process.memoryUsage()
    if (since.utilization > IDLE || heapTotal - leastBytes < WORTHWHILE_BYTES) return
    collect({ type: 'major', flavor: 'last-resort' })
    leastBytes = process.memoryUsage().heapTotal
  }, checkMs)
  timer.unref()
  return () => clearInterval(timer)
}

const Collect = z.custom<CollectAll>((value) => typeof value === 'function')

/** Null where V8's flags are frozen. */
export function exposeCollection(): CollectAll | null {
  try {
    setFlagsFromString('--expose-gc')
    const collect = Collect.parse(runInNewContext('gc'))
    // A flag that differs from the start makes V8 reject the code of Node's own modules that was compiled when Node was
    // built: each thread would take 25 ms longer to start.
    setFlagsFromString('--no-expose-gc')
    return collect
  } catch {
    return null
  }
}
