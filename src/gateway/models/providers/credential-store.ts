/** Where provider credentials are stored. The host chooses the keychain, memory or environment variables. */
export interface CredentialStore {
  readonly kind: 'keychain' | 'memory' | 'env'
  /** The secret of `account`, or null. A locked keychain may also return null. Throws CredentialStoreError. */
  get(account: string): Promise<string | null>
  /** Writes, reads back and compares. Throws CredentialStoreError. */
  set(account: string, secret: string): Promise<void>
  delete(account: string): Promise<void>
}

/** Credentials in the environment variables of this process. Read only when the user asks for it. */
export interface CredentialEnvironment {
  /** The first variable that holds a credential of the provider; null when none does. */
  find(providerId: string): { variable: string; secret: string } | null
}

/** The credential store cannot be used now: it is locked, missing, read-only or too slow. */
export class CredentialStoreError extends Error {
  override name = 'CredentialStoreError'
}
