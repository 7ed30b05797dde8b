// All services of a gateway, before it listens.
import { Activity } from '../activity/activity.ts'
import { ReasoningSignatureCache } from '../formats/chat/reasoning.ts'
import { RecentItemCache } from '../formats/openai-responses/client/codec.ts'
import { Idempotency } from '../idempotency/idempotency.ts'
import { Backups } from '../maintenance/backups.ts'
import { recover } from '../maintenance/recovery.ts'
import { TokenCounter } from '../models/tokens/token-counter.ts'
import { Repricer } from '../observe/repricing/repricing.ts'
import { systemClock } from '../platform/clock.ts'
import { EventHub } from '../platform/events.ts'
import { Forecast } from '../request/forecast.ts'
import { InFlightRequests } from '../request/in-flight.ts'
import { StoredResponses } from '../request/stored-responses.ts'
import { Settings } from '../settings/settings.ts'
import type { Store } from '../store/store.ts'
import { UpstreamPool } from '../upstream/connection-pool.ts'
import { Outbound } from '../upstream/network/outbound.ts'
import type { GatewayOptions } from './gateway-api.ts'
import { createMoneyServices } from './money-services.ts'
import { createObserverServices } from './observer-services.ts'
import { createProviderServices } from './provider-services.ts'

/** What reaches outside this thread. A simulation has parts of its own. */
export interface OuterParts {
  pool: UpstreamPool
  tokens: TokenCounter
  /** [0, 1) */
  random(): number
}

/** Settles what a crash left open, and loads the state that is kept in memory. */
export async function createServices(options: GatewayOptions, store: Store, parts: Partial<OuterParts> = {}) {
  const { log, version } = options
  const clock = options.clock ?? systemClock
  const { tokens = new TokenCounter(), random = Math.random } = parts
  const state = await recover(store, clock, log)
  const events = new EventHub(log)
  const settings = new Settings(store, state.settings)
  const activity = new Activity({ store, clock, events, log })
  const outbound = new Outbound(options.systemNetwork, () => settings.value.network)
  const { pool = new UpstreamPool(clock, outbound) } = parts
  const base = { options, clock, store, state, events, settings, activity }
  const money = await createMoneyServices(base)
  const upstream = createProviderServices(base, { pool, tokens })
  const inFlight = new InFlightRequests(clock)
  const observers = createObserverServices(base, { ...money, inFlight, pool })
  const { keys, account } = money
  return {
    version,
    log,
    clock,
    random,
    events,
    settings,
    activity,
    ...money,
    ...upstream,
    ...observers,
    repricer: new Repricer({ store, events, keys, account, catalog: upstream.catalog }),
    forecast: new Forecast({ store, settings, clock, log }),
    signatures: new ReasoningSignatureCache(),
    responses: new StoredResponses({ store, settings, clock }),
    responseItems: new RecentItemCache(),
    inFlight,
    idempotency: new Idempotency(store, clock),
    backups: new Backups(store),
    /** Whether nothing was stored before. */
    isNew: state.isEmpty,
  }
}
