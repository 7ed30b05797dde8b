// Runs a command of `tollgate` in the main process of the packaged app, which cannot run as plain Node.
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { app } from 'electron'
import { run } from '../cli/program.ts'
import { codeCacheDir } from '../host/code-cache.ts'
import { ignoreOutputErrors } from '../host/crash-handlers.ts'
import { EXIT } from '../host/exit-codes.ts'
import { exitProcess, leaveImmediately } from '../host/exit-process.ts'
import { refusedSwitch } from './debugging.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function runCommandLine(args: readonly string[]): void {
  ignoreOutputErrors()
  const refusal = refusedSwitch((name) => app.commandLine.hasSwitch(name))
  if (refusal !== null) {
    process.stderr.write(`tollgate: ${refusal}\n`)
    process.exit(EXIT.badFlags)
  }
  // Chromium writes a few files at every start. They must not be in the data dir, which the command may not even use.
  app.setPath('userData', join(dirname(codeCacheDir()), 'command-line'))
  app.dock?.hide()
  void app
    .whenReady()
    // Chromium has handled signals until now.
    .then(endBySignals)
    .then(() => run(args))
    .then((code) => process.stdout.write('', () => endCommand(code)))
}

/** Ends the command with `code`, where possible without the time and the risk of shutting Chromium down. */
function endCommand(code: number): void {
  // Windows cannot leave a process with a code.
  if (process.platform === 'win32') exitProcess(code)
  leaveImmediately(code)
}

/** Restores Node's default: a signal that the command does not handle ends it. */
function endBySignals(): void {
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal])
    })
  }
}
