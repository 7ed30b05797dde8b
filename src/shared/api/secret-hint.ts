// The window reads this at its start, so it is apart from the schemas.

/** Long enough for a user to recognize the key in a file, and too short to help anyone guess it. */
export const HINT_LENGTH = 4

/** Returns the part of a secret that is stored in clear. */
export function createSecretHint(secret: string): string {
  return secret.slice(-HINT_LENGTH)
}
