import { serverError } from '../../platform/errors.ts'
import { CREDENTIALS_UNAVAILABLE } from '../../upstream/client-error.ts'
import { type CredentialStore, CredentialStoreError } from './credential-store.ts'

/** Restores the entries as they were before, as far as possible. */
export type Undo = () => Promise<void>

/** Changes several entries as one transaction. */
export interface EntryChange {
  /** `had`: whether an entry of that name exists. */
  put(name: string, secret: string, had: boolean): Promise<void>
  drop(name: string): Promise<void>
}

export class SecretEntries {
  readonly #store: CredentialStore
  readonly #prefix: string
  /** Entries are read when needed and then cached: some keychains prompt the user at every read. */
  readonly #cache = new Map<string, string>()

  /** `installId` separates the entries of a user's data dirs in one keychain. */
  constructor(store: CredentialStore, installId: string) {
    this.#store = store
    this.#prefix = store.kind === 'keychain' ? `${installId}/` : ''
  }

  get kind(): CredentialStore['kind'] {
    return this.#store.kind
  }

  /** The secret if it was read before; else undefined. */
  known(name: string): string | undefined {
    return this.#cache.get(name)
  }

  /** Null when there is none, or the keychain is locked and reports none. Throws CredentialStoreError. */
  async get(name: string): Promise<string | null> {
    const cached = this.#cache.get(name)
    if (cached !== undefined) return cached
    const secret = await this.#store.get(this.#prefix + name)
    if (secret !== null) this.#cache.set(name, secret)
    return secret
  }

  /** Makes all changes of `work`, or none. Throws 503 with the credential store's message. */
  async change(work: (change: EntryChange) => Promise<void>): Promise<Undo> {
    const steps: Undo[] = []
    const undo = async () => {
      for (const step of steps.reverse()) await step().catch(() => undefined)
    }
    try {
      await work({
        put: async (name, secret, had) => {
          const before = had ? await this.get(name) : null
          if (before !== null) steps.push(() => this.#set(name, before))
          // An existing entry that cannot be read may only be locked, so it is never deleted here.
          else if (!had) steps.push(() => this.#delete(name))
          await this.#set(name, secret)
        },
        drop: async (name) => {
          const before = await this.get(name)
          if (before !== null) steps.push(() => this.#set(name, before))
          await this.#delete(name)
        },
      })
      return undo
    } catch (error) {
      await undo()
      if (error instanceof CredentialStoreError)
        throw serverError(error.message, 503, CREDENTIALS_UNAVAILABLE)
      throw error
    }
  }

  async #set(name: string, secret: string): Promise<void> {
    this.#cache.delete(name)
    await this.#store.set(this.#prefix + name, secret)
    this.#cache.set(name, secret)
  }

  async #delete(name: string): Promise<void> {
    this.#cache.delete(name)
    await this.#store.delete(this.#prefix + name)
  }
}
