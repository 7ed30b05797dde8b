// A promise that somebody may stop waiting for.

/**
 * The promise's value, or the signal's reason as soon as that aborts. `late` gets a value that came after; a late
 * rejection is nobody's any more, and harms nobody.
 */
export function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  late: (value: T) => void = () => {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    promise.then(
      (value) => {
        signal.removeEventListener('abort', abort)
        if (signal.aborted) late(value)
        else resolve(value)
      },
      (error: unknown) => {
        signal.removeEventListener('abort', abort)
        reject(error)
      },
    )
  })
}
