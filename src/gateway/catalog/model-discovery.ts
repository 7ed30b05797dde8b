import { ModelId } from '../../shared/models.ts'
import type { LocalServer, ProviderTest } from '../../shared/providers.ts'
import type { UpstreamModel } from '../formats/codec.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import type { Clock } from '../platform/clock.ts'
import { GatewayError } from '../platform/errors.ts'
import { knownProvider, knownProviders } from '../providers/known-providers.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import { hasBuiltInModels } from '../sandbox/models.ts'
import type { Store } from '../store/store.ts'
import type { AdapterFor } from '../upstream/adapters.ts'
import { toClientError } from '../upstream/client-error.ts'
import type { UpstreamPool } from '../upstream/connection-pool.ts'
import { CredentialRotation } from '../upstream/credential-rotation.ts'
import { addLocalDetails, probeLocal } from '../upstream/local-servers.ts'
import type { Catalog } from './catalog.ts'
import { listVendorModels } from './model-data.ts'

const LIST_TIMEOUT_MS = 20_000
/** After a failure, requests for models do not read the provider's list again for this long. */
const RETRY_AFTER_MS = 30_000

/** Reads the model lists of providers, which also tests their credentials. */
export class ProviderModels {
  readonly #store: Store
  readonly #clock: Clock
  readonly #providers: ProviderRegistry
  readonly #catalog: Catalog
  readonly #pool: UpstreamPool
  readonly #adapterFor: AdapterFor
  readonly #attemptedAt = new Map<string, number>()

  constructor(deps: {
    store: Store
    clock: Clock
    providers: ProviderRegistry
    catalog: Catalog
    pool: UpstreamPool
    adapterFor: AdapterFor
  }) {
    this.#store = deps.store
    this.#clock = deps.clock
    this.#providers = deps.providers
    this.#catalog = deps.catalog
    this.#pool = deps.pool
    this.#adapterFor = deps.adapterFor
  }

  /** Reads the provider's list with the stored credential. Throws 404; a failure of the provider is a result. */
  async test(id: string): Promise<ProviderTest> {
    this.#providers.require(id)
    const startedAt = this.#clock.monotonic()
    const result = await this.#readList(id).catch((error: unknown) => {
      if (error instanceof UpstreamFailure) return error
      throw error
    })
    const latencyMs = Math.round(this.#clock.monotonic() - startedAt)
    if (result instanceof UpstreamFailure)
      return { ok: false, latencyMs, modelCount: 0, error: result.message }
    return { ok: true, latencyMs, modelCount: result.length }
  }

  /** Reads the provider's list into the catalog. Throws 404, or the client error for a failure of the provider. */
  async refresh(id: string): Promise<{ id: string }[]> {
    const { apiFormat } = this.#providers.require(id)
    const models = await this.#readList(id).catch((error: unknown) => {
      if (error instanceof UpstreamFailure) throw new GatewayError(toClientError(error))
      throw error
    })
    if (!hasBuiltInModels(apiFormat)) {
      await this.#providers.runExclusive(id, () => this.#saveModels(id, models))
    }
    return models.map((model) => ({ id: model.id }))
  }

  /** Throws 404 if the provider was removed while its list was read. */
  async #saveModels(id: string, models: UpstreamModel[]): Promise<void> {
    this.#providers.require(id)
    const listed = models.map(({ id: modelId, ...info }) => ({ id: modelId, info }))
    const at = this.#clock.now()
    await this.#store.write('replaceProviderModels', { providerId: id, models: listed, at })
    this.#catalog.setListings(id, listed)
    this.#providers.setModelsFetchedAt(id, at)
  }

  /** Reads the lists of providers that have none yet. Failures are ignored. */
  async refreshMissing(): Promise<void> {
    const now = this.#clock.monotonic()
    const due = this.#providers.listEnabled().filter((row) => {
      const attemptedAt = this.#attemptedAt.get(row.id)
      return (
        !hasBuiltInModels(row.apiFormat) &&
        row.modelsFetchedAt === null &&
        (attemptedAt === undefined || now - attemptedAt > RETRY_AFTER_MS)
      )
    })
    for (const row of due) this.#attemptedAt.set(row.id, now)
    await Promise.all(due.map((row) => this.refresh(row.id).catch(() => undefined)))
  }

  /** The known local servers, and whether they run on their usual ports. `ownPort`, the gateway's, is skipped. */
  async discover(ownPort: number): Promise<LocalServer[]> {
    const locals = knownProviders.filter(
      ({ local, baseUrl }) => local && new URL(baseUrl).port !== String(ownPort),
    )
    return Promise.all(
      locals.map(async ({ id, name, baseUrl }) => {
        const modelCount = await probeLocal({ id, baseUrl }, this.#pool)
        return {
          id,
          name,
          baseUrl,
          configured: this.#providers.isConfigured(id),
          ...{ running: modelCount !== null, modelCount: modelCount ?? 0 },
        }
      }),
    )
  }

  /** Tries each credential until one is accepted. Throws UpstreamFailure. */
  async #readList(id: string): Promise<UpstreamModel[]> {
    const source = this.#providers.endpoint(id)
    const limited = {
      ...source,
      upstreamModel: '',
      servedModel: '',
      maxOutputTokens: null,
      totalTimeoutMs: LIST_TIMEOUT_MS,
      firstByteTimeoutMs: Math.min(source.firstByteTimeoutMs, LIST_TIMEOUT_MS),
    }
    const rotation = new CredentialRotation(this.#providers.credentialOrder(id))
    for (;;) {
      try {
        const credential = await this.#providers.credential(id, rotation.current)
        if (credential === null && source.needsCredential) {
          throw new UpstreamFailure({
            kind: 'credential',
            message: 'No credential is set for this provider.',
          })
        }
        const call = { source: limited, credential, signal: new AbortController().signal }
        const listed = await this.#adapterFor(source.apiFormat).listModels(call)
        const models = listed.filter((model) => ModelId.safeParse(model.id).success)
        const known = knownProvider(id)
        const kind = known?.localDetails
        const { priceId = '', modelVendor = priceId, listedModels } = known ?? {}
        if (listedModels) return listVendorModels(modelVendor, listedModels).map((model) => ({ id: model }))
        return kind ? await addLocalDetails(models, kind, call, this.#pool) : models
      } catch (error) {
        if (!(error instanceof UpstreamFailure) || !rotation.advance(error)) throw error
      }
    }
  }
}
