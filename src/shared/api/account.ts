import { z } from 'zod'
import { isTimeZone } from '../values/calendar.ts'
import { AccountSpendLimitState, AccountSpendLimits } from './spend-limits.ts'

export const GuardSensitivity = z.enum(['low', 'standard', 'high']).meta({ id: 'GuardSensitivity' })
export type GuardSensitivity = z.infer<typeof GuardSensitivity>

const GuardSettings = z
  .strictObject({
    enabled: z.boolean(),
    sensitivity: GuardSensitivity,
  })
  .meta({
    id: 'GuardSettings',
    description: 'Pauses a key when its requests look like a loop that runs away.',
  })

export const GuardAlert = z
  .object({
    keyId: z.string(),
    name: z.string(),
    cause: z
      .enum(['spend', 'repeats', 'refusals'])
      .describe(
        '`spend`: far more a minute than usual. `repeats`: the same prompt again and again. `refusals`: requests went on although each was refused.',
      ),
    reason: z.string().describe('What was seen, with figures.'),
    requests: z.number().describe('The requests that were counted.'),
    costUsd: z.number().describe('What they cost.'),
  })
  .meta({ id: 'GuardAlert', description: 'The runaway guard has paused a key.' })
export type GuardAlert = z.infer<typeof GuardAlert>

// How connections to providers leave this computer.

export const Network = z.enum(['direct', 'system']).meta({
  id: 'Network',
  description:
    "How connections leave this computer. `direct`: without a proxy. `system`: through the proxy, and trusting the certificate authorities, that the system's settings or the environment name.",
})
export type Network = z.infer<typeof Network>

const FoundProxy = z.object({
  address: z.string().describe('Without a user name and a password.'),
  source: z.string().describe('Where it is set, such as `HTTPS_PROXY`.'),
  problem: z
    .string()
    .nullable()
    .describe('Why no connection to it can be made; null if one can, or while no proxy is used.'),
})

export const NetworkStatus = z
  .object({
    isUsed: z.boolean().describe('Whether the settings, or those of an enabled provider, say `system`.'),
    proxies: z
      .array(FoundProxy)
      .describe('What the system or the environment names for the enabled providers, used or not.'),
    certificateProblem: z
      .string()
      .nullable()
      .describe('Why certificate authorities of this computer could not be read; null if all could.'),
  })
  .meta({ id: 'NetworkStatus' })
export type NetworkStatus = z.infer<typeof NetworkStatus>

export const PlanId = z.enum(['pay-as-you-go', 'bundle']).meta({ id: 'PlanId' })
export type PlanId = z.infer<typeof PlanId>

export const Plan = z
  .object({
    id: PlanId,
    name: z.string(),
    monthlyUsd: z.number().describe('The fixed monthly fee in USD.'),
    discountPercent: z.number().describe('The discount on token prices.'),
    requestsPerMinute: z.number(),
    tokensPerMinute: z.number(),
  })
  .meta({ id: 'Plan' })
export type Plan = z.infer<typeof Plan>

export const PlanList = z.object({ data: z.array(Plan) }).meta({ id: 'PlanList' })

export const Account = z
  .object({
    plan: PlanId,
    spendUsd: z.number().describe('Lifetime spend of all keys, in USD.'),
    reservedUsd: z
      .number()
      .describe('Reserved for requests in flight, and for what a provider may still bill, in USD.'),
    monthSpendUsd: z.number(),
    monthlyLimitUsd: z
      .number()
      .nullable()
      .describe('The limit per month that stops all requests, in USD; null for none.'),
    monthStartsAt: z.iso.datetime(),
    monthResetsAt: z.iso.datetime().describe('The start of the next month.'),
    todaySpendUsd: z.number(),
    spendLimits: z
      .array(AccountSpendLimitState)
      .describe('Limits of what all keys together may spend, the monthly limit among them.'),
    timeZone: z.string().describe('The IANA time zone of days and months.'),
    pausedAt: z.iso
      .datetime()
      .nullable()
      .describe('Since when everything is paused, so that no request is sent to a model; null if it is not.'),
  })
  .meta({ id: 'Account' })
export type Account = z.infer<typeof Account>

export const AccountUpdate = z
  .strictObject({
    plan: PlanId.optional(),
    monthlyLimitUsd: z
      .number()
      .nonnegative()
      .nullable()
      .optional()
      .describe('The limit per month that stops all requests, in USD; null removes it.'),
    spendLimits: AccountSpendLimits.optional().describe(
      'Limits of what all keys together may spend. A list without the monthly limit keeps it.',
    ),
  })
  .meta({ id: 'AccountUpdate' })
export type AccountUpdate = z.infer<typeof AccountUpdate>

const Origin = z
  .string()
  .regex(/^https?:\/\/[a-z0-9.-]+(:\d+)?$|^[a-z][a-z0-9+.-]*-extension:\/\/[a-z0-9-]+$/i, {
    error: 'must be an origin such as https://example.org',
  })

const Limit = z.int().positive()

export const PlanLimits = z
  .partialRecord(
    PlanId,
    z.strictObject({ requestsPerMinute: Limit.optional(), tokensPerMinute: Limit.optional() }),
  )
  .meta({ id: 'PlanLimits', description: 'Rate limits that replace those of a plan.' })
export type PlanLimits = z.infer<typeof PlanLimits>

const Durability = z
  .enum(['standard', 'strict'])
  .describe(
    '`standard`: a request is recorded while it is sent to its provider. `strict`: it is recorded before it is sent, which adds a disk write to its latency.',
  )

export const Settings = z
  .object({
    allowedOrigins: z
      .array(Origin)
      .describe("Web origins, besides Tollgate's own, whose pages may call the gateway."),
    containerAccess: z
      .boolean()
      .describe("Also listen on the address of Docker's network, for containers on this computer."),
    storeBodies: z.boolean().describe('Store prompts and responses in the request log.'),
    storeBodiesUntil: z.iso
      .datetime()
      .nullable()
      .describe(
        'Store them until this time even if `storeBodies` is false. Null, or a time in the past: do not.',
      ),
    keepHistory: z
      .boolean()
      .describe('Whether what agents on this computer log is imported every ten minutes.'),
    retentionDays: z
      .number()
      .int()
      .positive()
      .nullable()
      .describe('Request records older than this are deleted; totals stay. Null keeps all.'),
    maxLogMb: z
      .int()
      .min(16)
      .max(1_048_576)
      .describe(
        'The oldest request records are deleted while the database is larger, in megabytes; totals stay.',
      ),
    timeZone: z
      .string()
      .refine((zone) => isTimeZone(zone), { error: 'must be an IANA time zone name' })
      .nullable()
      .describe('An IANA time zone name; null follows the operating system.'),
    planLimits: PlanLimits,
    durability: Durability,
    strictLimits: z
      .boolean()
      .describe(
        "Whether every request is sent only if its highest possible cost fits under the account's limits that stop it, so that spend never exceeds them.",
      ),
    askSeconds: z
      .int()
      .min(10)
      .max(3_600)
      .describe('How long a request waits for an answer at a limit with the action `ask`, in seconds.'),
    notifyAtPercent: z
      .array(z.int().min(1).max(100))
      .max(5)
      .describe('Percentages of a spend cap at which to alert. Empty for no alerts.'),
    planNotifyAtPercent: z
      .array(z.int().min(1).max(100))
      .max(5)
      .describe(
        'Percentages of the windows of Claude and ChatGPT plans at which to alert. Empty for no alerts.',
      ),
    planResetNoticeMinutes: z
      .int()
      .min(1)
      .max(1_440)
      .nullable()
      .describe(
        'How many minutes before a window of a plan resets to say how much of it is used. Null: not.',
      ),
    planOnly: z
      .boolean()
      .describe('Whether requests of plans are refused when their vendor would charge them as extra usage.'),
    planOverflow: z
      .boolean()
      .describe(
        "Whether a session that begins while its plan is used up is served by the same vendor's API key, under a limit in USD.",
      ),
    guard: GuardSettings,
    network: Network.describe(
      'Whether providers without a `network` of their own, price updates and alerts to an address are reached through the proxy of this computer, and with its certificates. Loopback and private addresses never use a proxy.',
    ),
  })
  .meta({ id: 'Settings' })
export type Settings = z.infer<typeof Settings>

export const SettingsUpdate = z.strictObject(Settings.shape).partial().meta({ id: 'SettingsUpdate' })
export type SettingsUpdate = z.infer<typeof SettingsUpdate>

const ContainerAccess = z
  .object({
    enabled: z.boolean(),
    baseUrl: z
      .string()
      .nullable()
      .describe('The base URL inside a container; null while containers cannot reach the gateway.'),
    problem: z
      .string()
      .nullable()
      .describe('Why containers cannot reach the gateway although it is enabled.'),
  })
  .meta({ id: 'ContainerAccess' })
export type ContainerAccess = z.infer<typeof ContainerAccess>

export const GatewayInfo = z
  .object({
    version: z.string(),
    baseUrl: z.string(),
    dataDir: z.string(),
    credentials: z
      .enum(['keychain', 'memory', 'env'])
      .describe("Where provider credentials are stored. `env`: read from the process's environment."),
    startedAt: z.iso.datetime(),
    containers: ContainerAccess,
    clockSkewMs: z
      .number()
      .nullable()
      .describe(
        'How far the clock of this computer is ahead of that of the provider that answered last, by its `Date` header; null as long as none has.',
      ),
  })
  .meta({ id: 'GatewayInfo' })
export type GatewayInfo = z.infer<typeof GatewayInfo>

export const Backup = z
  .object({
    id: z.string().describe('The file name in the folder `backups` of the data folder.'),
    madeAt: z.iso.datetime().describe('For an imported backup: the time of the newest entry in it.'),
    bytes: z.number(),
    imported: z.boolean().describe('Whether it was added by `POST /v1/backups/import`.'),
    keys: z
      .array(z.object({ name: z.string(), scope: z.string() }))
      .nullable()
      .describe('The keys that work in an imported backup, up to 100; null for another one.'),
  })
  .meta({
    id: 'Backup',
    description: 'A copy of the database. It has no credentials: they stay in the keychain.',
  })
export type Backup = z.infer<typeof Backup>

export const RestoreOptions = z
  .strictObject({
    keepKeys: z
      .boolean()
      .default(false)
      .describe('Whether the keys of an imported backup stay valid. By default the restore revokes them.'),
  })
  .meta({ id: 'RestoreOptions' })
export type RestoreOptions = z.infer<typeof RestoreOptions>

export const DatabaseFile = z
  .string()
  .meta({ id: 'DatabaseFile', format: 'binary', description: 'An SQLite database.' })

export const BackupList = z
  .object({
    data: z.array(Backup).describe('Newest first.'),
    restoreAtStart: z
      .string()
      .nullable()
      .describe('The backup that replaces the database at the next start; null for none.'),
  })
  .meta({ id: 'BackupList' })
export type BackupList = z.infer<typeof BackupList>

export const DeletedBodies = z
  .object({
    deleted: z.number().describe('The number of requests whose prompts and responses were deleted.'),
  })
  .meta({ id: 'DeletedBodies' })

export const Health = z
  .object({
    status: z.enum(['ok', 'draining']).describe('`draining`: the gateway is shutting down.'),
    version: z.string(),
  })
  .meta({ id: 'Health' })
