// Owns the user's providers in memory: their rows, whether they are on, and the targets they make. Calls nobody.

import { errorMessage } from '../../shared/error-message.ts'
import type { ProviderPut, ProviderRecord } from '../../shared/providers.ts'
import { codecOf } from '../formats/codecs.ts'
import { type Endpoint, mergeQuirks } from '../formats/target.ts'
import type { Clock } from '../platform/clock.ts'
import { invalidRequest, notFound } from '../platform/errors.ts'
import type { EventHub } from '../platform/events.ts'
import type { Log } from '../platform/log.ts'
import { SerialQueue } from '../platform/serial-queue.ts'
import { SANDBOX_ID } from '../sandbox/models.ts'
import type { Store, StoredProvider } from '../store/store.ts'
import type { CircuitBreakers } from '../upstream/circuit-breaker.ts'
import type { Credentials } from './credentials.ts'
import { knownProvider, knownProviders } from './known-providers.ts'
import {
  blankRow,
  changed,
  fresh,
  refuseInsecure,
  refuseOddId,
  refuseSandboxChange,
  timeoutsOf,
  wantedCredentials,
} from './rows.ts'
import { ProviderSecrets } from './secrets.ts'
import { configured, unconfigured } from './views.ts'

interface RegistryDeps {
  store: Store
  clock: Clock
  credentials: Credentials
  breakers: CircuitBreakers
  events: EventHub
}

export class ProviderRegistry {
  readonly #store: Store
  readonly #clock: Clock
  readonly #credentials: Credentials
  readonly #secrets: ProviderSecrets
  readonly #breakers: CircuitBreakers
  readonly #events: EventHub
  readonly #rows = new Map<string, StoredProvider>()
  readonly #queues = new Map<string, SerialQueue>()
  readonly #listeners: (() => void)[] = []

  constructor(
    { store, clock, credentials, breakers, events }: RegistryDeps,
    stored: readonly StoredProvider[],
    installedAt: number,
  ) {
    this.#store = store
    this.#clock = clock
    this.#credentials = credentials
    this.#secrets = new ProviderSecrets(credentials)
    this.#breakers = breakers
    this.#events = events
    this.#rows.set(SANDBOX_ID, {
      ...blankRow(SANDBOX_ID, installedAt),
      name: 'Sandbox',
      apiFormat: 'sandbox',
    })
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
    const known = knownProvider(id)
    throw notFound(known ? `${known.name} is not set up yet.` : `There is no provider "${id}".`)
  }

  /** Those that may be called, in order of priority. */
  enabled(): StoredProvider[] {
    return [...this.#rows.values()]
      .filter((row) => this.#isOn(row))
      .sort((a, b) => a.priority - b.priority || a.id.localeCompare(b.id))
  }

  turnedOff(): StoredProvider[] {
    return [...this.#rows.values()].filter((row) => !this.#isOn(row))
  }

  enabledOne(id: string): StoredProvider | null {
    const row = this.#rows.get(id)
    return row && this.#isOn(row) ? row : null
  }

  /** Configured ones by priority, then known ones that are not set up. */
  list(modelCount: (id: string) => number): ProviderRecord[] {
    const configured = [...this.#rows.values()]
      .sort((a, b) => a.priority - b.priority || a.id.localeCompare(b.id))
      .map((row) => this.record(row.id, modelCount))
    const others = knownProviders.filter((known) => !this.#rows.has(known.id)).map(unconfigured)
    return [...configured, ...others]
  }

  record(id: string, modelCount: (id: string) => number): ProviderRecord {
    const row = this.require(id)
    const breaker = this.#breakers.state(id)
    return configured(row, { enabled: this.#isOn(row), breaker, modelCount: modelCount(id) })
  }

  /**
   * Adds a provider or changes one; absent members stay as they are. Secrets are put away before the row says that
   * there are any, and put back when the row cannot be written. Throws 400 for an unknown vendor without `apiFormat`
   * and `baseUrl`, and for a credential that would go over plain http; 503 when a secret cannot be kept.
   */
  put(id: string, patch: ProviderPut): Promise<void> {
    return this.inTurn(id, async () => {
      const before = this.#rows.get(id)
      if (!before) refuseOddId(id)
      if (id === SANDBOX_ID) refuseSandboxChange(patch)
      const base = before ?? fresh(id, knownProvider(id), patch, this.#clock.now())
      const wanted = wantedCredentials(patch)
      const credentialCount = wanted?.length ?? (base.credentialCount || (await this.#credentials.preset(id)))
      const row = { ...changed(base, patch), credentialCount }
      refuseInsecure(row, patch)
      const secrets = { credentials: wanted, headers: patch.headers ?? null }
      await this.#secrets.change(base, secrets, () => this.#store.write('putProvider', row))
      this.#rows.set(id, row)
      this.#breakers.reset(id)
      this.#changed()
    })
  }

  /** Throws 404; 400 for the sandbox, which can only be turned off. */
  remove(id: string): Promise<void> {
    return this.inTurn(id, async () => {
      const row = this.require(id)
      if (id === SANDBOX_ID) throw invalidRequest('The sandbox is built in. Turn it off instead.')
      const none = { credentials: row.credentialCount > 0 ? [] : null, headers: {} }
      await this.#secrets.change(row, none, () => this.#store.write('deleteProvider', id))
      this.#rows.delete(id)
      this.#breakers.reset(id)
      this.#changed()
    })
  }

  /** Changes of one provider come one after the other: a keychain may take seconds, and none may undo another. */
  inTurn<T>(id: string, change: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(id) ?? new SerialQueue()
    this.#queues.set(id, queue)
    return queue.run(change)
  }

  /** Earlier versions kept the values of all headers in the database. Resolves when no secret is there any more. */
  async moveSecretHeaders(log: Log): Promise<void> {
    for (const id of [...this.#rows.keys()]) {
      const moved = this.inTurn(id, async () => {
        const row = this.#rows.get(id)
        if (!row) return
        await this.#secrets.move(row, async (next) => {
          await this.#store.write('putProvider', next)
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

  noteFetched(id: string, at: number): void {
    const row = this.#rows.get(id)
    if (row) this.#rows.set(id, { ...row, modelsFetchedAt: at })
    this.#changed()
  }

  /** Its headers are complete once `credential` was awaited. Throws 404. */
  endpoint(id: string): Endpoint {
    const row = this.require(id)
    const known = knownProvider(id)
    return {
      providerId: row.id,
      apiFormat: row.apiFormat,
      baseUrl: row.baseUrl ?? '',
      headers: this.#secrets.headersOf(row),
      quirks: row.apiFormat === 'sandbox' ? {} : mergeQuirks(codecOf(row.apiFormat).quirks, known?.quirks),
      needsCredential: row.credentialCount > 0 || (known?.needsCredential ?? false),
      credentialOrder: this.#credentials.order(row.id, row.credentialCount),
      ...timeoutsOf(row),
    }
  }

  /**
   * The provider's secret at `place`, or null when it has none. To be awaited before an endpoint is called: it
   * also fills in the endpoint's headers. Throws UpstreamFailure when a secret is expected and cannot be had.
   */
  async credential(id: string, place: number): Promise<string | null> {
    const row = this.#rows.get(id)
    if (row) await this.#secrets.fill(row)
    return await this.#credentials.read(id, place, row?.credentialCount ?? 0)
  }

  /** Lets the provider's other credentials go first for `ms` milliseconds. */
  coolDownCredential(id: string, credentialIndex: number, ms: number): void {
    this.#credentials.rest(id, credentialIndex, ms)
  }

  /** A provider is on unless the user turned it off; null is no word of the user's. */
  #isOn(row: StoredProvider): boolean {
    return row.enabled !== false
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
    this.#events.publish(() => ({ type: 'providers' }))
  }
}
