import type { Activity } from '../../features/activity/gateway/activity.ts'
import type { GatewayInfo } from '../../shared/api/account.ts'
import type { RecentItemCache } from '../formats/openai-responses/client/codec.ts'
import type { Feature } from '../http/calls.ts'
import type { NetworkAccess } from '../http/origin-guard.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import type { ApiKeys } from '../keys/api-keys.ts'
import type { Backups } from '../maintenance/backups.ts'
import type { PriceRefresh } from '../models/catalog/price-refresh.ts'
import type { ProviderImport } from '../models/providers/registry.ts'
import type { CostConfirmations } from '../observe/request-log/cost-confirmation.ts'
import type { Records } from '../observe/request-log/records.ts'
import type { Rejections } from '../observe/request-log/rejections.ts'
import type { SessionLog } from '../observe/request-log/session-log.ts'
import type { UsageSums } from '../observe/request-log/usage-sums.ts'
import type { EventHub } from '../platform/events.ts'
import type { InferenceDeps } from '../request/run.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import type { OperationLimits } from '../spend/rates/operation-limits.ts'
import type { UpstreamPool } from '../upstream/connection-pool.ts'
import type { Tracer } from '../upstream/request-trace.ts'
import type { StoredResponses } from './stored-responses.ts'

/** The services that the API needs; created in `gateway.ts`. */
export interface GatewayServices extends InferenceDeps {
  version: string
  features: readonly Feature[]
  tracer: Tracer | null
  activity: Activity
  sessions: LiveSessions
  keys: ApiKeys
  records: Records
  usageSums: UsageSums
  rejections: Rejections
  sessionLog: SessionLog
  costConfirmations: CostConfirmations
  responses: StoredResponses
  responseItems: RecentItemCache
  backups: Backups
  providerImport: ProviderImport
  prices: PriceRefresh
  pool: UpstreamPool
  events: EventHub
  idempotency: Idempotency
  /** Which other machines can reach the gateway. */
  networkAccess: NetworkAccess
  operationLimits: OperationLimits
  /** Built interface files to serve at `/`; null serves none. */
  interfaceDir: string | null
  /** The port clients see; 0 while the gateway does not listen. */
  port(): number
  info(): GatewayInfo
  /** Aborted when the gateway begins to close. */
  stopping: AbortSignal
}
