// Owns what happens when something was thrown that nobody catches: it is logged, and the program ends in order, since
// what state it left behind nobody knows. Node's own way would end it in the middle of a write.
import type { Log } from '../gateway/platform/log.ts'

/**
 * From now on, uncaught errors are logged. Resolves with the first of them; whoever waits for that ends the program.
 */
export function firstFault(log: Log): Promise<Error> {
  return new Promise((resolve) => {
    const onFault = (thrown: unknown) => {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      log.error(`Unexpected fault, so Tollgate ends: ${error.stack ?? error.message}`)
      resolve(error)
    }
    process.on('uncaughtException', onFault)
    process.on('unhandledRejection', onFault)
  })
}

/** A terminal or program that reads what is printed may go away; that is no reason to end. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
