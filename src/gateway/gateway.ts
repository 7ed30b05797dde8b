// Builds the gateway from its services. Hosts start it with `start-gateway.ts`.

import { setTimeout as delay } from 'node:timers/promises'
import { ContainerListener, findDockerBridge } from './api/container-listener.ts'
import { Listeners } from './api/listen.ts'
import { createOwnerTransport } from './api/owner-transport.ts'
import { createRequestListeners } from './api/server.ts'
import { AccountService } from './billing/account.ts'
import { Budget } from './billing/budget.ts'
import { CapAlerts } from './billing/cap-alerts.ts'
import { Charging } from './billing/charging.ts'
import { Rehearsals } from './billing/rehearsal.ts'
import { SpendLimits } from './billing/spend-limits.ts'
import { Catalog } from './catalog/catalog.ts'
import { ProviderModels } from './catalog/model-discovery.ts'
import { PriceDatabase } from './catalog/price-database.ts'
import { PriceRefresh } from './catalog/price-refresh.ts'
import { RecentItemCache } from './formats/openai-responses/client/recent-items.ts'
import { ReasoningSignatureCache } from './formats/reasoning-signatures.ts'
import type { Gateway, GatewayOptions } from './gateway-api.ts'
import { RunawayGuard } from './guard/runaway-guard.ts'
import { Idempotency } from './idempotency/idempotency.ts'
import { Forecast } from './inference/forecast.ts'
import { InFlightRequests, shuttingDown } from './inference/in-flight.ts'
import { Ledger } from './inference/ledger.ts'
import type { Refusal } from './inference/ledger-rows.ts'
import { StoredResponses } from './inference/responses/stored-responses.ts'
import { ADMIN_KEY } from './keys/admin-key.ts'
import { ApiKeys } from './keys/api-keys.ts'
import { KeyPauses } from './keys/key-pauses.ts'
import { RateLimits } from './limits/rate-limits.ts'
import { Backups, restoredNotice } from './maintenance/backups.ts'
import { startMaintenance } from './maintenance/maintenance.ts'
import { recover } from './maintenance/recovery.ts'
import { systemClock } from './platform/clock.ts'
import { EventHub } from './platform/events.ts'
import { ProviderImport } from './providers/credential-import.ts'
import { Credentials } from './providers/credentials.ts'
import { ProviderRegistry } from './providers/registry.ts'
import { INSTALL_KEYS, InstallKey } from './receipts/install-key.ts'
import { Receipts } from './receipts/receipts.ts'
import { Reconciliations } from './reconciliation/reconciliations.ts'
import { Repricer } from './repricing/repricing.ts'
import { CostConfirmations } from './request-log/cost-confirmation.ts'
import { Records } from './request-log/records.ts'
import { Rejections } from './request-log/rejections.ts'
import { RepeatCounter } from './request-log/repeat-counter.ts'
import { SessionLog } from './request-log/session-log.ts'
import { LiveSessions } from './sessions/live-sessions.ts'
import { Settings } from './settings/settings.ts'
import { openStore, type Store } from './store/store.ts'
import { PrometheusMetrics } from './telemetry/prometheus.ts'
import { Telemetry } from './telemetry/telemetry.ts'
import { TokenCounter } from './tokens/token-counter.ts'
import { createAdapters } from './upstream/adapters.ts'
import { CircuitBreakers } from './upstream/circuit-breaker.ts'
import { UpstreamPool } from './upstream/connection-pool.ts'
import { Webhooks } from './webhook/webhooks.ts'

/** How long requests in flight may continue after `close` is called. */
const DRAIN_MS = 5_000

export async function createGateway(
  options: GatewayOptions,
  opening: Promise<Store> = openStore(options),
): Promise<Gateway> {
  const { dataDir, log, version } = options
  const clock = options.clock ?? systemClock
  const store = await opening
  const state = await recover(store, clock, log)
  const events = new EventHub(log)
  const settings = new Settings(store, state.settings)
  const keys = new ApiKeys({ store, clock, events }, state.keys)
  const keyPauses = new KeyPauses({ store, clock, keys })
  const account = new AccountService({ store, clock, events, settings }, state.accountSpendNano)
  await account.recount()
  const breakers = new CircuitBreakers(clock, () =>
    events.publish('providers', () => ({ type: 'providers' })),
  )
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
  const pool = new UpstreamPool()
  const adapterFor = createAdapters(pool)
  const tokens = new TokenCounter()
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
  const spendLimits = new SpendLimits({ account, keys, store })
  const budget = new Budget(spendLimits)
  await budget.refreshLimits()
  const forecast = new Forecast()
  const limits = new RateLimits(clock, account)
  const sessions = new LiveSessions(state.sessions)
  const refusals = new RepeatCounter<Refusal>(clock)
  const rejections = new Rejections(clock, log)
  const sessionLog = new SessionLog({ store, keys, events })
  const records = new Records({ store, keys, settings, refusals, rejections })
  rejections.onChange = (row) =>
    events.publish('request', () => ({ type: 'request', request: records.rejected(row) }))
  const charging = new Charging(spendLimits, new CapAlerts(settings, events))
  const ledger = new Ledger({
    store,
    clock,
    keys,
    account,
    budget,
    charging,
    records,
    sessionLog,
    events,
    log,
    refusals,
    settings,
  })
  const watching = { store, clock, events, log, settings }
  const guard = new RunawayGuard({
    ...watching,
    async pause({ id }, reason) {
      const done = keyPauses.pause(id, reason)
      inFlight.pause({ end: false })
      await done
    },
  })
  const { credentials: secrets, webhookRetryMs: retryMs } = options
  const webhooks = new Webhooks({
    ...watching,
    credentials: secrets,
    installId: state.installId,
    pool,
    retryMs,
  })
  const costConfirmations = new CostConfirmations({
    store,
    clock,
    keys,
    account,
    budget,
    charging,
    records,
    events,
    sessionLog,
  })
  const installKey = new InstallKey({
    store,
    clock,
    log,
    credentials: options.credentials,
    dataDir,
    installId: state.installId,
    stored: settings.stored(INSTALL_KEYS),
  })
  const receipts = new Receipts({ store, records, clock, key: installKey, version })
  const reconciliations = new Reconciliations({ store, clock, dataDir, confirmations: costConfirmations })
  const backups = new Backups(store)
  const inFlight = new InFlightRequests(clock)
  const idempotency = new Idempotency(store, clock)
  const listeners = new Listeners()
  const telemetry = new Telemetry(
    {
      store,
      clock,
      events,
      log,
      credentials: options.credentials,
      installId: state.installId,
      version,
      environment: options.telemetryEnvironment ?? {},
    },
    settings.stored('telemetry'),
  )
  // Not awaited: a keychain may prompt the user.
  void telemetry.start()
  const prometheus = new PrometheusMetrics(
    {
      store,
      events,
      version,
      readGauges: () => ({ keys: keys.list(), account: account.view(), inFlight: inFlight.size }),
    },
    settings.stored('prometheus'),
  )
  const startedAt = new Date(clock.now()).toISOString()
  let draining = false
  let containers: ContainerListener | null = null

  const requestListeners = createRequestListeners({
    version,
    log,
    clock,
    events,
    settings,
    keys,
    keyPauses,
    account,
    providers,
    catalog,
    providerModels,
    providerImport,
    prices,
    tokens,
    budget,
    spendLimits,
    rehearsals: new Rehearsals({ store, clock, account }),
    forecast,
    guard,
    webhooks,
    limits,
    sessions,
    records,
    repricer: new Repricer({ store, catalog, account, keys, events }),
    ledger,
    signatures: new ReasoningSignatureCache(),
    responses: new StoredResponses({ store, settings, clock }),
    responseItems: new RecentItemCache(),
    inFlight,
    idempotency,
    adapterFor,
    breakers,
    costConfirmations,
    receipts,
    reconciliations,
    backups,
    rejections,
    sessionLog,
    telemetry,
    prometheus,
    interfaceDir: options.interfaceDir,
    port: () => listeners.port,
    info: () => ({
      version,
      baseUrl: listeners.baseUrl,
      dataDir,
      credentials: options.credentials.kind,
      startedAt,
      containers: containers?.state() ?? { enabled: false, baseUrl: null, problem: null },
    }),
    isDraining: () => draining,
  })
  containers = new ContainerListener({
    listeners,
    handler: requestListeners.network,
    findBridge: options.findBridge ?? (() => findDockerBridge()),
    isEnabled: () => settings.value.containerAccess,
    log,
  })
  const containerListener = containers
  settings.onChange = () => containerListener.refresh()

  const adminKey = options.createAdminKey && state.isEmpty ? (await keys.create(ADMIN_KEY)).secret : null
  const maintenance = startMaintenance({ store, clock, settings, log })
  if (store.restored) log.warn(restoredNotice(store.restored))

  return {
    adminKey,
    async listen(port) {
      const listening = await listeners.listen(requestListeners.network, port)
      await containerListener.refresh()
      return listening
    },
    listenLocally: (path) => listeners.listenLocally(requestListeners.owner, path),
    stopListening: async () => listeners.close(),
    fetchAsOwner: createOwnerTransport(requestListeners.owner),
    subscribe: (listener, types) => events.subscribe(listener, types && { types }),
    async close() {
      draining = true
      // A backup may be running, which the requests in flight need not wait for.
      const maintenanceStopped = maintenance.stop()
      await containerListener.close()
      listeners.close()
      events.close()
      await Promise.race([inFlight.idle(), delay(DRAIN_MS, undefined, { ref: false })])
      inFlight.abortAll(shuttingDown())
      await inFlight.idle()
      ledger.close()
      await telemetry.close()
      rejections.close()
      webhooks.close()
      await guard.save()
      await listeners.end()
      await pool.close()
      await tokens.close()
      await reconciliations.close()
      await keys.flush()
      keys.close()
      keyPauses.close()
      account.close()
      await maintenanceStopped
      await store.close()
    },
  }
}
