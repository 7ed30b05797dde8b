// Owns how the secrets of a provider change together with its row, and how its secret headers get into its targets.
// Knows nothing of where secrets are kept.

import type { StoredProvider } from '../store/store.ts'
import type { Credentials } from './credentials.ts'
import type { Undo } from './secret-entries.ts'
import { type Headers, splitHeaders } from './secret-headers.ts'

interface Wanted {
  /** Null leaves them as they are; so it is with the headers. */
  credentials: readonly string[] | null
  headers: Headers | null
}

export class ProviderSecrets {
  readonly #credentials: Credentials
  /**
   * By what is stored of them: they stay the same while a row changes in other things. What is read from the keychain
   * later is filled into targets that exist already.
   */
  readonly #headers = new WeakMap<StoredProvider['secretHeaders'], Record<string, string>>()

  constructor(credentials: Credentials) {
    this.#credentials = credentials
  }

  /** All of the provider's headers, once `fill` was awaited. */
  headersOf(row: StoredProvider): Record<string, string> {
    let headers = this.#headers.get(row.secretHeaders)
    if (!headers) {
      headers = { ...row.headers }
      this.#headers.set(row.secretHeaders, headers)
    }
    return headers
  }

  /** Reads the headers that are secret. Throws UpstreamFailure when they cannot be had. */
  async fill(row: StoredProvider): Promise<void> {
    if (row.secretHeaders.length === 0) return
    Object.assign(this.headersOf(row), await this.#credentials.readHeaders(row.id))
  }

  /**
   * Puts the wanted secrets away, then calls `write`; when that fails, puts the old ones back. Throws 503 when a secret
   * cannot be kept.
   */
  async change(before: StoredProvider, wanted: Wanted, write: () => Promise<unknown>): Promise<void> {
    const steps: Undo[] = []
    try {
      if (wanted.credentials) {
        steps.push(await this.#credentials.replace(before.id, wanted.credentials, before.credentialCount))
      }
      if (wanted.headers) {
        const { secret } = splitHeaders(wanted.headers)
        steps.push(await this.#credentials.replaceHeaders(before.id, secret, before.secretHeaders.length > 0))
      }
      await write()
    } catch (error) {
      for (const undo of steps.reverse()) await undo()
      throw error
    }
  }

  /**
   * Earlier versions kept the values of all headers in the database: moves those that are secrets. `write` is given
   * the row without them. Throws as `change` does, and when earlier ones cannot be read.
   */
  async move(row: StoredProvider, write: (next: StoredProvider) => Promise<unknown>): Promise<void> {
    const { plain, secret } = splitHeaders(row.headers)
    if (Object.keys(secret).length === 0) return
    const kept = row.secretHeaders.length > 0 ? await this.#credentials.readHeaders(row.id) : {}
    const headers = { ...kept, ...secret }
    const next = { ...row, headers: { ...plain }, secretHeaders: Object.keys(headers) }
    await this.change(row, { credentials: null, headers }, () => write(next))
  }
}
