// The services that look at what was spent: they warn, report, and compare.
import { GUARD, keySubject } from '../activity/entries.ts'
import { INSTALL_KEYS, InstallKey } from '../observe/receipts/install-key.ts'
import { Receipts } from '../observe/receipts/receipts.ts'
import { Reconciliations } from '../observe/reconciliation/reconciliations.ts'
import { PrometheusMetrics } from '../observe/telemetry/prometheus.ts'
import { Telemetry } from '../observe/telemetry/telemetry.ts'
import { Webhooks } from '../observe/webhook/webhooks.ts'
import type { InFlightRequests } from '../request/in-flight.ts'
import { RunawayGuard } from '../spend/guard/runaway-guard.ts'
import type { UpstreamPool } from '../upstream/connection-pool.ts'
import type { BaseServices } from './gateway-api.ts'
import type { MoneyServices } from './money-services.ts'

interface Observed
  extends Pick<MoneyServices, 'keys' | 'keyPauses' | 'account' | 'records' | 'costConfirmations'> {
  inFlight: InFlightRequests
  pool: UpstreamPool
}

export function createObserverServices(
  { options, clock, store, state, events, settings, activity }: BaseServices,
  { keys, keyPauses, account, records, costConfirmations, inFlight, pool }: Observed,
) {
  const { log, dataDir, version, credentials, webhookRetryMs: retryMs } = options
  const { installId } = state
  const watching = { store, clock, events, log, settings }
  const guard = new RunawayGuard({
    ...watching,
    async pause({ id, name }, reason) {
      const done = keyPauses.pause(id, reason)
      activity.record({ kind: 'key-paused', actor: GUARD, subject: keySubject({ id, name }), reason })
      inFlight.pause({ end: false })
      await done
    },
  })
  const webhooks = new Webhooks({ ...watching, credentials, installId, pool, retryMs })
  const installKey = new InstallKey({
    store,
    clock,
    log,
    credentials,
    dataDir,
    installId,
    stored: settings.stored(INSTALL_KEYS),
  })
  const receipts = new Receipts({ store, records, clock, key: installKey, version })
  const reconciliations = new Reconciliations({ store, clock, dataDir, confirmations: costConfirmations })
  const telemetry = new Telemetry(
    {
      store,
      clock,
      events,
      log,
      credentials,
      installId,
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
  return { guard, webhooks, receipts, reconciliations, telemetry, prometheus }
}
