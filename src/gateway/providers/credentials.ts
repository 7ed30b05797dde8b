// Owns the way from a provider to its secrets: its credentials, in the order to try them, and the headers that carry
// one. Knows nothing of where the host keeps secrets.

import { UpstreamFailure } from '../formats/upstream-failure.ts'
import type { Clock } from '../platform/clock.ts'
import { invalidRequest } from '../platform/errors.ts'
import { CREDENTIALS_UNAVAILABLE } from '../upstream/client-error.ts'
import { type CredentialStore, CredentialStoreError } from './credential-store.ts'
import { SecretEntries, type Undo } from './secret-entries.ts'
import { type Headers, readSecretHeaders, writeSecretHeaders } from './secret-headers.ts'

export class Credentials {
  readonly #entries: SecretEntries
  readonly #clock: Clock
  /** By entry: the monotonic time until which others go first. */
  readonly #rests = new Map<string, number>()

  constructor(store: CredentialStore, installId: string, clock: Clock) {
    this.#entries = new SecretEntries(store, installId)
    this.#clock = clock
  }

  /** The places of `count` secrets in the order to try them: those that were limited or refused of late come last. */
  order(providerId: string, count: number): number[] {
    const now = this.#clock.monotonic()
    const places = Array.from({ length: count }, (_, place) => place)
    const until = (place: number) => this.#rests.get(nameOf(providerId, place)) ?? 0
    const resting = places.filter((place) => until(place) > now).sort((a, b) => until(a) - until(b))
    return [...places.filter((place) => !resting.includes(place)), ...resting]
  }

  rest(providerId: string, place: number, ms: number): void {
    this.#rests.set(nameOf(providerId, place), this.#clock.monotonic() + ms)
  }

  /** Throws UpstreamFailure when a secret is expected and the store has none to give: it is locked, or the entry is lost. */
  async read(providerId: string, place: number, count: number): Promise<string | null> {
    if (place >= count) return null
    const secret = await this.#get(nameOf(providerId, place), providerId)
    if (secret !== null) return secret
    const which = count === 1 ? 'The credential' : `Credential ${place + 1} of ${count}`
    throw missing(which, providerId, 'the credential')
  }

  /** The headers of the provider that carry credentials. Throws UpstreamFailure as `read` does. */
  async readHeaders(providerId: string): Promise<Headers> {
    const text = await this.#get(headersOf(providerId), providerId)
    const headers = text === null ? null : readSecretHeaders(text)
    if (headers === null) throw missing('The header with a credential', providerId, 'the headers')
    return headers
  }

  /**
   * Puts `secrets` in the place of the `count` that are kept. Throws 503 with the store's own sentence; then whatever
   * was kept before is put back.
   */
  async replace(providerId: string, secrets: readonly string[], count: number): Promise<Undo> {
    // What the environment says is not ours to delete.
    if (secrets.length === 0 && this.#entries.kind === 'env') return async () => {}
    const undo = await this.#entries.change(async (change) => {
      for (const [place, secret] of secrets.entries()) {
        await change.put(nameOf(providerId, place), secret, place < count)
      }
      for (let place = count - 1; place >= secrets.length; place -= 1) {
        await change.drop(nameOf(providerId, place))
      }
    })
    for (let place = 0; place < Math.max(count, secrets.length); place += 1) {
      this.#rests.delete(nameOf(providerId, place))
    }
    return undo
  }

  /**
   * The same for the headers that carry credentials; `had` says whether there were any. Throws 400 where credentials
   * come from the environment, which takes none.
   */
  async replaceHeaders(providerId: string, headers: Headers, had: boolean): Promise<Undo> {
    const names = Object.keys(headers)
    if (names.length > 0 && this.#entries.kind === 'env') {
      throw invalidRequest(
        `The header ${names[0]} carries a credential, and credentials come from the environment here, so it cannot be kept. Start Tollgate with --credentials keychain or memory to use it.`,
        { param: 'headers' },
      )
    }
    const name = headersOf(providerId)
    const text = writeSecretHeaders(headers)
    return await this.#entries.change(async (change) => {
      if (names.length > 0) await change.put(name, text, had)
      else if (had && this.#entries.kind !== 'env') await change.drop(name)
    })
  }

  /** How many secrets a read-only store (the environment) has for the provider already. */
  async preset(providerId: string): Promise<number> {
    if (this.#entries.kind !== 'env') return 0
    return (await this.#entries.get(nameOf(providerId, 0)).catch(() => null)) === null ? 0 : 1
  }

  /** Null when the store has none to give. Throws UpstreamFailure when it cannot be asked. */
  #get(name: string, providerId: string): Promise<string | null> {
    return this.#entries.get(name).catch((error: unknown) => {
      throw unavailable(
        error instanceof CredentialStoreError
          ? error.message
          : `The credential of ${providerId} cannot be read.`,
      )
    })
  }
}

/** The first keeps the name that a provider's only credential has; `#` is in no provider's id. */
function nameOf(providerId: string, place: number): string {
  return place === 0 ? providerId : `${providerId}#${place + 1}`
}

function headersOf(providerId: string): string {
  return `${providerId}#headers`
}

function missing(which: string, providerId: string, what: string): UpstreamFailure {
  return unavailable(
    `${which} of ${providerId} is not in the keychain: it is locked, or the entry is gone. Unlock it, or enter ${what} again under Providers.`,
  )
}

function unavailable(message: string): UpstreamFailure {
  return new UpstreamFailure({ kind: 'credential', code: CREDENTIALS_UNAVAILABLE, message })
}
