// Owns the one interface behind which provider credentials live. The host chooses keychain, memory or environment.

export interface CredentialStore {
  readonly kind: 'keychain' | 'memory' | 'env'
  /** The secret kept for `account`, or null. A locked keychain may answer null too. Throws CredentialStoreError. */
  get(account: string): Promise<string | null>
  /** Writes, reads back and compares. Throws CredentialStoreError. */
  set(account: string, secret: string): Promise<void>
  delete(account: string): Promise<void>
}

/** Credentials that the process was started with, in environment variables. Looked at only when a user asks. */
export interface CredentialEnvironment {
  /** The first variable that holds a credential of the provider; null when none does. */
  find(providerId: string): { variable: string; secret: string } | null
}

/** The place where credentials are kept cannot be used now: locked, missing, read-only or too slow. */
export class CredentialStoreError extends Error {
  override name = 'CredentialStoreError'
}
