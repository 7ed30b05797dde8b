// Owns the way from a provider to its secret: read once, kept in memory while the process runs, written through.
// Knows nothing of where the host keeps secrets.
import { type CredentialStore, CredentialStoreError } from './credentials.ts'
import { serverError } from './errors.ts'
import { CREDENTIALS_UNAVAILABLE } from './upstream/answers.ts'
import { UpstreamFailure } from './upstream/failure.ts'

export class Credentials {
  readonly #store: CredentialStore
  readonly #installId: string
  /** The keychain is asked late and seldom: some systems prompt the user at every reading. */
  readonly #read = new Map<string, string>()

  /** `installId` keeps two data dirs of one user apart in one keychain. */
  constructor(store: CredentialStore, installId: string) {
    this.#store = store
    this.#installId = installId
  }

  /** Throws UpstreamFailure when a secret is expected and the store has none to give: it is locked, or the entry is lost. */
  async read(providerId: string, expected: boolean): Promise<string | null> {
    if (!expected) return null
    const known = this.#read.get(providerId)
    if (known !== undefined) return known
    const secret = await this.#store.get(this.#account(providerId)).catch((error: unknown) => {
      throw unavailable(
        error instanceof CredentialStoreError
          ? error.message
          : `The credential of ${providerId} cannot be read.`,
      )
    })
    if (secret === null) {
      throw unavailable(
        `The credential of ${providerId} is not in the keychain: it is locked, or the entry is gone. Unlock it, or enter the credential again under Providers.`,
      )
    }
    this.#read.set(providerId, secret)
    return secret
  }

  /** Throws 503 with the store's own sentence; whatever was kept before stays. */
  async keep(providerId: string, secret: string): Promise<void> {
    await this.#store.set(this.#account(providerId), secret).catch(refuse)
    this.#read.set(providerId, secret)
  }

  async forget(providerId: string): Promise<void> {
    this.#read.delete(providerId)
    // What the environment says is not ours to delete.
    if (this.#store.kind === 'env') return
    await this.#store.delete(this.#account(providerId)).catch(refuse)
  }

  /** Whether a read-only store (the environment) has a secret for the provider already. */
  async isPreset(providerId: string): Promise<boolean> {
    if (this.#store.kind !== 'env') return false
    return (await this.#store.get(this.#account(providerId)).catch(() => null)) !== null
  }

  #account(providerId: string): string {
    return this.#store.kind === 'keychain' ? `${this.#installId}/${providerId}` : providerId
  }
}

function refuse(error: unknown): never {
  if (error instanceof CredentialStoreError) throw serverError(error.message, 503, CREDENTIALS_UNAVAILABLE)
  throw error
}

function unavailable(message: string): UpstreamFailure {
  return new UpstreamFailure({ kind: 'credential', code: CREDENTIALS_UNAVAILABLE, message })
}
