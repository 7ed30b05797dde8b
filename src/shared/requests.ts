// Owns the shapes of request records, usage and live events on the wire. Knows nothing of how they are stored.
import { z } from 'zod'
import { Account } from './account.ts'
import { ErrorBody } from './errors.ts'
import { KeyMetadata } from './keys.ts'
import { PriceOrigin, Pricing } from './models.ts'

/**
 * `refused`: a cap or limit said no, and the ledger has it. `rejected`: the call could not be understood or served at all
 * (an unknown endpoint or model, a field that is refused); the last ones are kept in memory.
 */
export const REQUEST_STATUSES = ['running', 'succeeded', 'failed', 'canceled', 'refused', 'rejected'] as const
export const RequestStatus = z.enum(REQUEST_STATUSES)
export type RequestStatus = z.infer<typeof RequestStatus>

/**
 * How sure the charge is. `exact`: from the provider's own count; `estimated`: counted here because the provider
 * gave none; `unsettled`: the outcome is unknown, with bounds; `confirmed`: it was unsettled until the user said what it
 * cost; `unknown`: no price; `free`: nothing was consumed.
 */
export const COST_STATUSES = [
  'pending',
  'exact',
  'estimated',
  'unsettled',
  'confirmed',
  'unknown',
  'free',
] as const
export const CostStatus = z.enum(COST_STATUSES)
export type CostStatus = z.infer<typeof CostStatus>

/** Token counts in disjoint buckets: no token is in two of them. Reasoning tokens are inside `output`. */
export const UsageBuckets = z.object({
  input: z.number(),
  cacheRead: z.number(),
  cacheWrite5m: z.number(),
  cacheWrite1h: z.number(),
  audioInput: z.number(),
  output: z.number(),
  audioOutput: z.number(),
  /** For information: how much of `output` was reasoning. */
  reasoning: z.number(),
  /** How much of `cacheRead` was audio, which some vendors price apart. */
  cacheReadAudio: z.number(),
})
export type UsageBuckets = z.infer<typeof UsageBuckets>

export const Attempt = z.object({
  provider: z.string(),
  model: z.string(),
  /** The upstream's HTTP status; null when none came. */
  status: z.number().nullable(),
  ms: z.number(),
  error: z.string().nullable(),
})
export type Attempt = z.infer<typeof Attempt>

export const AppliedPrice = z.object({
  pricing: Pricing,
  origin: PriceOrigin,
  plan: z.string(),
  discountPercent: z.number(),
  /** True when the provider's own reported cost was taken instead of counting tokens. */
  reportedByProvider: z.boolean(),
})
export type AppliedPrice = z.infer<typeof AppliedPrice>

export const RequestRecord = z.object({
  id: z.string(),
  createdAt: z.iso.datetime(),
  keyId: z.string(),
  keyName: z.string(),
  /** Null where a rejected call names no model that is known. */
  requestedModel: z.string().nullable(),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  stream: z.boolean(),
  status: RequestStatus,
  httpStatus: z.number().nullable(),
  error: ErrorBody.nullable(),
  tokensIn: z.number(),
  tokensOut: z.number(),
  usage: UsageBuckets.nullable(),
  costUsd: z.number().nullable(),
  costStatus: CostStatus,
  costLowUsd: z.number().nullable(),
  costHighUsd: z.number().nullable(),
  reservedUsd: z.number(),
  price: AppliedPrice.nullable(),
  attempts: z.array(Attempt),
  /** Milliseconds. `firstByteMs` begins where `queueMs` ends; `totalMs` covers both and all that follows. */
  timings: z.object({
    queueMs: z.number().nullable(),
    firstByteMs: z.number().nullable(),
    totalMs: z.number().nullable(),
  }),
  client: z.string().nullable(),
  /** Of a rejected call, its method and path (`POST /v1/responses`); else null. */
  endpoint: z.string().nullable(),
  /** How many calls the row stands for: those refused or rejected for one reason within a minute are one row. Else 1. */
  count: z.number(),
  /** When the last of several calls came; null where there was one. */
  lastAt: z.iso.datetime().nullable(),
  /** Whether prompt and answer are kept: `GET /v1/requests/{id}/bodies` has them. */
  bodiesKept: z.boolean(),
})
export type RequestRecord = z.infer<typeof RequestRecord>

/** The kept prompt and answer, as they went over the wire; null for one that there was not. */
export const RequestBodies = z.object({
  requestId: z.string(),
  request: z.string().nullable(),
  response: z.string().nullable(),
})
export type RequestBodies = z.infer<typeof RequestBodies>

/** What an unsettled request cost, by the provider's invoice. */
export const SettleRequest = z.strictObject({ costUsd: z.number().nonnegative() })
export type SettleRequest = z.infer<typeof SettleRequest>

/** A moment: an ISO 8601 date (midnight UTC) or date-time. */
const Moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()])

export const RequestQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  cursor: z.string().optional(),
  key: z.string().optional(),
  model: z.string().optional(),
  provider: z.string().optional(),
  status: z.union([RequestStatus, z.coerce.number().int().min(100).max(599)]).optional(),
  from: Moment.optional(),
  to: Moment.optional(),
  q: z.string().max(200).optional(),
  /** Inclusive, in USD. A request whose cost is unknown or pending fits no such filter. */
  minCostUsd: z.coerce.number().nonnegative().optional(),
  maxCostUsd: z.coerce.number().nonnegative().optional(),
  costStatus: CostStatus.optional(),
})
export type RequestQuery = z.infer<typeof RequestQuery>

export const RequestList = z.object({ data: z.array(RequestRecord), nextCursor: z.string().nullable() })

export const USAGE_SPLITS = ['key', 'model', 'provider', 'client'] as const
export const USAGE_GROUPS = ['day', 'week', 'month', ...USAGE_SPLITS] as const
export const UsageQuery = z.strictObject({
  from: Moment.optional(),
  to: Moment.optional(),
  groupBy: z.enum(USAGE_GROUPS).default('day'),
  /** Cuts every group once more, so that one answer holds a stacked chart. */
  splitBy: z.enum(USAGE_SPLITS).optional(),
  timeZone: z.string().optional(),
})
export type UsageQuery = z.infer<typeof UsageQuery>

const UsageSums = z.object({
  requests: z.number(),
  tokensIn: z.number(),
  tokensOut: z.number(),
  costUsd: z.number(),
})

export const UsageRow = UsageSums.extend({
  /**
   * The first calendar day (YYYY-MM-DD) of a day, week (from Monday) or month; else the key id, model, provider or
   * client (the calling program's name, without its version) the row sums up.
   */
  group: z.string(),
  /** A key's name; otherwise the same as `group`. */
  label: z.string(),
  /** With `splitBy`: the part of the group that the row sums up, and its name. */
  split: z.string().optional(),
  splitLabel: z.string().optional(),
})
export type UsageRow = z.infer<typeof UsageRow>

export const Usage = z.object({
  groupBy: z.enum(USAGE_GROUPS),
  timeZone: z.string(),
  data: z.array(UsageRow),
  total: UsageSums,
})
export type Usage = z.infer<typeof Usage>

/** Spend has come to a share of a cap, once for each share on the way up. */
export const CapAlert = z.object({
  /** The key whose cap it is; null for the account's monthly limit. */
  keyId: z.string().nullable(),
  name: z.string(),
  percent: z.number(),
  spentUsd: z.number(),
  limitUsd: z.number(),
})
export type CapAlert = z.infer<typeof CapAlert>

/** What `GET /v1/events` sends: each as an event named by `type` whose data is the whole object. */
export const LiveEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('request'), request: RequestRecord }),
  z.object({ type: z.literal('key'), key: KeyMetadata }),
  z.object({ type: z.literal('account'), account: Account }),
  z.object({ type: z.literal('providers') }),
  z.object({ type: z.literal('cap-alert'), alert: CapAlert }),
])
export type LiveEvent = z.infer<typeof LiveEvent>
