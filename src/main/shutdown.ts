import { app, dialog, powerMonitor } from 'electron'
import { waitForUncaughtError } from '../host/crash-handlers.ts'
import { leaveUnanswered } from '../host/exit-process.ts'
import type { HostLog } from '../host/log.ts'
import type { Host } from '../host/start.ts'
import { errorMessage } from '../shared/values/text.ts'

/** How long shutting down may take after an uncaught error. */
const SHUTDOWN_MS = 15_000

/** Shows an error that the app cannot continue after, and exits. */
export function exitWithError(error: unknown, log: HostLog): void {
  const message = errorMessage(error)
  process.stderr.write(`tollgate: ${message}\n`)
  log.flushSync()
  dialog.showErrorBox('Tollgate must quit', message)
  app.exit(1)
}

/** After an uncaught error, closes the host (null before it was started) and exits. */
export function exitOnUncaughtError(log: HostLog, runningHost: () => Host | null): void {
  void waitForUncaughtError(log).then(async (error) => {
    runningHost()?.run.recordError(error)
    setTimeout(() => app.exit(1), SHUTDOWN_MS)
    await closeHost(runningHost(), log)
    await log.close()
    exitWithError(error, log)
  })
}

/** The steps that an update adds to quitting. */
interface QuitSteps {
  /** How long running requests may continue; undefined for the usual time. */
  drainMs(): number | undefined
  installBeforeExit(): Promise<void>
}

/**
 * Delays quitting until running requests are settled, everything is written, and an update is installed. Quitting again
 * meanwhile ends the running requests.
 */
export function closeHostBeforeQuit(starting: Promise<Host>, log: HostLog, steps: QuitSteps): void {
  const hurry = new AbortController()
  let isClosing = false
  let closed = false
  app.on('before-quit', (event) => {
    if (closed) return
    event.preventDefault()
    if (isClosing) {
      hurry.abort()
      return
    }
    isClosing = true
    void closeHost(starting, log, { drainMs: steps.drainMs(), hurry: hurry.signal })
      .then(steps.installBeforeExit)
      .catch((err: unknown) => log.error('The update was not installed', { err }))
      .then(() => log.close())
      .then(() => {
        closed = true
        app.quit()
      })
  })
  app.on('quit', (_event, code) => leaveUnanswered(code))
  powerMonitor.on('shutdown', () => app.quit())
}

async function closeHost(
  host: Host | null | Promise<Host>,
  log: HostLog,
  { drainMs, hurry }: { drainMs?: number | undefined; hurry?: AbortSignal } = {},
): Promise<void> {
  try {
    await (await host)?.close(drainMs, hurry)
  } catch (err) {
    log.error('The gateway could not be closed in order', { err })
  }
}
