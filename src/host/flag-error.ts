import { errorMessage } from '../shared/values/text.ts'

/** A flag is unknown or its value is invalid. The message is for the user. */
export class FlagError extends Error {
  override name = 'FlagError'
}

/** The error of Node's `parseArgs` without its advice about positional arguments, which is for programs that take any. */
export function describeParseError(error: unknown): FlagError {
  const [sentence = ''] = errorMessage(error).split(/\. |\.$/)
  return new FlagError(`${sentence}.`)
}
