// Builds the gateway from its services. Hosts start it with `start-gateway.ts`.

import { setTimeout as delay } from 'node:timers/promises'
import { backupRestored } from '../../features/activity/gateway/activity.ts'
import { ContainerListener, findDockerBridge } from '../http/container-listener.ts'
import { Listeners } from '../http/listen.ts'
import { LOOPBACK_ONLY, listensEverywhere } from '../http/origin-guard.ts'
import { createOwnerTransport } from '../http/owner-transport.ts'
import { ADMIN_KEY } from '../keys/admin-key.ts'
import { restoredNotice } from '../maintenance/backups.ts'
import { startMaintenance } from '../maintenance/maintenance.ts'
import { createRequestListeners } from '../operations/server.ts'
import { systemClock } from '../platform/clock.ts'
import { shuttingDown } from '../request/in-flight.ts'
import { openStore, type Store } from '../store/store.ts'
import type { UpstreamPool } from '../upstream/connection-pool.ts'
import { createServices } from './features.ts'
import type { Gateway, GatewayOptions } from './gateway-api.ts'
import type { OuterParts } from './services.ts'

/** How long requests in flight may continue after `close` is called, unless the caller says. */
const DRAIN_MS = 5_000

export async function createGateway(
  options: GatewayOptions,
  opening: Promise<Store> = openStore(options),
  parts: Partial<OuterParts> = {},
): Promise<Gateway> {
  const { dataDir, log, version } = options
  const clock = options.clock ?? systemClock
  const store = await opening
  const stopping = new AbortController()
  const services = await createServices(options, store, stopping.signal, parts)
  const { settings, events, keys, account, inFlight } = services
  const networkAccess = options.networkAccess ?? LOOPBACK_ONLY
  const listeners = new Listeners(networkAccess.address)
  const startedAt = new Date(clock.now()).toISOString()
  let containers: ContainerListener | null = null

  const requestListeners = createRequestListeners({
    ...services,
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
      clockSkewMs: measureClockSkew(services.pool.lastDate),
    }),
  })
  listeners.upgrades = requestListeners.upgrades
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
  settings.onChange(() => containerListener.refresh())

  const adminKey = options.createAdminKey && services.isNew ? (await keys.create(ADMIN_KEY)).secret : null
  const maintenance = startMaintenance({ store, clock, settings, log })
  if (store.restored) {
    log.warn(restoredNotice(store.restored))
    services.activity.record(backupRestored(store.restored))
  }

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
    async close(drainMs = DRAIN_MS, hurry) {
      stopping.abort()
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
      services.ledger.close()
      services.holds.close()
      for (const feature of services.features) await feature.close?.()
      await services.forecast.save()
      await listeners.end()
      await services.pool.close()
      await services.tokens.close()
      await keys.flush()
      keys.close()
      account.close()
      await maintenanceStopped
      await store.close()
    },
  }
}

/** A `Date` header has whole seconds, and the answer took its time. */
function measureClockSkew(last: UpstreamPool['lastDate']): number | null {
  const providerMs = Date.parse(last?.header ?? '')
  return last === null || Number.isNaN(providerMs) ? null : last.atMs - providerMs
}
