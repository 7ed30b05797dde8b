import type { AlertEvent } from '../../shared/api/events.ts'
import { isAlert } from '../../shared/api/terms.ts'
import { markConnection, markLost } from '../kit/connection.ts'
import { refreshActivity } from './activity.ts'
import { crashes } from './crashes.ts'
import { connectEvents, reconnectNow } from './events.ts'
import { updateLatestRequests } from './latest-request.ts'
import {
  discardReceived,
  onEventsApplied,
  receiveEvent,
  runFirstReads,
  stopFirstReads,
} from './live-queries.ts'
import { queries, refreshProviders } from './queries.ts'
import { queryClient, refresh, refreshShown } from './query-client.ts'
import { refreshRunning } from './running.ts'
import { throttle } from './throttle.ts'

const USAGE_PAUSE_MS = 1000
const RUNNING_PAUSE_MS = 250
const ACTIVITY_PAUSE_MS = 500

/** Reads everything, then keeps it current until the returned function is called. */
export function startLive(showAlert: (event: AlertEvent) => void): () => void {
  const usage = throttle(refreshUsage, USAGE_PAUSE_MS)
  const providers = throttle(refreshProviders, 0)
  const running = throttle(refreshRunning, RUNNING_PAUSE_MS)
  const activity = throttle(refreshActivity, ACTIVITY_PAUSE_MS)
  const history = throttle(refreshHistory, ACTIVITY_PAUSE_MS)
  const planStates = throttle(() => refreshShown(['plan-states']), ACTIVITY_PAUSE_MS)
  refreshAll()
  const disconnect = connectEvents({
    onEvent: receiveEvent,
    onOpen(again) {
      markConnection('live')
      // The gateway may have failed, also while the first connection waited for it.
      void refresh(crashes)
      if (!again) return
      refreshAll()
      void refreshShown(['history'])
    },
    onLost: markLost,
  })
  const stopListening = onEventsApplied((events) => {
    const requests = events.flatMap((event) => (event.type === 'request' ? [event.request] : []))
    updateLatestRequests(requests)
    if (requests.length > 0) running.run()
    if (requests.some(({ status }) => status !== 'running')) usage.run()
    if (events.some(({ type }) => type === 'providers')) providers.run()
    if (events.some(({ type }) => type === 'activity')) activity.run()
    if (events.some((event) => event.type === 'history' && event.running === null)) history.run()
    if (events.some(({ type }) => type === 'plan')) planStates.run()
    for (const event of events) {
      if (isAlert(event)) showAlert(event)
    }
  })
  const onFocus = () => {
    void refresh(queries.gateway)
    void refresh(queries.desktop)
  }
  window.addEventListener('focus', onFocus)
  return () => {
    stopFirstReads()
    disconnect()
    stopListening()
    window.removeEventListener('focus', onFocus)
    usage.cancel()
    providers.cancel()
    running.cancel()
    activity.cancel()
    planStates.cancel()
    history.cancel()
    discardReceived()
    queryClient.clear()
    // The next page that is shown, such as that for signing in, does not know yet.
    markConnection('connecting')
  }
}

/** Connects now instead of after the next pause, and reads again what the shown view lacks. */
export async function retryNow(): Promise<void> {
  reconnectNow()
  await queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.error !== null })
}

function refreshAll(): void {
  const { gateway, desktop, account, plans, keys, providers, models, settings } = queries
  for (const query of [gateway, desktop, account, plans, keys, providers, models, settings]) {
    void refresh(query)
  }
  runFirstReads()
  void refreshShown(['matching-requests'])
  void refreshShown(['plan-states'])
  void refreshShown(['request'])
  void refreshShown(['latest-request'])
  void refreshRunning()
  void refreshActivity()
  // Last, as sums over a long log take longest, and requests after them would wait.
  void refreshUsage()
}

async function refreshHistory(): Promise<void> {
  await refreshShown(['history'])
  await refreshShown(['imported-sessions'])
  await refreshShown(['usage-in'])
}

async function refreshUsage(): Promise<void> {
  await refresh(queries.usage)
  await refreshShown(['usage-in'])
}
