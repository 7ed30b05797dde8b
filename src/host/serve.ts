import { join } from 'node:path'
import { errorMessage } from '../shared/error-message.ts'
import { crashDir, markCrashesSeen } from './crash/crash-reports.ts'
import { waitForUncaughtError } from './crash-handlers.ts'
import { chooseDataDir, DataDirError } from './data-dir.ts'
import { EXIT } from './exit-codes.ts'
import { appVersion, builtInterface } from './files.ts'
import type { Flags } from './flags.ts'
import { releaseMemoryWhenIdle } from './idle-memory.ts'
import { createHostLog } from './log.ts'
import { readPreferences } from './preferences.ts'
import { isNewerData } from './restore-backup.ts'
import { DataDirHeldError, DEFAULT_PORT, type Host, PortTakenError, startHost } from './start.ts'

/** How long shutting down may take after an uncaught error. */
const SHUTDOWN_MS = 15_000

/**
 * Runs the headless gateway until SIGTERM, SIGINT or an uncaught error, and returns the exit code. A second signal ends the
 * process at once.
 */
export async function serve(flags: Flags): Promise<number> {
  const log = createHostLog()
  log.setLevel(flags.logLevel ?? 'info')
  const stopped = waitForSignal().then(() => EXIT.done)
  let host: Host | null = null
  const failed = waitForUncaughtError(log).then((error) => {
    host?.run.recordError(error)
    return EXIT.failed
  })
  const dataDir = chooseDataDir(flags.dataDir)
  const version = appVersion()
  try {
    host = await startHost({
      dataDir,
      version,
      credentials: flags.credentials ?? 'keychain',
      interfaceDir: builtInterface(),
      createAdminKey: true,
      program: 'serve',
      log,
      onFatal: (reason) => {
        process.stderr.write(`tollgate: ${reason}\n`)
        // Queued log lines are written by the log's own exit handler.
        process.exit(EXIT.failed)
      },
    })
    const { baseUrl } = await host.listen(flags.port ?? readPreferences(dataDir).port ?? DEFAULT_PORT)
    const { adminKey } = host.gateway
    const ready = { baseUrl, dataDir, version, ...(adminKey === null ? {} : { adminKey }) }
    process.stdout.write(`${JSON.stringify(ready)}\n`)
    tellCrash(host)
    log.info(howToSignIn(baseUrl, adminKey !== null, flags.dataDir))
    releaseMemoryWhenIdle()
    const code = await Promise.race([stopped, failed])
    if (code === EXIT.failed) setTimeout(() => process.exit(code), SHUTDOWN_MS).unref()
    await host.close()
    return code
  } catch (error) {
    await host?.close()
    return reportFailure(error)
  } finally {
    await log.close()
  }
}

/** On standard error, as long as no one has read it. */
function tellCrash({ dataDir, run: { lastCrash } }: Host): void {
  if (lastCrash === null) return
  const path = join(crashDir(dataDir), `${lastCrash.id}.json`)
  process.stderr.write(
    `tollgate: The last run did not end in order. ${lastCrash.summary} No recorded charge was lost. The report is ${path}; nothing was sent.\n`,
  )
  markCrashesSeen(dataDir)
}

/** The admin key itself is in no log. */
function howToSignIn(baseUrl: string, isPrinted: boolean, dataDir: string | undefined): string {
  const command = `tollgate admin-key --reset${dataDir === undefined ? '' : ` --data-dir ${JSON.stringify(dataDir)}`}`
  const key = isPrinted
    ? 'the admin key that was printed just now, which is not shown again'
    : `an admin key. Lost it? Stop Tollgate and run: ${command}`
  return `Open ${baseUrl} in a browser and sign in with ${key}`
}

/** Prints why the program cannot run, and returns the exit code. */
export function reportFailure(error: unknown): number {
  const message = errorMessage(error)
  if (error instanceof PortTakenError) {
    process.stderr.write(`tollgate: ${message} Choose another with --port.\n`)
    return EXIT.portTaken
  }
  process.stderr.write(`tollgate: ${message}\n`)
  const isDataDir = error instanceof DataDirHeldError || error instanceof DataDirError || isNewerData(error)
  return isDataDir ? EXIT.dataDir : EXIT.failed
}

const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const

// One Ctrl-C can arrive twice: from the terminal and forwarded by npm.
const SAME_SIGNAL_MS = 500

function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | null = null
    const onSignal = (name: keyof typeof SIGNALS) => {
      firstAt ??= performance.now()
      if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(128 + SIGNALS[name])
      resolve()
    }
    process.on('SIGINT', () => onSignal('SIGINT'))
    process.on('SIGTERM', () => onSignal('SIGTERM'))
  })
}
