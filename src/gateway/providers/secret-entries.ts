// Owns entries of the credential store by their names: read once, kept in memory while the process runs, changed
// together or not at all. Knows nothing of providers.

import { serverError } from '../platform/errors.ts'
import { CREDENTIALS_UNAVAILABLE } from '../upstream/client-error.ts'
import { type CredentialStore, CredentialStoreError } from './credential-store.ts'

/** Puts back what was kept before, as far as that can be done. */
export type Undo = () => Promise<void>

/** A change of several entries under way. */
export interface EntryChange {
  /** `had`: there is an entry of that name already. */
  put(name: string, secret: string, had: boolean): Promise<void>
  drop(name: string): Promise<void>
}

export class SecretEntries {
  readonly #store: CredentialStore
  readonly #prefix: string
  /** The keychain is asked late and seldom: some systems prompt the user at every reading. */
  readonly #read = new Map<string, string>()

  /** `installId` keeps two data dirs of one user apart in one keychain. */
  constructor(store: CredentialStore, installId: string) {
    this.#store = store
    this.#prefix = store.kind === 'keychain' ? `${installId}/` : ''
  }

  get kind(): CredentialStore['kind'] {
    return this.#store.kind
  }

  /** Null when there is none, or a locked keychain says so. Throws CredentialStoreError. */
  async get(name: string): Promise<string | null> {
    const known = this.#read.get(name)
    if (known !== undefined) return known
    const secret = await this.#store.get(this.#prefix + name)
    if (secret !== null) this.#read.set(name, secret)
    return secret
  }

  /** Carries out all of a change, or nothing. Throws 503 with the store's own sentence. */
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
          // An entry that is expected and does not show itself may only be locked: it is never deleted here.
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
    this.#read.delete(name)
    await this.#store.set(this.#prefix + name, secret)
    this.#read.set(name, secret)
  }

  async #delete(name: string): Promise<void> {
    this.#read.delete(name)
    await this.#store.delete(this.#prefix + name)
  }
}
