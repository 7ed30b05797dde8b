import type { Log } from '../gateway/compose/host-api.ts'

/**
 * Logs uncaught errors from now on, and resolves with the first of them. The caller must then shut the program down, as its
 * state is unknown. Node's default would end the process in the middle of a write.
 */
export function waitForUncaughtError(log: Log): Promise<Error> {
  return new Promise((resolve) => {
    const onUncaught = (thrown: unknown) => {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      log.error('Uncaught error, shutting down', { err: error })
      resolve(error)
    }
    process.on('uncaughtException', onUncaught)
    process.on('unhandledRejection', onUncaught)
  })
}

/** Keeps the program running when the terminal or program that reads its output has exited. */
export function ignoreOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
