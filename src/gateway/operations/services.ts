import type { IncomingHttpHeaders } from 'node:http'
import type { GatewayInfo } from '../../shared/api/account.ts'
import type {
  BodyOf,
  JsonOperationId,
  OperationId,
  QueryOf,
  ResponseOf,
} from '../../shared/api/operations.ts'
import type { Activity } from '../features/activity/activity.ts'
import type { Approvals } from '../features/approvals/approvals.ts'
import type { RunawayGuard } from '../features/guard/runaway-guard.ts'
import type { PlanWindows } from '../features/plans/plan-windows.ts'
import type { PromptLog } from '../features/prompt-doctor/prompt-log.ts'
import type { Receipts } from '../features/receipts/create-receipt.ts'
import type { Reconciliations } from '../features/reconcile/reconciliations.ts'
import type { Rehearsals } from '../features/rehearsal/rehearsal.ts'
import type { Repricer } from '../features/reprice/repricing.ts'
import type { StoredResponses } from '../features/stored-responses/stored-responses.ts'
import type { PrometheusMetrics } from '../features/telemetry/prometheus.ts'
import type { Telemetry } from '../features/telemetry/telemetry.ts'
import type { Webhooks } from '../features/webhooks/webhooks.ts'
import type { RecentItemCache } from '../formats/openai-responses/client/codec.ts'
import type { Principal } from '../http/auth.ts'
import type { NetworkAccess } from '../http/origin-guard.ts'
import type { RequestContext } from '../http/request-context.ts'
import type { ClaimHandle, Idempotency } from '../idempotency/idempotency.ts'
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

/** The services that the API needs; created in `gateway.ts`. */
export interface GatewayServices extends InferenceDeps {
  version: string
  activity: Activity
  sessions: LiveSessions
  plans: PlanWindows
  approvals: Approvals
  prompts: PromptLog
  guard: RunawayGuard
  keys: ApiKeys
  records: Records
  usageSums: UsageSums
  repricer: Repricer
  rehearsals: Rehearsals
  rejections: Rejections
  sessionLog: SessionLog
  costConfirmations: CostConfirmations
  receipts: Receipts
  reconciliations: Reconciliations
  responses: StoredResponses
  responseItems: RecentItemCache
  backups: Backups
  providerImport: ProviderImport
  prices: PriceRefresh
  pool: UpstreamPool
  webhooks: Webhooks
  events: EventHub
  telemetry: Telemetry
  prometheus: PrometheusMetrics
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

/** A call of an operation, validated by its schemas. */
export interface Call<K extends OperationId> {
  /** The id in the path; empty for an operation without one. */
  id: string
  body: BodyOf<K>
  query: QueryOf<K>
  principal: Principal
  headers: IncomingHttpHeaders
  /** The path and query, unchanged. */
  url: string
  /** The body, unchanged. */
  bytes: Buffer
  /** The body as text; empty for a form. */
  text: string
  context: RequestContext
  /** Set when the request carries an Idempotency-Key; a handler that writes the response must end it. */
  claim: ClaimHandle | null
}

/** Handlers of the operations whose response is one JSON object. */
export type JsonHandlers = {
  [K in JsonOperationId]: (call: Call<K>) => ResponseOf<K> | Promise<ResponseOf<K>>
}

/** A call of any operation, whose own schemas have parsed it. */
export interface ParsedCall extends Omit<Call<OperationId>, 'body' | 'query'> {
  body: unknown
  query: unknown
}

/** A handler without the types of its operation. Returns the body of the response, unless the row says that it `writes`. */
export interface Handler {
  handle(call: ParsedCall): unknown
}
