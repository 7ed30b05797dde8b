import type { Activity } from '../activity/activity.ts'
import type { RecoveredState } from '../maintenance/recovery.ts'
import type { Clock } from '../platform/clock.ts'
import type { EventHub } from '../platform/events.ts'
import type { Settings } from '../settings/settings.ts'
import type { Store } from '../store/store.ts'
import type { GatewayOptions } from './gateway-api.ts'

/** What all services are made from. */
export interface BaseServices {
  options: GatewayOptions
  clock: Clock
  store: Store
  state: RecoveredState
  events: EventHub
  settings: Settings
  activity: Activity
}
