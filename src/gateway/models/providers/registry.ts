import type { EnvironmentCredential, ProviderPut, ProviderRecord } from '../../../shared/api/providers.ts'
import { isPlan, SANDBOX_ID } from '../../../shared/api/terms.ts'
import { errorMessage } from '../../../shared/values/text.ts'
import type { Endpoint } from '../../formats/chat/codec-types.ts'
import type { Clock } from '../../platform/clock.ts'
import { invalidRequest, notFound } from '../../platform/errors.ts'
import type { EventHub } from '../../platform/events.ts'
import type { Log } from '../../platform/log.ts'
import { getOrCreate } from '../../platform/maps.ts'
import { SerialQueue } from '../../platform/wait.ts'
import { createProvider, type Store, type StoredProvider } from '../../store/store.ts'
import type { CircuitBreakers } from '../../upstream/circuit-breaker.ts'
import type { CredentialEnvironment } from './credential-store.ts'
import { type Credentials, rankCredentials } from './credentials.ts'
import { findKnownProvider, knownProviders } from './known-providers.ts'
import type { KnownProvider } from './provider-traits.ts'
import {
  changeRow,
  chooseAuthorization,
  countUsedCredentials,
  createEndpoint,
  listCredentialIds,
  parseCredentials,
  refuseInsecureHttp,
  toRecord,
  toUnconfiguredRecord,
} from './rows.ts'

/** The input for reading a provider's list of models, stored or not yet. */
export interface ModelListSource {
  row: StoredProvider
  endpoint: Endpoint
  /** The indexes of the credentials in the order to use them. */
  credentialOrder: readonly number[]
  /** Null if the provider has none. Throws UpstreamFailure when it cannot be read. */
  credential(index: number): string | null | Promise<string | null>
}

interface RegistryDeps {
  store: Store
  clock: Clock
  credentials: Credentials
  breakers: CircuitBreakers
  events: EventHub
}

export class ProviderRegistry {
  readonly #deps: RegistryDeps
  readonly #rows = new Map<string, StoredProvider>()
  /** The endpoints by their rows, which are replaced and never changed. */
  readonly #calls = new WeakMap<StoredProvider, { endpoint: Endpoint; credentialCount: number }>()
  readonly #queues = new Map<string, SerialQueue>()
  readonly #listeners: (() => void)[] = []

  constructor(deps: RegistryDeps, stored: readonly StoredProvider[], installedAt: number) {
    this.#deps = deps
    this.#rows.set(
      SANDBOX_ID,
      createProvider({ id: SANDBOX_ID, name: 'Sandbox', apiFormat: 'sandbox', createdAt: installedAt }),
    )
    for (const row of stored) this.#rows.set(row.id, row)
  }

  /** Calls `listener` after every change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  isConfigured(id: string): boolean {
    return this.#rows.has(id)
  }

  /** The configured provider. Throws 404. */
  require(id: string): StoredProvider {
    const row = this.#rows.get(id)
    if (row) return row
    const known = findKnownProvider(id)
    throw notFound(known ? `${known.name} is not set up yet.` : `There is no provider "${id}".`)
  }

  /** In order of priority. */
  listEnabled(): StoredProvider[] {
    return [...this.#rows.values()].filter(isEnabled).sort(byPriority)
  }

  listDisabled(): StoredProvider[] {
    return [...this.#rows.values()].filter((row) => !isEnabled(row))
  }

  findEnabled(id: string): StoredProvider | null {
    const row = this.#rows.get(id)
    return row && isEnabled(row) ? row : null
  }

  /** Configured providers by priority, then known ones that are not configured. */
  list(modelCount: (id: string) => number): ProviderRecord[] {
    const configured = [...this.#rows.values()].sort(byPriority).map((row) => this.record(row.id, modelCount))
    const others = knownProviders.filter((known) => !this.#rows.has(known.id)).map(toUnconfiguredRecord)
    return [...configured, ...others]
  }

  record(id: string, modelCount: (id: string) => number): ProviderRecord {
    const row = this.require(id)
    const breaker = this.#deps.breakers.state(id)
    return toRecord(row, { enabled: isEnabled(row), breaker, modelCount: modelCount(id) })
  }

  /**
   * Adds a provider or changes one; absent members stay as they are. Secrets are stored before the row that refers to
   * them, and restored when the row cannot be written. Throws 400 for an unknown vendor without `apiFormat` and
   * `baseUrl`, and for a credential that would be sent over plain http; 503 when a secret cannot be stored.
   */
  put(id: string, patch: ProviderPut): Promise<void> {
    return this.runExclusive(id, async () => {
      const { base, row, newCredentials } = await this.#change(id, patch)
      const secrets = { credentials: newCredentials, headers: patch.headers ?? null }
      await this.#deps.credentials.change(base, secrets, () => this.#deps.store.write('putProvider', row))
      this.#rows.set(id, row)
      if (Object.keys(patch).some((field) => field !== 'priority')) this.#deps.breakers.reset(id)
      this.#notifyChange()
    })
  }

  /** Throws 400 as `put` does. */
  async #change(id: string, patch: ProviderPut) {
    const { base, changed } = changeRow(id, this.#rows.get(id), patch, this.#deps.clock.now())
    const newCredentials = parseCredentials(patch, chooseAuthorization(changed))
    const credentialCount =
      newCredentials?.length ?? (base.credentialCount || (await this.#deps.credentials.countPreset(id)))
    const credentialIds =
      newCredentials?.map((secret) => this.#deps.credentials.createId(id, secret)) ?? base.credentialIds
    const row = { ...changed, credentialCount, credentialIds }
    refuseInsecureHttp(row, patch)
    return { base, row, newCredentials }
  }

  /** The provider as `put` would make it, with its models' list still to be read. Stores nothing. Throws as `put` does. */
  async draft(id: string, patch: ProviderPut): Promise<ModelListSource> {
    const { row, newCredentials } = await this.#change(id, patch)
    const { credentials } = this.#deps
    const count = countUsedCredentials(row)
    return {
      row,
      endpoint: { ...createEndpoint(row), headers: patch.headers ?? credentials.getHeaders(row) },
      credentialOrder: newCredentials ? [...newCredentials.keys()] : credentials.order(row.id, count),
      credential: async (index) => {
        if (!patch.headers) await credentials.loadHeaders(row)
        return newCredentials ? (newCredentials[index] ?? null) : await credentials.read(row.id, index, count)
      },
    }
  }

  /** The source of the provider's list of models. Throws 404. */
  listSource(id: string): ModelListSource {
    return {
      row: this.require(id),
      endpoint: this.endpoint(id),
      credentialOrder: this.credentialOrder(id),
      credential: (index) => this.credential(id, index),
    }
  }

  /** Throws 404; 400 for the sandbox, which can only be disabled. */
  remove(id: string): Promise<void> {
    return this.runExclusive(id, async () => {
      const row = this.require(id)
      if (id === SANDBOX_ID)
        throw invalidRequest('The sandbox is built in and cannot be removed. Disable it instead.')
      const noSecrets = { credentials: row.credentialCount > 0 ? [] : null, headers: {} }
      await this.#deps.credentials.change(row, noSecrets, () => this.#deps.store.write('deleteProvider', id))
      this.#rows.delete(id)
      this.#deps.breakers.reset(id)
      this.#notifyChange()
    })
  }

  /** Changes of one provider run one after another: a keychain can take seconds, and no change may undo another. */
  runExclusive<T>(id: string, change: () => Promise<T>): Promise<T> {
    return getOrCreate(this.#queues, id, () => new SerialQueue()).run(change)
  }

  /** Earlier versions stored the values of all headers in the database. Resolves when the secret ones have been moved. */
  async moveSecretHeaders(log: Log): Promise<void> {
    for (const id of [...this.#rows.keys()]) {
      const moved = this.runExclusive(id, async () => {
        const row = this.#rows.get(id)
        if (!row) return
        await this.#deps.credentials.moveFromDatabase(row, async (next) => {
          await this.#deps.store.write('putProvider', next)
          this.#rows.set(id, next)
        })
      })
      await moved.catch((error: unknown) =>
        log.warn(
          `Headers of ${id} that look like credentials stay in the database until they can be moved to the keychain: ${errorMessage(error)}`,
        ),
      )
    }
  }

  setModelsFetchedAt(id: string, at: number): void {
    const row = this.#rows.get(id)
    if (row) this.#rows.set(id, { ...row, modelsFetchedAt: at })
    this.#notifyChange()
  }

  /**
   * The same object as long as the provider is not changed. Its headers are complete once `credential` has resolved.
   * Throws 404.
   */
  endpoint(id: string): Endpoint {
    return this.#prepareCalls(this.require(id)).endpoint
  }

  /**
   * The indexes of the provider's credentials in the order to use them, which a session may have for itself. `sessionId`: null
   * outside of sessions. Throws 404.
   */
  credentialOrder(id: string, sessionId: string | null = null): readonly number[] {
    const row = this.require(id)
    const { credentialCount } = this.#prepareCalls(row)
    const spread = row.spreadSessions && sessionId !== null && credentialCount > 1
    return this.#deps.credentials.order(
      id,
      credentialCount,
      spread ? rankCredentials(listCredentialIds(row), sessionId) : null,
    )
  }

  hasSeveralCredentials(id: string): boolean {
    const row = this.#rows.get(id)
    return row !== undefined && this.#prepareCalls(row).credentialCount > 1
  }

  /** The ids of the provider's credentials in their order, and until when each rests. Throws 404. */
  listCredentials(id: string): { id: string; restsUntil: number | null }[] {
    const ids = listCredentialIds(this.require(id))
    return ids.map((name, index) => ({ id: name, restsUntil: this.#deps.credentials.restsUntil(id, index) }))
  }

  /** Finds a credential as `Credentials.find` does; null when the provider was removed. */
  credential(id: string, credentialIndex: number): string | null | Promise<string | null> {
    const row = this.#rows.get(id)
    return row
      ? this.#deps.credentials.find(row, credentialIndex, this.#prepareCalls(row).credentialCount)
      : null
  }

  /** Puts the provider's other credentials before this one for `ms` milliseconds. */
  coolDownCredential(id: string, credentialIndex: number, ms: number): void {
    this.#deps.credentials.coolDown(id, credentialIndex, ms)
  }

  #prepareCalls(row: StoredProvider) {
    return getOrCreate(this.#calls, row, () => {
      const headers = isPlan(row.id) ? {} : this.#deps.credentials.getHeaders(row)
      return { endpoint: { ...createEndpoint(row), headers }, credentialCount: countUsedCredentials(row) }
    })
  }

  #notifyChange(): void {
    for (const listener of this.#listeners) listener()
    this.#deps.events.publish('providers', () => ({ type: 'providers' }))
  }
}

function byPriority(a: StoredProvider, b: StoredProvider): number {
  return a.priority - b.priority || a.id.localeCompare(b.id)
}

/** Null means no choice by the user. */
function isEnabled({ enabled }: StoredProvider): boolean {
  return enabled !== false
}

export class ProviderImport {
  readonly #environment: CredentialEnvironment
  readonly #providers: ProviderRegistry
  /** Whether credentials are read from the environment anyway, so that nothing needs to be copied. */
  readonly #inPlace: boolean

  constructor(environment: CredentialEnvironment, providers: ProviderRegistry, inPlace: boolean) {
    this.#environment = environment
    this.#providers = providers
    this.#inPlace = inPlace
  }

  /** Known providers that need nothing but a credential, have one in the environment and are not configured with one. Never contains a value. */
  list(): EnvironmentCredential[] {
    return knownProviders
      .filter((known) => known.needsCredential && known.address === undefined && !this.#hasCredential(known))
      .flatMap((known) => {
        const found = this.#environment.find(known.id)
        return found ? [{ id: known.id, name: known.name, variable: found.variable }] : []
      })
  }

  /**
   * Configures the provider with its credential from the environment. Throws 404 for an unknown provider, 400 when it has
   * a credential or the environment has none, 503 when the credential cannot be stored.
   */
  async import(id: string): Promise<void> {
    const known = findKnownProvider(id)
    if (!known?.needsCredential) throw notFound(`There is no known provider "${id}" that needs a credential.`)
    if (this.#hasCredential(known)) {
      throw invalidRequest(`${known.name} already has a credential. Replace it under Providers instead.`)
    }
    const found = this.#environment.find(id)
    if (!found) throw invalidRequest(`No environment variable contains a credential for ${known.name}.`)
    await this.#providers.put(id, this.#inPlace ? {} : { credential: found.secret })
  }

  #hasCredential({ id }: KnownProvider): boolean {
    return this.#providers.isConfigured(id) && this.#providers.require(id).credentialCount > 0
  }
}
