// Owns what a live event changes in the stores, and the full refresh after a gap. Knows nothing of the connection.
import type { LiveEvent, RequestRecord } from '../shared/requests.ts'
import { showCapAlert } from './cap-alert.ts'
import { connectEvents } from './events.ts'
import { useAccount } from './stores/account.ts'
import { useGateway } from './stores/gateway.ts'
import { useKeys } from './stores/keys.ts'
import { useModels } from './stores/models.ts'
import { usePlayground } from './stores/playground.ts'
import { useProviders } from './stores/providers.ts'
import { useRequests } from './stores/requests.ts'
import { useSettings } from './stores/settings.ts'
import { useUsage } from './stores/usage.ts'

const USAGE_PAUSE_MS = 1000
let usageTimer: ReturnType<typeof setTimeout> | undefined
/** Two frames: under load many requests change within one, and the list is drawn once for all of them. */
const REQUESTS_PAUSE_MS = 32
let requestsTimer: ReturnType<typeof setTimeout> | undefined
let arrived: RequestRecord[] = []

/** Loads everything, then keeps it current until the returned function is called. */
export function startLive(): () => void {
  refreshAll()
  const stop = connectEvents({
    onEvent: apply,
    onOpen(again) {
      useGateway.getState().setLink('live')
      if (again) refreshAll()
    },
    onLost: () => useGateway.getState().setLink('lost'),
  })
  const onFocus = () => void useGateway.getState().refresh()
  window.addEventListener('focus', onFocus)
  return () => {
    stop()
    window.removeEventListener('focus', onFocus)
    clearTimeout(usageTimer)
    usageTimer = undefined
    clearTimeout(requestsTimer)
    requestsTimer = undefined
    arrived = []
  }
}

export function refreshAll(): void {
  for (const store of [
    useGateway,
    useAccount,
    useKeys,
    useProviders,
    useModels,
    useSettings,
    useRequests,
    // Last: sums over a long log take the longest, and everything after them would wait.
    useUsage,
  ]) {
    void store.getState().refresh()
  }
}

function apply(event: LiveEvent): void {
  switch (event.type) {
    case 'request':
      arrived.push(event.request)
      requestsTimer ??= setTimeout(passRequestsOn, REQUESTS_PAUSE_MS)
      return
    case 'key':
      useKeys.getState().put(event.key)
      return
    case 'account':
      useAccount.getState().put(event.account)
      return
    case 'providers':
      void useProviders.getState().refresh()
      void useModels.getState().refresh()
      return
    case 'cap-alert':
      showCapAlert(event.alert)
      return
    default:
      event satisfies never
  }
}

function passRequestsOn(): void {
  const records = arrived
  arrived = []
  requestsTimer = undefined
  useRequests.getState().arrive(records)
  for (const record of records) usePlayground.getState().settle(record)
  if (records.some(({ status }) => status !== 'running')) refreshUsageSoon()
}

/** Sums are asked for at most once a second, however many requests end. */
function refreshUsageSoon(): void {
  usageTimer ??= setTimeout(() => {
    usageTimer = undefined
    void useUsage.getState().refresh()
  }, USAGE_PAUSE_MS)
}
