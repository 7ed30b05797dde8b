import { ModelId } from '../../../shared/api/models.ts'
import type { LocalServer, ProviderPut, ProviderTest } from '../../../shared/api/providers.ts'
import { isPlan } from '../../../shared/api/terms.ts'
import type { UpstreamModel } from '../../formats/chat/codec-types.ts'
import { UpstreamFailure } from '../../formats/chat/failure.ts'
import type { Clock } from '../../platform/clock.ts'
import { GatewayError } from '../../platform/errors.ts'
import { hasBuiltInModels } from '../../sandbox/models.ts'
import type { Store } from '../../store/store.ts'
import { CredentialRotation } from '../../upstream/circuit-breaker.ts'
import { toClientError } from '../../upstream/client-error.ts'
import type { UpstreamPool } from '../../upstream/connection-pool.ts'
import type { AdapterFor } from '../../upstream/http-adapter.ts'
import { addLocalDetails, probeLocal } from '../../upstream/list-models.ts'
import { findKnownProvider, knownProviders } from '../providers/known-providers.ts'
import type { ModelListSource, ProviderRegistry } from '../providers/registry.ts'
import type { Catalog } from './catalog.ts'
import { listVendorModels } from './model-data.ts'
import { testProvider } from './provider-test.ts'

/** After a failure, requests for models do not read the provider's list again for this long. */
const RETRY_AFTER_MS = 30_000

interface ProviderModelsDeps extends ModelReader {
  store: Store
  clock: Clock
  providers: ProviderRegistry
  catalog: Catalog
}

/** Reads the model lists of providers, which also tests their base URLs and credentials. */
export class ProviderModels {
  readonly #deps: ProviderModelsDeps
  readonly #attemptedAt = new Map<string, number>()

  constructor(deps: ProviderModelsDeps) {
    this.#deps = deps
  }

  /** Reads the provider's list. Throws 404; a failure of the provider is a result. */
  test(id: string): Promise<ProviderTest> {
    return this.#test(this.#deps.providers.listSource(id))
  }

  /** Tests the provider with the patch applied, without storing it. Throws 400 as for storing it. */
  async try(id: string, patch: ProviderPut): Promise<ProviderTest> {
    return await this.#test(await this.#deps.providers.draft(id, patch))
  }

  #test(source: ModelListSource): Promise<ProviderTest> {
    return testProvider(source, (each) => readModels(each, this.#deps), this.#deps.pool)
  }

  /** Reads the provider's list into the catalog. Throws 404, or the client error for a failure of the provider. */
  async refresh(id: string): Promise<{ id: string }[]> {
    const { apiFormat } = this.#deps.providers.require(id)
    const models = await readModels(this.#deps.providers.listSource(id), this.#deps).catch(
      (error: unknown) => {
        if (error instanceof UpstreamFailure) throw new GatewayError(toClientError(error))
        throw error
      },
    )
    if (!hasBuiltInModels(apiFormat) && !isPlan(id)) {
      await this.#deps.providers.runExclusive(id, () => this.#saveModels(id, models))
    }
    return models.map((model) => ({ id: model.id }))
  }

  /** Throws 404 if the provider was removed while its list was read. */
  async #saveModels(id: string, models: UpstreamModel[]): Promise<void> {
    this.#deps.providers.require(id)
    const listed = models.map(({ id: modelId, ...info }) => ({ id: modelId, info }))
    const at = this.#deps.clock.now()
    await this.#deps.store.write('replaceProviderModels', { providerId: id, models: listed, at })
    this.#deps.catalog.sources.setListings(id, listed)
    this.#deps.providers.setModelsFetchedAt(id, at)
  }

  /** Reads the lists of providers that have none yet. Failures are ignored. */
  async refreshMissing(): Promise<void> {
    const now = this.#deps.clock.monotonic()
    const due = this.#deps.providers.listEnabled().filter((row) => {
      const attemptedAt = this.#attemptedAt.get(row.id)
      return (
        !hasBuiltInModels(row.apiFormat) &&
        !isPlan(row.id) &&
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
        const modelCount = await probeLocal({ id, baseUrl }, this.#deps.pool)
        const configured = this.#deps.providers.isConfigured(id)
        return { id, name, baseUrl, configured, running: modelCount !== null, modelCount: modelCount ?? 0 }
      }),
    )
  }
}

const LIST_TIMEOUT_MS = 20_000

interface ModelReader {
  adapterFor: AdapterFor
  pool: UpstreamPool
}

/** Reads the provider's list of models; tries each credential until one is accepted. Throws UpstreamFailure. */
async function readModels(
  { row: { id }, endpoint, credentialOrder, credential: read }: ModelListSource,
  { adapterFor, pool }: ModelReader,
): Promise<UpstreamModel[]> {
  // A plan has no list without a sign-in, which only comes with requests.
  if (isPlan(id)) return []
  const source = {
    ...endpoint,
    totalTimeoutMs: Math.min(endpoint.totalTimeoutMs, LIST_TIMEOUT_MS),
    firstByteTimeoutMs: Math.min(endpoint.firstByteTimeoutMs, LIST_TIMEOUT_MS),
  }
  const rotation = new CredentialRotation(credentialOrder)
  for (;;) {
    try {
      const credential = await read(rotation.current)
      if (credential === null && endpoint.needsCredential) {
        const message = 'No credential is set for this provider.'
        throw new UpstreamFailure({ kind: 'credential', message })
      }
      const call = { source, credential, signal: new AbortController().signal }
      const listed = await adapterFor(endpoint.apiFormat).listModels(call)
      const models = listed.filter((model) => ModelId.safeParse(model.id).success)
      const { localDetails, priceId = '', modelVendor = priceId, listedModels } = findKnownProvider(id) ?? {}
      if (!listedModels)
        return localDetails ? await addLocalDetails(models, localDetails, call, pool) : models
      const ids = listedModels instanceof RegExp ? listVendorModels(modelVendor, listedModels) : listedModels
      return ids.map((model) => ({ id: model }))
    } catch (error) {
      if (!(error instanceof UpstreamFailure) || !rotation.advance(error)) throw error
    }
  }
}
