/** A flag is unknown or its value is invalid. The message is for the user. */
export class FlagError extends Error {
  override name = 'FlagError'
}
