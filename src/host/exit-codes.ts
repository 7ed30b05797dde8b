import { errorMessage } from '../shared/values/text.ts'

/** The exit codes of `tollgate`. `run` ends as the command that it ran, or with one of the shell's codes below. */
export const EXIT = {
  done: 0,
  failed: 1,
  badFlags: 2,
  dataDir: 3,
  portTaken: 4,
  oldNode: 5,
  notRunning: 6,
  cannotExecute: 126,
  commandNotFound: 127,
} as const

/** A flag is unknown or its value is invalid. The message is for the user. */
export class FlagError extends Error {
  override name = 'FlagError'
}

/** The error of Node's `parseArgs` without its advice about positional arguments, which is for programs that take any. */
export function describeParseError(error: unknown): FlagError {
  const [sentence = ''] = errorMessage(error).split(/\. |\.$/)
  return new FlagError(`${sentence}.`)
}
