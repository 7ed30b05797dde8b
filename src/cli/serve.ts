import { join } from 'node:path'
import type { CredentialStore } from '../gateway/compose/host-api.ts'
import { waitForUncaughtError } from '../host/crash-handlers.ts'
import { crashDir, markCrashesSeen } from '../host/crash-reports.ts'
import { chooseDataDir, DataDirError } from '../host/data-dir.ts'
import { EXIT, FlagError } from '../host/exit-codes.ts'
import { exitProcess } from '../host/exit-process.ts'
import { appVersion, builtInterface } from '../host/files.ts'
import type { Flags } from '../host/flags.ts'
import { hasKeychain } from '../host/keychain.ts'
import { createHostLog } from '../host/log.ts'
import { readPreferences } from '../host/preferences.ts'
import { isNewerData } from '../host/restore-backup.ts'
import {
  DataDirHeldError,
  DEFAULT_PORT,
  type Host,
  type Log,
  PortTakenError,
  startGateway,
  startHost,
} from '../host/start.ts'
import { errorMessage } from '../shared/values/text.ts'
import { describeFirstSteps, describeSignIn } from './first-steps.ts'
import { releaseMemoryWhenIdle } from './idle-memory.ts'
import { openBrowser } from './open-browser.ts'

/** How long shutting down may take after an uncaught error. */
const SHUTDOWN_MS = 15_000

/**
 * Runs the headless gateway until SIGTERM, SIGINT or an uncaught error, and returns the exit code. A second signal ends the
 * process immediately.
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
      startGateway,
      dataDir,
      version,
      credentials: chooseCredentials(flags, log),
      interfaceDir: builtInterface(),
      createAdminKey: flags.noAdminKey !== true,
      networkAccess: { address: flags.listen ?? null, hosts: flags.allowHost ?? [] },
      program: 'serve',
      log,
      onFatal: (reason) => {
        process.stderr.write(`tollgate: ${reason}\n`)
        // Queued log lines are written by the log's own exit handler.
        exitProcess(EXIT.failed)
      },
    })
    const { baseUrl, port } = await host.listen(flags.port ?? readPreferences(dataDir).port ?? DEFAULT_PORT)
    const { adminKey } = host.gateway
    const ready = { baseUrl, dataDir, version, ...(adminKey === null ? {} : { adminKey }) }
    process.stdout.write(`${JSON.stringify(ready)}\n`)
    tellCrash(host)
    if (flags.listen !== undefined) warnOfNetwork(flags.listen, port, log)
    const { dataDir: chosenDir, noAdminKey } = flags
    // npm sets it for its scripts and npx, which find the command in a copy of the repository.
    const command = process.env.npm_lifecycle_event === undefined ? 'tollgate' : 'npx tollgate'
    const steps = {
      baseUrl,
      adminKey,
      dataDir: chosenDir,
      makesAdminKey: noAdminKey !== true,
      command,
    } as const
    // A terminal keeps nothing, unlike the files and journals that standard error may go to.
    if (process.stderr.isTTY) {
      process.stderr.write(describeFirstSteps(steps, { ssh: process.env.SSH_CONNECTION }))
    } else log.info(describeSignIn(steps))
    if (flags.open && !(await openBrowser(baseUrl)))
      log.warn(`No browser could be started. Open ${baseUrl} in one.`)
    releaseMemoryWhenIdle()
    const code = await Promise.race([stopped, failed])
    if (code === EXIT.failed) setTimeout(() => exitProcess(code), SHUTDOWN_MS).unref()
    await host.close()
    return code
  } catch (error) {
    await host?.close()
    return reportFailure(error)
  } finally {
    await log.close()
  }
}

/** Reports the crash on standard error, until someone has read it. */
function tellCrash({ dataDir, run: { lastCrash } }: Host): void {
  if (lastCrash === null) return
  const path = join(crashDir(dataDir), `${lastCrash.id}.json`)
  process.stderr.write(
    `tollgate: The last run did not end properly. ${lastCrash.summary} No recorded charge was lost. The report is ${path}; nothing was sent.\n`,
  )
  markCrashesSeen(dataDir)
}

/** A keychain, unless the user has chosen otherwise; a server often has none. */
function chooseCredentials(flags: Flags, log: Log): CredentialStore['kind'] {
  if (flags.credentials !== undefined) return flags.credentials
  if (hasKeychain()) return 'keychain'
  log.warn(
    'This computer has no keychain, so credentials of providers come from variables such as OPENAI_API_KEY, or OPENAI_API_KEY_FILE with the path of a file. --credentials env says the same, without this line.',
  )
  return 'env'
}

function warnOfNetwork(address: string, port: number, log: Log): void {
  log.warn(
    `Listening on ${address}, port ${port}, too: every computer that reaches this address can connect, and the connection is not encrypted. Every request still needs a key.`,
  )
}

/** Prints why the program cannot run, and returns the exit code. */
export function reportFailure(error: unknown): number {
  const message = errorMessage(error)
  if (error instanceof PortTakenError) {
    process.stderr.write(`tollgate: ${message} Choose another with --port.\n`)
    return EXIT.portTaken
  }
  process.stderr.write(`tollgate: ${message}\n`)
  if (error instanceof FlagError) return EXIT.badFlags
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
      if (performance.now() - firstAt > SAME_SIGNAL_MS) exitProcess(128 + SIGNALS[name])
      resolve()
    }
    process.on('SIGINT', () => onSignal('SIGINT'))
    process.on('SIGTERM', () => onSignal('SIGTERM'))
  })
}
