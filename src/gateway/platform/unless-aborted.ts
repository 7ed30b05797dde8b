/**
 * Resolves to the promise's value, or rejects with the signal's reason as soon as it aborts. After that, `onLateValue` is
 * called with the value, and a rejection is ignored.
 */
export function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  onLateValue: (value: T) => void = () => {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    promise.then(
      (value) => {
        signal.removeEventListener('abort', abort)
        if (signal.aborted) onLateValue(value)
        else resolve(value)
      },
      (error: unknown) => {
        signal.removeEventListener('abort', abort)
        reject(error)
      },
    )
  })
}
