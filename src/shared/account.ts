// Owns the shapes of the account, its plans and the settings on the wire. Knows nothing of how spend is counted.
import { z } from 'zod'
import { isTimeZone } from './calendar.ts'

export const PLAN_IDS = ['pay-as-you-go', 'bundle'] as const
export const PlanId = z.enum(PLAN_IDS)
export type PlanId = z.infer<typeof PlanId>

export const Plan = z.object({
  id: PlanId,
  name: z.string(),
  monthlyUsd: z.number(),
  discountPercent: z.number(),
  requestsPerMinute: z.number(),
  tokensPerMinute: z.number(),
})
export type Plan = z.infer<typeof Plan>

export const PlanList = z.object({ data: z.array(Plan) })

export const Account = z.object({
  plan: PlanId,
  /** Everything ever spent, all keys together. */
  spendUsd: z.number(),
  reservedUsd: z.number(),
  monthSpendUsd: z.number(),
  monthlyLimitUsd: z.number().nullable(),
  monthStartsAt: z.iso.datetime(),
  monthResetsAt: z.iso.datetime(),
  todaySpendUsd: z.number(),
  timeZone: z.string(),
})
export type Account = z.infer<typeof Account>

export const AccountUpdate = z.strictObject({
  plan: PlanId.optional(),
  monthlyLimitUsd: z.number().nonnegative().nullable().optional(),
})
export type AccountUpdate = z.infer<typeof AccountUpdate>

const Origin = z
  .string()
  .regex(/^https?:\/\/[a-z0-9.-]+(:\d+)?$|^[a-z][a-z0-9+.-]*-extension:\/\/[a-z0-9-]+$/i, {
    error: 'must be an origin such as https://example.org',
  })

const Limit = z.int().positive()

/** A user's own rate limits in the place of a plan's. */
export const PlanLimits = z.partialRecord(
  PlanId,
  z.strictObject({ requestsPerMinute: Limit.optional(), tokensPerMinute: Limit.optional() }),
)
export type PlanLimits = z.infer<typeof PlanLimits>

export const Settings = z.object({
  /** Web origins, besides Tollgate's own, whose pages may call the gateway. */
  allowedOrigins: z.array(Origin),
  /** Keep prompts and answers in the request log. */
  storeBodies: z.boolean(),
  /** Request rows older than this are pruned; totals stay. Null keeps all. */
  retentionDays: z.number().int().positive().nullable(),
  /** The oldest request rows are pruned while the database holds more, in megabytes; totals stay. */
  maxLogMb: z.int().min(16).max(1_048_576),
  /** An IANA time zone name; null follows the operating system. */
  timeZone: z
    .string()
    .refine((zone) => isTimeZone(zone), { error: 'must be an IANA time zone name' })
    .nullable(),
  planLimits: PlanLimits,
  /** Shares of a cap, in percent, at which its user is told. None: never. */
  notifyAtPercent: z.array(z.int().min(1).max(100)).max(5),
})
export type Settings = z.infer<typeof Settings>

export const SettingsUpdate = z.strictObject(Settings.shape).partial()
export type SettingsUpdate = z.infer<typeof SettingsUpdate>

export const GatewayInfo = z.object({
  version: z.string(),
  baseUrl: z.string(),
  dataDir: z.string(),
  credentials: z.enum(['keychain', 'memory', 'env']),
  startedAt: z.iso.datetime(),
})
export type GatewayInfo = z.infer<typeof GatewayInfo>

/** A copy of the database. Credentials are not in it: they stay in the keychain. */
export const Backup = z.object({
  /** Its file name in the data folder's `backups`. */
  id: z.string(),
  madeAt: z.iso.datetime(),
  bytes: z.number(),
})
export type Backup = z.infer<typeof Backup>

export const BackupList = z.object({
  /** Newest first. */
  data: z.array(Backup),
  /** The backup that takes the database's place at the next start; null for none. */
  restoreAtStart: z.string().nullable(),
})
export type BackupList = z.infer<typeof BackupList>

/** How many requests' prompts and answers were deleted. */
export const BodiesDropped = z.object({ deleted: z.number() })

export const Health = z.object({ status: z.enum(['ok', 'draining']), version: z.string() })
