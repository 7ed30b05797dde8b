import { constants } from 'node:os'

export const INTERRUPTIONS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const PARENT_CHECK_MS = 500

/** Calls `onEnd` once when the process that started this one has ended: npm's shell exits on SIGTERM without forwarding it. */
export function watchParent(onEnd: () => void): void {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    onEnd()
  }, PARENT_CHECK_MS)
  watch.unref()
}

/** A signal, or the end of the parent, ends this process with its `exit` event, so that its listeners end what it has started. */
export function exitWhenInterrupted(): void {
  for (const signal of INTERRUPTIONS)
    process.once(signal, () => process.exit(128 + constants.signals[signal]))
  watchParent(() => process.exit(128 + constants.signals.SIGTERM))
}
