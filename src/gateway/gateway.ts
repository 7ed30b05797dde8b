// Builds the gateway from its services. Hosts start it with `start-gateway.ts`.

import { setTimeout as delay } from 'node:timers/promises'
import { ContainerListener, findDockerBridge } from './api/container-listener.ts'
import { Listeners } from './api/listen.ts'
import { LOOPBACK_ONLY, listensEverywhere } from './api/network-access.ts'
import { createOwnerTransport } from './api/owner-transport.ts'
import { createRequestListeners } from './api/server.ts'
import { RecentItemCache } from './formats/openai-responses/client/recent-items.ts'
import { ReasoningSignatureCache } from './formats/reasoning-signatures.ts'
import type { Gateway, GatewayOptions } from './gateway-api.ts'
import { Idempotency } from './idempotency/idempotency.ts'
import { Forecast } from './inference/forecast.ts'
import { InFlightRequests, shuttingDown } from './inference/in-flight.ts'
import { StoredResponses } from './inference/responses/stored-responses.ts'
import { ADMIN_KEY } from './keys/admin-key.ts'
import { Backups, restoredNotice } from './maintenance/backups.ts'
import { startMaintenance } from './maintenance/maintenance.ts'
import { recover } from './maintenance/recovery.ts'
import { createMoneyServices } from './money-services.ts'
import { createObserverServices } from './observer-services.ts'
import { systemClock } from './platform/clock.ts'
import { EventHub } from './platform/events.ts'
import { createProviderServices } from './provider-services.ts'
import { Repricer } from './repricing/repricing.ts'
import { Settings } from './settings/settings.ts'
import { openStore, type Store } from './store/store.ts'
import type { UpstreamPool } from './upstream/connection-pool.ts'

/** How long requests in flight may continue after `close` is called, unless the caller says. */
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
  const base = { options, clock, store, state, events, settings }
  const money = await createMoneyServices(base)
  const upstream = createProviderServices(base)
  const inFlight = new InFlightRequests(clock)
  const observers = createObserverServices(base, { ...money, inFlight, pool: upstream.pool })
  const { keys, account } = money
  const networkAccess = options.networkAccess ?? LOOPBACK_ONLY
  const listeners = new Listeners(networkAccess.address)
  const startedAt = new Date(clock.now()).toISOString()
  let draining = false
  let containers: ContainerListener | null = null

  const requestListeners = createRequestListeners({
    version,
    log,
    clock,
    random: Math.random,
    events,
    settings,
    ...money,
    ...upstream,
    ...observers,
    repricer: new Repricer({ store, events, keys, account, catalog: upstream.catalog }),
    forecast: new Forecast(),
    signatures: new ReasoningSignatureCache(),
    responses: new StoredResponses({ store, settings, clock }),
    responseItems: new RecentItemCache(),
    inFlight,
    idempotency: new Idempotency(store, clock),
    backups: new Backups(store),
    networkAccess,
    interfaceDir: options.interfaceDir,
    port: () => listeners.port,
    info: () => ({
      version,
      baseUrl: listeners.baseUrl,
      dataDir,
      credentials: options.credentials.kind,
      startedAt,
      containers: containers?.state() ?? { enabled: false, baseUrl: null, problem: null },
      clockSkewMs: clockSkew(upstream.pool.lastDate),
    }),
    isDraining: () => draining,
  })
  containers = new ContainerListener({
    listeners,
    handler: requestListeners.network,
    findBridge: listensEverywhere(networkAccess)
      ? () => ({ kind: 'forwarded' })
      : (options.findBridge ?? (() => findDockerBridge())),
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
    runInThread: store.runInWriter,
    async close(drainMs = DRAIN_MS, hurry) {
      draining = true
      // A backup may be running, which the requests in flight need not wait for.
      const maintenanceStopped = maintenance.stop()
      await containerListener.close()
      listeners.close()
      events.close()
      // The delay rejects when `hurry` is aborted.
      const patience = delay(drainMs, undefined, { ref: false, signal: hurry }).catch(() => {})
      await Promise.race([inFlight.idle(), patience])
      inFlight.abortAll(shuttingDown())
      await inFlight.idle()
      money.ledger.close()
      await observers.telemetry.close()
      money.rejections.close()
      observers.webhooks.close()
      await observers.guard.save()
      await listeners.end()
      await upstream.pool.close()
      await upstream.tokens.close()
      await observers.reconciliations.close()
      await keys.flush()
      keys.close()
      money.keyPauses.close()
      account.close()
      await maintenanceStopped
      await store.close()
    },
  }
}

/** A `Date` header has whole seconds, and the answer took its time. */
function clockSkew(last: UpstreamPool['lastDate']): number | null {
  const providerMs = Date.parse(last?.header ?? '')
  return last === null || Number.isNaN(providerMs) ? null : last.atMs - providerMs
}
