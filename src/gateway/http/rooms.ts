// Owns the list of the gateway's parts as its HTTP side sees them. They are put together in `gateway.ts`.
import type { GatewayInfo } from '../../shared/account.ts'
import type { Backups } from '../backups.ts'
import type { ChatRooms } from '../chat/call.ts'
import type { Corrections } from '../corrections.ts'
import type { EventHub } from '../events.ts'
import type { KeyRing } from '../keys.ts'
import type { Log } from '../log.ts'
import type { PriceRefresh } from '../prices.ts'
import type { ProviderImport } from '../provider-import.ts'
import type { Records } from '../records.ts'
import type { Rejections } from '../rejections.ts'
import type { Idempotency } from './idempotency.ts'

export interface Rooms extends ChatRooms {
  version: string
  log: Log
  keys: KeyRing
  records: Records
  rejections: Rejections
  corrections: Corrections
  backups: Backups
  providerImport: ProviderImport
  prices: PriceRefresh
  events: EventHub
  idempotency: Idempotency
  /** Built interface files to serve at `/`; null serves none. */
  interfaceDir: string | null
  /** The port clients see; 0 while the gateway does not listen. */
  port(): number
  info(): GatewayInfo
  isDraining(): boolean
}
