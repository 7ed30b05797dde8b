// The services that call providers, and know their models and prices.
import { GATEWAY } from '../activity/entries.ts'
import { Catalog } from '../models/catalog/catalog.ts'
import { ProviderModels } from '../models/catalog/model-discovery.ts'
import { PriceDatabase } from '../models/catalog/price-database.ts'
import { PriceRefresh } from '../models/catalog/price-refresh.ts'
import { ProviderImport } from '../models/providers/credential-import.ts'
import { Credentials } from '../models/providers/credentials.ts'
import { ProviderRegistry } from '../models/providers/registry.ts'
import type { TokenCounter } from '../models/tokens/token-counter.ts'
import { createAdapters } from '../upstream/adapters.ts'
import { CircuitBreakers } from '../upstream/circuit-breaker.ts'
import type { UpstreamPool } from '../upstream/connection-pool.ts'
import type { BaseServices } from './gateway-api.ts'

export function createProviderServices(
  { options, clock, store, state, events, settings, activity }: BaseServices,
  { pool, tokens }: { pool: UpstreamPool; tokens: TokenCounter },
) {
  const { log } = options
  const breakers = new CircuitBreakers(clock, (id, change) => {
    events.publish('providers', () => ({ type: 'providers' }))
    if (change === null) return
    const subject = { kind: 'provider', id, name: providers.findEnabled(id)?.name ?? id } as const
    if (change.kind === 'recovered')
      return activity.record({ kind: 'provider-recovered', actor: GATEWAY, subject })
    const { since, error: reason } = change
    activity.record({ kind: 'provider-failing', actor: GATEWAY, subject, since, reason })
  })
  const credentials = new Credentials(options.credentials, state.installId, clock)
  const providers = new ProviderRegistry(
    { store, clock, credentials, breakers, events },
    state.providers,
    state.installedAt,
  )
  const priceDatabase = new PriceDatabase()
  const catalog = new Catalog({
    store,
    clock,
    events,
    providers,
    prices: priceDatabase,
    models: state.providerModels,
    overrides: state.modelOverrides,
  })
  // Not awaited: a keychain may prompt the user.
  void providers.moveSecretHeaders(log)
  const adapterFor = createAdapters(pool)
  const providerModels = new ProviderModels({ store, clock, providers, catalog, pool, adapterFor })
  const providerImport = new ProviderImport(
    options.environment ?? { find: () => null },
    providers,
    options.credentials.kind === 'env',
  )
  const prices = new PriceRefresh({
    store,
    clock,
    pool,
    database: priceDatabase,
    log,
    url: options.priceDataUrl,
    changed: () => catalog.invalidate(),
    stored: settings.stored('prices'),
  })
  return { breakers, providers, catalog, pool, adapterFor, tokens, providerModels, providerImport, prices }
}
