import type { StoredProvider } from '../../store/store.ts'
import type { Credentials, Undo } from './credentials.ts'
import { type Headers, splitHeaders } from './credentials.ts'

interface NewSecrets {
  /** Null leaves them as they are; the same applies to the headers. */
  credentials: readonly string[] | null
  headers: Headers | null
}

export class ProviderSecrets {
  readonly #credentials: Credentials
  /**
   * By their names in the row, an array that stays the same object while other fields of the row change. Values read
   * from the keychain later are added to endpoints that exist already.
   */
  readonly #headers = new WeakMap<StoredProvider['secretHeaders'], Record<string, string>>()
  /** Those whose values have been read. */
  readonly #complete = new WeakSet<StoredProvider['secretHeaders']>()

  constructor(credentials: Credentials) {
    this.#credentials = credentials
  }

  /** All of the provider's headers, once `loadHeaders` has resolved. */
  headersOf(row: StoredProvider): Record<string, string> {
    let headers = this.#headers.get(row.secretHeaders)
    if (!headers) {
      headers = { ...row.headers }
      this.#headers.set(row.secretHeaders, headers)
    }
    return headers
  }

  hasAllHeaders({ secretHeaders }: StoredProvider): boolean {
    return secretHeaders.length === 0 || this.#complete.has(secretHeaders)
  }

  /** Reads the secret headers. Throws UpstreamFailure when they cannot be read. */
  async loadHeaders(row: StoredProvider): Promise<void> {
    if (this.hasAllHeaders(row)) return
    Object.assign(this.headersOf(row), await this.#credentials.readHeaders(row.id))
    this.#complete.add(row.secretHeaders)
  }

  /**
   * Stores the new secrets, then calls `write`; restores the old secrets when that fails. Throws 503 when a secret cannot
   * be stored.
   */
  async change(before: StoredProvider, secrets: NewSecrets, write: () => Promise<unknown>): Promise<void> {
    const steps: Undo[] = []
    try {
      if (secrets.credentials) {
        steps.push(await this.#credentials.replace(before.id, secrets.credentials, before.credentialCount))
      }
      if (secrets.headers) {
        const { secret } = splitHeaders(secrets.headers)
        steps.push(await this.#credentials.replaceHeaders(before.id, secret, before.secretHeaders.length > 0))
      }
      await write()
    } catch (error) {
      for (const undo of steps.reverse()) await undo()
      throw error
    }
  }

  /**
   * Earlier versions stored the values of all headers in the database: moves the secret ones to the credential store.
   * `write` gets the row without them. Throws as `change` does, and when stored headers cannot be read.
   */
  async moveFromDatabase(
    row: StoredProvider,
    write: (next: StoredProvider) => Promise<unknown>,
  ): Promise<void> {
    const { plain, secret } = splitHeaders(row.headers)
    if (Object.keys(secret).length === 0) return
    const stored = row.secretHeaders.length > 0 ? await this.#credentials.readHeaders(row.id) : {}
    const headers = { ...stored, ...secret }
    const next = { ...row, headers: { ...plain }, secretHeaders: Object.keys(headers) }
    await this.change(row, { credentials: null, headers }, () => write(next))
  }
}
