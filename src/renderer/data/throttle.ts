/**
 * Runs a task `pauseMs` after it is first requested, and never concurrently. Requests while it runs lead to one more run.
 */
export function throttle(task: () => Promise<void>, pauseMs: number): { run(): void; cancel(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running = false
  let again = false
  const start = async () => {
    timer = undefined
    running = true
    await task()
    running = false
    if (!again) return
    again = false
    run()
  }
  const run = () => {
    if (running) again = true
    else timer ??= setTimeout(() => void start(), pauseMs)
  }
  return {
    run,
    cancel() {
      clearTimeout(timer)
      timer = undefined
      again = false
    },
  }
}
