// Owns the way from a provider to its secrets: read once, kept in memory while the process runs, written through.
// Knows nothing of where the host keeps secrets.
import type { Clock } from './clock.ts'
import { type CredentialStore, CredentialStoreError } from './credentials.ts'
import { serverError } from './errors.ts'
import { CREDENTIALS_UNAVAILABLE } from './upstream/answers.ts'
import { UpstreamFailure } from './upstream/failure.ts'

export class Credentials {
  readonly #store: CredentialStore
  readonly #installId: string
  readonly #clock: Clock
  /** By account. The keychain is asked late and seldom: some systems prompt the user at every reading. */
  readonly #read = new Map<string, string>()
  /** By account: the monotonic time until which others go first. */
  readonly #rests = new Map<string, number>()

  /** `installId` keeps two data dirs of one user apart in one keychain. */
  constructor(store: CredentialStore, installId: string, clock: Clock) {
    this.#store = store
    this.#installId = installId
    this.#clock = clock
  }

  /** The places of `count` secrets in the order to try them: those that were limited or refused of late come last. */
  order(providerId: string, count: number): number[] {
    const now = this.#clock.monotonic()
    const places = Array.from({ length: count }, (_, place) => place)
    const until = (place: number) => this.#rests.get(this.#account(providerId, place)) ?? 0
    const resting = places.filter((place) => until(place) > now).sort((a, b) => until(a) - until(b))
    return [...places.filter((place) => !resting.includes(place)), ...resting]
  }

  rest(providerId: string, place: number, ms: number): void {
    this.#rests.set(this.#account(providerId, place), this.#clock.monotonic() + ms)
  }

  /** Throws UpstreamFailure when a secret is expected and the store has none to give: it is locked, or the entry is lost. */
  async read(providerId: string, place: number, count: number): Promise<string | null> {
    if (place >= count) return null
    const account = this.#account(providerId, place)
    const known = this.#read.get(account)
    if (known !== undefined) return known
    const secret = await this.#store.get(account).catch((error: unknown) => {
      throw unavailable(
        error instanceof CredentialStoreError
          ? error.message
          : `The credential of ${providerId} cannot be read.`,
      )
    })
    if (secret === null) {
      const which = count === 1 ? 'The credential' : `Credential ${place + 1} of ${count}`
      throw unavailable(
        `${which} of ${providerId} is not in the keychain: it is locked, or the entry is gone. Unlock it, or enter the credential again under Providers.`,
      )
    }
    this.#read.set(account, secret)
    return secret
  }

  /**
   * Puts `secrets` in the place of the `count` that are kept. Throws 503 with the store's own sentence; then whatever
   * was kept before is put back.
   */
  async replace(providerId: string, secrets: readonly string[], count: number): Promise<void> {
    // What the environment says is not ours to delete.
    if (secrets.length === 0 && this.#store.kind === 'env') return
    const undo: (() => Promise<void>)[] = []
    try {
      for (const [place, secret] of secrets.entries()) {
        const account = this.#account(providerId, place)
        const before = place < count ? await this.#kept(account) : null
        if (before !== null) undo.push(() => this.#set(account, before))
        // An entry that is expected and does not show itself may only be locked: it is never deleted here.
        else if (place >= count) undo.push(() => this.#delete(account))
        await this.#set(account, secret)
      }
      for (let place = count - 1; place >= secrets.length; place -= 1) {
        const account = this.#account(providerId, place)
        const before = secrets.length === 0 ? null : await this.#kept(account)
        if (before !== null) undo.push(() => this.#set(account, before))
        await this.#delete(account)
      }
    } catch (error) {
      for (const step of undo.reverse()) await step().catch(() => undefined)
      if (error instanceof CredentialStoreError)
        throw serverError(error.message, 503, CREDENTIALS_UNAVAILABLE)
      throw error
    }
    for (let place = 0; place < Math.max(count, secrets.length); place += 1) {
      this.#rests.delete(this.#account(providerId, place))
    }
  }

  /** How many secrets a read-only store (the environment) has for the provider already. */
  async preset(providerId: string): Promise<number> {
    if (this.#store.kind !== 'env') return 0
    return (await this.#store.get(this.#account(providerId, 0)).catch(() => null)) === null ? 0 : 1
  }

  async #kept(account: string): Promise<string | null> {
    return this.#read.get(account) ?? (await this.#store.get(account))
  }

  async #set(account: string, secret: string): Promise<void> {
    this.#read.delete(account)
    await this.#store.set(account, secret)
    this.#read.set(account, secret)
  }

  async #delete(account: string): Promise<void> {
    this.#read.delete(account)
    await this.#store.delete(account)
  }

  /** The first keeps the name that a provider's only credential has; `#` is in no provider's id. */
  #account(providerId: string, place: number): string {
    const name = place === 0 ? providerId : `${providerId}#${place + 1}`
    return this.#store.kind === 'keychain' ? `${this.#installId}/${name}` : name
  }
}

function unavailable(message: string): UpstreamFailure {
  return new UpstreamFailure({ kind: 'credential', code: CREDENTIALS_UNAVAILABLE, message })
}
