// Owns what a live event changes in the stores, and the full refresh after a gap. Knows nothing of the connection.
import type { Account } from '../shared/account.ts'
import type { LiveEvent } from '../shared/events.ts'
import type { KeyMetadata } from '../shared/keys.ts'
import type { RequestRecord } from '../shared/requests.ts'
import { showCapAlert } from './cap-alert.ts'
import { connectEvents } from './events.ts'
import { usePlayground } from './playground/playground-store.ts'
import { useAccount } from './stores/account.ts'
import { useGateway } from './stores/gateway.ts'
import { useKeys } from './stores/keys.ts'
import { useModels } from './stores/models.ts'
import { useProviders } from './stores/providers.ts'
import { useRequests } from './stores/requests.ts'
import { useSettings } from './stores/settings.ts'
import { useUsage } from './stores/usage.ts'

const USAGE_PAUSE_MS = 1000
let usageTimer: ReturnType<typeof setTimeout> | undefined
/** Three frames: under load requests, their keys and the account change many times in one, and are drawn once. */
const PAUSE_MS = 50
let timer: ReturnType<typeof setTimeout> | undefined
let arrived = nothing()

interface Arrived {
  requests: RequestRecord[]
  keys: Map<string, KeyMetadata>
  account: Account | null
}

function nothing(): Arrived {
  return { requests: [], keys: new Map(), account: null }
}

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
    clearTimeout(timer)
    timer = undefined
    arrived = nothing()
  }
}

function refreshAll(): void {
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
      arrived.requests.push(event.request)
      passOnSoon()
      return
    case 'key':
      arrived.keys.set(event.key.id, event.key)
      passOnSoon()
      return
    case 'account':
      arrived.account = event.account
      passOnSoon()
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

function passOnSoon(): void {
  timer ??= setTimeout(passOn, PAUSE_MS)
}

function passOn(): void {
  const { requests, keys, account } = arrived
  arrived = nothing()
  timer = undefined
  for (const key of keys.values()) useKeys.getState().put(key)
  if (account) useAccount.getState().put(account)
  if (requests.length === 0) return
  useRequests.getState().arrive(requests)
  for (const request of requests) usePlayground.getState().settle(request)
  if (requests.some(({ status }) => status !== 'running')) refreshUsageSoon()
}

/** Sums are asked for at most once a second, however many requests end. */
function refreshUsageSoon(): void {
  usageTimer ??= setTimeout(() => {
    usageTimer = undefined
    void useUsage.getState().refresh()
  }, USAGE_PAUSE_MS)
}
