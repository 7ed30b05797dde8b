// Owns the user's providers in memory: their rows, whether they are on, and the targets they make. Calls nobody.
import type { ProviderPut, ProviderRecord } from '../shared/providers.ts'
import { familyOf } from './catalog/families.ts'
import { knownProvider, knownProviders } from './catalog/known-providers.ts'
import type { Offer } from './catalog/offers.ts'
import { SANDBOX_ID } from './catalog/sandbox-models.ts'
import type { Clock } from './clock.ts'
import { invalidRequest, notFound } from './errors.ts'
import type { EventHub } from './events.ts'
import type { Credentials } from './provider-credentials.ts'
import {
  blankRow,
  changed,
  fresh,
  refuseOddId,
  refuseSandboxChange,
  timeoutsOf,
  unconfigured,
  wantedCredentials,
} from './provider-rows.ts'
import type { StoredProvider } from './store/rows.ts'
import type { Store } from './store/store.ts'
import type { Breakers } from './upstream/breaker.ts'
import { mergedQuirks, type Target } from './upstream/target.ts'
import { wireOf } from './wire/wires.ts'

export class ProviderBook {
  readonly #store: Store
  readonly #clock: Clock
  readonly #credentials: Credentials
  readonly #breakers: Breakers
  readonly #events: EventHub
  readonly #rows = new Map<string, StoredProvider>()
  /** Called after every change; the catalogue forgets what it derived. */
  onChange: () => void = () => {}

  constructor(
    store: Store,
    clock: Clock,
    credentials: Credentials,
    breakers: Breakers,
    events: EventHub,
    stored: readonly StoredProvider[],
    installedAt: number,
  ) {
    this.#store = store
    this.#clock = clock
    this.#credentials = credentials
    this.#breakers = breakers
    this.#events = events
    this.#rows.set(SANDBOX_ID, {
      ...blankRow(SANDBOX_ID, installedAt),
      name: 'Sandbox',
      apiFormat: 'sandbox',
    })
    for (const row of stored) this.#rows.set(row.id, row)
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

  /** Whether the provider is set up. */
  has(id: string): boolean {
    return this.#rows.has(id)
  }

  record(id: string, modelCount: (id: string) => number): ProviderRecord {
    const row = this.require(id)
    const known = knownProvider(id)
    const enabled = this.#isOn(row)
    const needsCredential = known?.needsCredential ?? false
    const breaker = this.#breakers.state(id)
    const missing = needsCredential && row.credentialCount === 0
    return {
      id,
      name: row.name,
      apiFormat: row.apiFormat,
      baseUrl: row.baseUrl,
      configured: true,
      enabled,
      hasCredential: row.credentialCount > 0,
      credentialCount: row.credentialCount,
      needsCredential,
      local: known?.local ?? false,
      priority: row.priority,
      ...timeoutsOf(row),
      headerNames: Object.keys(row.headers),
      modelCount: modelCount(id),
      modelsFetchedAt: row.modelsFetchedAt === null ? null : new Date(row.modelsFetchedAt).toISOString(),
      consoleUrl: known?.consoleUrl ?? null,
      health: {
        state: !enabled ? 'off' : missing ? 'no-credential' : breaker.state,
        until: breaker.until === null ? null : new Date(breaker.until).toISOString(),
        lastError: breaker.lastError,
      },
    }
  }

  /**
   * Adds a provider or changes one; absent members stay as they are. The credential is put away before the row says
   * that there is one. Throws 400 for an unknown vendor without `apiFormat` and `baseUrl`, 503 when the credential cannot be kept.
   */
  async put(id: string, patch: ProviderPut): Promise<void> {
    const before = this.#rows.get(id)
    const known = knownProvider(id)
    if (!before) refuseOddId(id)
    if (id === SANDBOX_ID) refuseSandboxChange(patch)
    const base = before ?? fresh(id, known, patch, this.#clock.now())
    const credentialCount = await this.#keepCredentials(id, patch, base.credentialCount)
    const row = { ...changed(base, patch), credentialCount }
    await this.#store.write('putProvider', row)
    this.#rows.set(id, row)
    this.#breakers.forget(id)
    this.#changed()
  }

  /** Throws 404; 400 for the sandbox, which can only be turned off. */
  async remove(id: string): Promise<void> {
    const row = this.require(id)
    if (id === SANDBOX_ID) throw invalidRequest('The sandbox is built in. Turn it off instead.')
    if (row.credentialCount > 0) await this.#credentials.replace(id, [], row.credentialCount)
    await this.#store.write('deleteProvider', id)
    this.#rows.delete(id)
    this.#breakers.forget(id)
    this.#changed()
  }

  noteFetched(id: string, at: number): void {
    const row = this.#rows.get(id)
    if (row) this.#rows.set(id, { ...row, modelsFetchedAt: at })
    this.#changed()
  }

  /** Where an attempt at this offer goes. */
  target(offer: Pick<Offer, 'providerId' | 'upstreamModel' | 'id' | 'maxOutputTokens'>): Target {
    const row = this.require(offer.providerId)
    const known = knownProvider(row.id)
    return {
      providerId: row.id,
      apiFormat: row.apiFormat,
      baseUrl: row.baseUrl ?? '',
      upstreamModel: offer.upstreamModel,
      servedModel: offer.id,
      maxOutputTokens: offer.maxOutputTokens,
      headers: row.headers,
      quirks:
        row.apiFormat === 'sandbox'
          ? {}
          : mergedQuirks(wireOf(row.apiFormat).quirks, known?.quirks, familyOf(offer.upstreamModel)?.quirks),
      needsCredential: row.credentialCount > 0 || (known?.needsCredential ?? false),
      credentialOrder: this.#credentials.order(row.id, row.credentialCount),
      ...timeoutsOf(row),
    }
  }

  /** The provider's secret at `place`, or null when it has none. Throws UpstreamFailure when one is expected and cannot be had. */
  credential(id: string, place: number): Promise<string | null> {
    return this.#credentials.read(id, place, this.#rows.get(id)?.credentialCount ?? 0)
  }

  /** Lets the provider's other credentials go first for `ms` milliseconds. */
  restCredential(id: string, place: number, ms: number): void {
    this.#credentials.rest(id, place, ms)
  }

  /** A provider is on unless the user turned it off; null is no word of the user's. */
  #isOn(row: StoredProvider): boolean {
    return row.enabled !== false
  }

  /** How many the provider has then. */
  async #keepCredentials(id: string, patch: ProviderPut, count: number): Promise<number> {
    const wanted = wantedCredentials(patch)
    if (wanted === null) return count > 0 ? count : this.#credentials.preset(id)
    await this.#credentials.replace(id, wanted, count)
    return wanted.length
  }

  #changed(): void {
    this.onChange()
    this.#events.publish(() => ({ type: 'providers' }))
  }
}
