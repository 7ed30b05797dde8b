// The core of a gateway, in two layers on a common base: money, and providers.

import { Activity, GATEWAY, limitReached } from '../../features/activity/gateway/activity.ts'
import { ReasoningSignatureCache } from '../formats/chat/reasoning.ts'
import { RecentItemCache } from '../formats/openai-responses/client/codec.ts'
import { Idempotency } from '../idempotency/idempotency.ts'
import { ApiKeys } from '../keys/api-keys.ts'
import { KeyExpiry } from '../keys/key-state.ts'
import { Backups } from '../maintenance/backups.ts'
import { type RecoveredState, recover } from '../maintenance/maintenance.ts'
import { Catalog } from '../models/catalog/catalog.ts'
import { ProviderModels } from '../models/catalog/model-discovery.ts'
import { PriceDatabase } from '../models/catalog/price-database.ts'
import { PriceRefresh } from '../models/catalog/price-refresh.ts'
import { Credentials } from '../models/providers/credentials.ts'
import { ProviderImport, ProviderRegistry } from '../models/providers/registry.ts'
import { isAtVendor } from '../models/providers/rows.ts'
import { TokenCounter } from '../models/tokens/token-counter.ts'
import { CostConfirmations } from '../observe/request-log/cost-confirmation.ts'
import { type FieldViews, Records } from '../observe/request-log/records.ts'
import { Rejections } from '../observe/request-log/rejections.ts'
import { RepeatCounter } from '../observe/request-log/repeat-counter.ts'
import { SessionLog } from '../observe/request-log/session-log.ts'
import { UsageSums } from '../observe/request-log/usage-sums.ts'
import { StoredResponses } from '../operations/stored-responses.ts'
import { systemClock } from '../platform/clock.ts'
import { EventHub } from '../platform/events.ts'
import { Forecast } from '../request/forecast.ts'
import { InFlightRequests } from '../request/in-flight.ts'
import { Ledger, type Refusal } from '../request/ledger.ts'
import type { DoubtedReport } from '../request/run.ts'
import { LiveSessions } from '../sessions/live-sessions.ts'
import { type CommonServices, Settings } from '../settings/settings.ts'
import { AccountService } from '../spend/account.ts'
import { Budget } from '../spend/budget.ts'
import { Charging } from '../spend/cap-alerts.ts'
import { Holds } from '../spend/holds.ts'
import { LimitsByOwner } from '../spend/limit.ts'
import { OperationLimits } from '../spend/rates/operation-limits.ts'
import { RateLimits } from '../spend/rates/rate-limits.ts'
import { SpendLimits } from '../spend/spend-limits.ts'
import type { Store } from '../store/store.ts'
import { CircuitBreakers } from '../upstream/circuit-breaker.ts'
import { UpstreamPool } from '../upstream/connection-pool.ts'
import { createAdapters } from '../upstream/http-adapter.ts'
import { Outbound } from '../upstream/network/outbound.ts'
import type { GatewayOptions } from './gateway-api.ts'

/** The common base of all services. */
interface BaseServices extends CommonServices {
  options: GatewayOptions
  state: RecoveredState
  activity: Activity
  fieldViews: FieldViews
}

/** The parts that reach outside this thread. A simulation has its own. */
export interface OuterParts {
  pool: UpstreamPool
  tokens: TokenCounter
  /** [0, 1) */
  random(): number
}

/** Settles what a crash left open, and loads the state that is kept in memory. `stopping`: aborted when the gateway begins to close. */
export async function createCoreServices(
  options: GatewayOptions,
  store: Store,
  stopping: AbortSignal,
  fieldViews: FieldViews,
  parts: Partial<OuterParts> = {},
) {
  const { log, version } = options
  const clock = options.clock ?? systemClock
  const { tokens = new TokenCounter(), random = Math.random } = parts
  const state = await adopt(store, await recover(store, clock, log))
  const events = new EventHub(log)
  const settings = new Settings(store, state.settings)
  const activity = new Activity({ store, clock, events, log })
  const outbound = new Outbound(options.systemNetwork, () => settings.value.network)
  const { pool = new UpstreamPool(clock, outbound) } = parts
  const common = { store, clock, events, settings, log }
  const base = { ...common, options, state, activity, fieldViews }
  const money = await createMoneyServices(base)
  const upstream = createProviderServices(base, { pool, tokens })
  const inFlight = new InFlightRequests(clock)
  return {
    ...common,
    options,
    state,
    version,
    random,
    stopping,
    activity,
    ...money,
    ...upstream,
    forecast: new Forecast({ store, settings, clock, log }),
    signatures: new ReasoningSignatureCache(),
    responses: new StoredResponses({ store, settings, clock }),
    responseItems: new RecentItemCache(),
    inFlight,
    operationLimits: new OperationLimits(clock),
    idempotency: new Idempotency(store, clock),
    backups: new Backups(store),
    /** Whether nothing was stored before. */
    isNew: state.isEmpty,
  }
}

/** The services on which features build. */
export type CoreServices = Awaited<ReturnType<typeof createCoreServices>>

/** Disables providers of an imported backup that are not at their vendor's address, before any request is sent to them. */
async function adopt(store: Store, state: RecoveredState): Promise<RecoveredState> {
  if (!state.isForeign) return state
  const foreign = state.providers.filter((row) => !isAtVendor(row)).map(({ id }) => id)
  await store.write('adoptProviders', { disabled: foreign })
  const providers = state.providers.map((row) =>
    foreign.includes(row.id) ? { ...row, enabled: false } : row,
  )
  return { ...state, providers, isForeign: false }
}

/** The services that decide what may be spent, and record what was. */
async function createMoneyServices(base: BaseServices) {
  const { state, activity, fieldViews, ...common } = base
  const { store, clock, events, settings, log } = common
  const limitsByOwner = new LimitsByOwner()
  const keys = new ApiKeys(
    { store, clock, events, limits: limitsByOwner, endedKeys: settings.stored(KeyExpiry.setting) },
    state.keys,
  )
  const account = new AccountService({ ...common, limits: limitsByOwner }, state.accountSpendNano)
  await account.recount()
  const spendLimits = new SpendLimits({ account, keys, store, limits: limitsByOwner })
  const budget = new Budget(spendLimits, undefined, clock)
  await budget.refreshLimits()
  const holds = new Holds({ store, clock, budget, keys, account, log })
  await holds.restore(await store.write('loadHolds', { now: clock.now() }))
  const limits = new RateLimits(clock, account)
  const sessions = new LiveSessions(state.sessions)
  const refusals = new RepeatCounter<Refusal>(clock, (row) => ledger.recount(row))
  const sessionLog = new SessionLog({ store, clock, keys, events })
  const records = new Records({ store, keys, holds, refusals, fieldViews })
  const usageSums = new UsageSums({ store, keys, settings })
  const charging = new Charging({
    ...common,
    limits: spendLimits,
    onReached: (reached) => activity.record(limitReached(reached)),
  })
  const charged = { ...common, keys, account, budget, holds, charging, records, sessionLog }
  const ledger = new Ledger({ ...charged, refusals })
  const costConfirmations = new CostConfirmations(charged)
  return {
    keys,
    account,
    spendLimits,
    budget,
    holds,
    usageSums,
    limits,
    sessions,
    sessionLog,
    rejections: new Rejections(clock, log, (request) => ledger.recordRefused(request)),
    records,
    ledger,
    charging,
    costConfirmations,
  }
}

/** The services that call providers, and know their models and prices. */
function createProviderServices(
  { options, clock, store, state, events, settings, activity, log }: BaseServices,
  { pool, tokens }: { pool: UpstreamPool; tokens: TokenCounter },
) {
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
  if (state.hasReceiptKey)
    void credentials
      .deleteReceiptKey()
      .then(() => store.write('forgetReceiptKey'))
      .catch((err: unknown) => log.warn('The key that signed receipts could not be deleted', { err }))
  const doubtReport = ({ requestId, providerId: id, chargedNano, reportedNano }: DoubtedReport) => {
    const subject = { kind: 'provider', id, name: providers.findEnabled(id)?.name ?? id } as const
    const amounts = { spentNano: chargedNano, limitNano: reportedNano, reason: requestId }
    activity.recordOnce(`report ${id}`, 3_600_000, {
      kind: 'report-doubted',
      actor: GATEWAY,
      subject,
      ...amounts,
    })
  }
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
  return {
    breakers,
    providers,
    catalog,
    pool,
    adapterFor,
    tokens,
    providerModels,
    providerImport,
    prices,
    doubtReport,
  }
}
