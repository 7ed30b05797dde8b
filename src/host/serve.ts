// Owns the life of the headless gateway: open, listen, say so in one line, and close on a signal.

import { firstFault } from './crash-handlers.ts'
import { chooseDataDir, DataDirError } from './data-dir.ts'
import { appVersion, builtInterface } from './files.ts'
import type { Flags } from './flags.ts'
import { stderrLog } from './log.ts'
import { readPreferences } from './preferences.ts'
import { DataDirHeldError, DEFAULT_PORT, type Host, PortTakenError, startHost } from './start.ts'

export const EXIT = { done: 0, failed: 1, badFlags: 2, dataDir: 3, portTaken: 4, oldNode: 5 } as const

/** How long the program may take to end in order once its state is in doubt. */
const END_MS = 15_000

/** Runs until SIGTERM, SIGINT or an uncaught error; gives the exit code. A second signal ends the process where it stands. */
export async function serve(flags: Flags): Promise<number> {
  const log = stderrLog()
  const stopped = firstSignal().then(() => EXIT.done)
  const failed = firstFault(log).then(() => EXIT.failed)
  const dataDir = chooseDataDir(flags.dataDir)
  const version = appVersion()
  let host: Host | null = null
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
        process.exit(EXIT.failed)
      },
    })
    const { baseUrl } = await host.listen(flags.port ?? readPreferences(dataDir).port ?? DEFAULT_PORT)
    const { adminKey } = host.gateway
    const ready = { baseUrl, dataDir, version, ...(adminKey === null ? {} : { adminKey }) }
    process.stdout.write(`${JSON.stringify(ready)}\n`)
    const code = await Promise.race([stopped, failed])
    if (code === EXIT.failed) setTimeout(() => process.exit(code), END_MS).unref()
    await host.close()
    return code
  } catch (error) {
    await host?.close()
    return failure(error)
  }
}

export function failure(error: unknown): number {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof PortTakenError) {
    process.stderr.write(`tollgate: ${message} Choose another with --port.\n`)
    return EXIT.portTaken
  }
  process.stderr.write(`tollgate: ${message}\n`)
  return error instanceof DataDirHeldError || error instanceof DataDirError ? EXIT.dataDir : EXIT.failed
}

const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const

// One Ctrl-C can arrive twice: from the terminal, and passed on by npm.
const SAME_SIGNAL_MS = 500

function firstSignal(): Promise<void> {
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
