import { hash } from 'node:crypto'
import { MAX_CREDENTIAL_BYTES } from '../../../shared/api/providers.ts'
import { UpstreamFailure } from '../../formats/chat/failure.ts'
import type { Clock } from '../../platform/clock.ts'
import { invalidRequest, serverError } from '../../platform/errors.ts'
import { getOrCreate } from '../../platform/maps.ts'
import type { StoredProvider } from '../../store/store.ts'
import { CREDENTIALS_UNAVAILABLE } from '../../upstream/client-error.ts'
import { type CredentialStore, CredentialStoreError } from './credential-store.ts'

/** The order of a provider's only credential. */
const ONLY: readonly number[] = [0]
const ID_DIGITS = 8

interface NewSecrets {
  /** Null leaves them as they are; the same applies to the headers. */
  credentials: readonly string[] | null
  headers: Headers | null
}

/** The credentials and secret headers of providers. */
export class Credentials {
  readonly #entries: SecretEntries
  readonly #clock: Clock
  /** The monotonic time until which an entry cools down. */
  readonly #coolDowns = new Map<string, number>()
  /**
   * By their names in the row, an array that stays the same object while other fields of the row change. Values read
   * from the keychain later are added to endpoints that exist already.
   */
  readonly #headers = new WeakMap<StoredProvider['secretHeaders'], Record<string, string>>()
  /** The secret headers whose values have been read. */
  readonly #complete = new WeakSet<StoredProvider['secretHeaders']>()

  constructor(store: CredentialStore, installId: string, clock: Clock) {
    this.#entries = new SecretEntries(store, installId)
    this.#clock = clock
  }

  /**
   * The indexes of the provider's credentials in the order to use them: those that are cooling down come last. `ranked`: all of
   * them in the order of a session; null for their own.
   */
  order(providerId: string, count: number, ranked: readonly number[] | null = null): readonly number[] {
    if (count === 1) return ONLY
    const indexes = ranked ?? Array.from({ length: count }, (_, index) => index)
    if (this.#coolDowns.size === 0) return indexes
    const now = this.#clock.monotonic()
    const until = (index: number) => this.#coolDowns.get(nameEntry(providerId, index)) ?? 0
    const coolingDown = indexes.filter((index) => until(index) > now).sort((a, b) => until(a) - until(b))
    return [...indexes.filter((index) => !coolingDown.includes(index)), ...coolingDown]
  }

  coolDown(providerId: string, index: number, ms: number): void {
    this.#coolDowns.set(nameEntry(providerId, index), this.#clock.monotonic() + ms)
  }

  /** The end of a credential's rest in epoch milliseconds; null for one that does not rest. */
  restsUntil(providerId: string, index: number): number | null {
    const left = (this.#coolDowns.get(nameEntry(providerId, index)) ?? 0) - this.#clock.monotonic()
    return left > 0 ? Math.round(this.#clock.now() + left) : null
  }

  /** An id that is the same for the same secret, and too short to find the secret by it. */
  createId(providerId: string, secret: string): string {
    return hash('sha256', `${this.#entries.installId} ${providerId} ${secret}`).slice(0, ID_DIGITS)
  }

  /**
   * The provider's credential at this index of `count`, or null when it has none. Must be awaited before an endpoint is
   * called, as it also completes `getHeaders`; no promise once all were read. Throws UpstreamFailure when an expected
   * secret cannot be read.
   */
  find(row: StoredProvider, index: number, count: number): string | null | Promise<string | null> {
    const known = index >= count ? null : this.#entries.known(nameEntry(row.id, index))
    if (known !== undefined && this.#hasAllHeaders(row)) return known
    return this.loadHeaders(row).then(() => this.read(row.id, index, count))
  }

  /** Null when the provider has no credential at this index. Throws UpstreamFailure when it has one that cannot be read. */
  async read(providerId: string, index: number, count: number): Promise<string | null> {
    if (index >= count) return null
    const secret = await this.#get(nameEntry(providerId, index), providerId)
    if (secret !== null) return secret
    const which = count === 1 ? 'The credential' : `Credential ${index + 1} of ${count}`
    throw missing(which, providerId, 'the credential')
  }

  /** The provider's secret headers. Throws UpstreamFailure as `read` does. */
  async #readHeaders(providerId: string): Promise<Headers> {
    const text = await this.#get(nameHeadersEntry(providerId), providerId)
    const headers = text === null ? null : readSecretHeaders(text)
    if (headers === null) throw missing('The header with a credential', providerId, 'the headers')
    return headers
  }

  /**
   * Replaces the provider's `count` credentials. Throws 503 with the credential store's message, after restoring the old
   * ones.
   */
  async replace(providerId: string, secrets: readonly string[], count: number): Promise<Undo> {
    // Environment variables cannot be deleted.
    if (secrets.length === 0 && this.#entries.kind === 'env') return async () => {}
    const undo = await this.#entries.change(async (change) => {
      for (const [index, secret] of secrets.entries()) {
        await change.put(nameEntry(providerId, index), secret, index < count)
      }
      for (let index = count - 1; index >= secrets.length; index -= 1) {
        await change.drop(nameEntry(providerId, index))
      }
    })
    for (let index = 0; index < Math.max(count, secrets.length); index += 1) {
      this.#coolDowns.delete(nameEntry(providerId, index))
    }
    return undo
  }

  /**
   * Replaces the secret headers; `had`: whether there were any. Throws 400 when credentials come from the environment,
   * which cannot be written.
   */
  async #replaceHeaders(providerId: string, headers: Headers, had: boolean): Promise<Undo> {
    const names = Object.keys(headers)
    if (names.length > 0 && this.#entries.kind === 'env') {
      throw invalidRequest(
        `The header ${names[0]} contains a credential, which cannot be stored while credentials come from the environment. Start Tollgate with --credentials keychain or memory to use it.`,
        { param: 'headers' },
      )
    }
    const name = nameHeadersEntry(providerId)
    const text = writeSecretHeaders(headers)
    return await this.#entries.change(async (change) => {
      if (names.length > 0) await change.put(name, text, had)
      else if (had && this.#entries.kind !== 'env') await change.drop(name)
    })
  }

  /** Deletes the key that signed receipts in earlier versions. Throws a CredentialStoreError. */
  async deleteReceiptKey(): Promise<void> {
    if (this.#entries.kind === 'keychain') await this.#entries.delete('#receipts')
  }

  /** How many credentials the environment has for the provider; 0 when credentials are stored elsewhere. */
  async countPreset(providerId: string): Promise<number> {
    if (this.#entries.kind !== 'env') return 0
    return (await this.#entries.get(nameEntry(providerId, 0)).catch(() => null)) === null ? 0 : 1
  }

  /** All of the provider's headers, once `loadHeaders` has resolved. */
  getHeaders(row: StoredProvider): Record<string, string> {
    return getOrCreate(this.#headers, row.secretHeaders, () => ({ ...row.headers }))
  }

  #hasAllHeaders({ secretHeaders }: StoredProvider): boolean {
    return secretHeaders.length === 0 || this.#complete.has(secretHeaders)
  }

  /** Reads the secret headers. Throws UpstreamFailure when they cannot be read. */
  async loadHeaders(row: StoredProvider): Promise<void> {
    if (this.#hasAllHeaders(row)) return
    Object.assign(this.getHeaders(row), await this.#readHeaders(row.id))
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
        steps.push(await this.replace(before.id, secrets.credentials, before.credentialCount))
      }
      if (secrets.headers) {
        const { secret } = splitHeaders(secrets.headers)
        steps.push(await this.#replaceHeaders(before.id, secret, before.secretHeaders.length > 0))
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
    const stored = row.secretHeaders.length > 0 ? await this.#readHeaders(row.id) : {}
    const headers = { ...stored, ...secret }
    const next = { ...row, headers: { ...plain }, secretHeaders: Object.keys(headers) }
    await this.change(row, { credentials: null, headers }, () => write(next))
  }

  /** Null when there is no such entry. Throws UpstreamFailure when it cannot be read. */
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

/**
 * The indexes of credentials in the order of a session: by the hash of both, so that removing one moves only its own sessions. Source:
 * D. G. Thaler and C. V. Ravishankar, "Using Name-Based Mappings to Increase Hit Rates", 1998.
 */
export function rankCredentials(ids: readonly string[], sessionId: string): number[] {
  const weights = ids.map((id) => hash('sha1', `${id} ${sessionId}`))
  return [...ids.keys()].sort((a, b) => ((weights[a] ?? '') < (weights[b] ?? '') ? 1 : -1))
}

/** The first has the same name as an only credential. The id of a provider contains no `#`. */
function nameEntry(providerId: string, index: number): string {
  return index === 0 ? providerId : `${providerId}#${index + 1}`
}

function nameHeadersEntry(providerId: string): string {
  return `${providerId}#headers`
}

function missing(which: string, providerId: string, what: string): UpstreamFailure {
  return unavailable(
    `${which} of ${providerId} is not in the keychain: the keychain is locked, or the entry was deleted. Unlock it, or enter ${what} again under Providers.`,
  )
}

function unavailable(message: string): UpstreamFailure {
  return new UpstreamFailure({ kind: 'credential', code: CREDENTIALS_UNAVAILABLE, message, sent: false })
}

/** Restores the entries as they were before, as far as possible. */
export type Undo = () => Promise<void>

/** Changes several entries as one transaction. */
export interface EntryChange {
  /** `had`: whether an entry of that name exists. */
  put(name: string, secret: string, had: boolean): Promise<void>
  drop(name: string): Promise<void>
}

export class SecretEntries {
  readonly installId: string
  readonly #store: CredentialStore
  readonly #prefix: string
  /** Entries are read when needed and then cached: some keychains prompt the user at every read. */
  readonly #cache = new Map<string, string>()

  /** `installId` separates the entries of a user's data dirs in one keychain. */
  constructor(store: CredentialStore, installId: string) {
    this.#store = store
    this.installId = installId
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
          else if (!had) steps.push(() => this.delete(name))
          await this.#set(name, secret)
        },
        drop: async (name) => {
          const before = await this.get(name)
          if (before !== null) steps.push(() => this.#set(name, before))
          await this.delete(name)
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

  async delete(name: string): Promise<void> {
    this.#cache.delete(name)
    await this.#store.delete(this.#prefix + name)
  }
}

// Headers of a provider that contain a secret are stored like credentials, never in the database.

export type Headers = Readonly<Record<string, string>>

/** Broad on purpose: treating a harmless header as a secret costs nothing. */
const SECRET_NAME = /auth|key|token|secret|pass|pwd|cookie|credential|session|signature/i
/** A value as in `Authorization` is a secret under any name: https://www.rfc-editor.org/rfc/rfc9110#section-11.4 */
const SECRET_VALUE = /^(bearer|basic|token|digest)\s/i

export function splitHeaders(headers: Headers): { plain: Headers; secret: Headers } {
  const isSecret = ([name, value]: [string, string]) => SECRET_NAME.test(name) || SECRET_VALUE.test(value)
  const all = Object.entries(headers)
  return {
    plain: Object.fromEntries(all.filter((header) => !isSecret(header))),
    secret: Object.fromEntries(all.filter(isSecret)),
  }
}

/** Encodes the headers for one keychain entry. Throws 400 when they are too long for it. */
export function writeSecretHeaders(headers: Headers): string {
  const text = JSON.stringify(headers)
  if (Buffer.byteLength(text) > MAX_CREDENTIAL_BYTES) {
    throw invalidRequest(
      `The headers that carry credentials (${Object.keys(headers).join(', ')}) are stored together in one keychain entry of at most ${MAX_CREDENTIAL_BYTES} bytes. Make them shorter.`,
      { param: 'headers' },
    )
  }
  return text
}

/** Decodes the text of `writeSecretHeaders`; null for anything else. */
export function readSecretHeaders(text: string): Headers | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return null
    const entries = Object.entries(value).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    )
    return Object.fromEntries(entries)
  } catch {
    return null
  }
}
