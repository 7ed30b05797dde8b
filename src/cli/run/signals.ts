// The signals that `tollgate run` gets, and the end by one of them.
import { constants } from 'node:os'
import { EXIT } from '../../host/exit-codes.ts'

const HANDLED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
/** Signals that end a program without a trace, as a user or a system requests it. */
const ENDING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL']

/**
 * From its creation until `release`, no signal ends this program by itself, so that no key is left behind. At first a signal
 * stops the preparation of the command, and a second one everything; later phases listen for themselves.
 */
export class RunSignals {
  /** The signal that stopped the preparation. */
  first: NodeJS.Signals | null = null
  readonly #stop = new AbortController()
  #listener = (signal: NodeJS.Signals): void => {
    if (this.first !== null) process.exit(EXIT.failed)
    this.first = signal
    this.#stop.abort(new Error(`stopped by ${signal}`))
  }
  readonly #onSignal = (signal: NodeJS.Signals) => this.#listener(signal)

  constructor() {
    for (const name of HANDLED) process.on(name, this.#onSignal)
  }

  /** Aborts with the first signal. */
  get stopped(): AbortSignal {
    return this.#stop.signal
  }

  /** All signals from now on go to `listener`. */
  listen(listener: (signal: NodeJS.Signals) => void): void {
    this.#listener = listener
  }

  release(): void {
    for (const name of HANDLED) process.off(name, this.#onSignal)
  }
}

/** The exit code that shells give to a program that a signal has ended. */
export function findExitCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}

/** Ends this program by the signal that ended the child, so that a shell sees the same. Returns if that is not possible. */
export async function endBySignal(signal: NodeJS.Signals): Promise<void> {
  if (process.platform === 'win32' || !ENDING.includes(signal)) return
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
  // The signal arrives in a later turn.
  await new Promise((resolve) => setTimeout(resolve, 1_000))
}
