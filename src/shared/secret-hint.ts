// The window reads this at its start, so it is apart from the schemas.

/** As many as let a user recognize the key in a file, and too few to help anyone guess it. */
export const HINT_LENGTH = 4

/** What of a secret is stored as it is. */
export function createSecretHint(secret: string): string {
  return secret.slice(-HINT_LENGTH)
}
