import { z } from 'zod'
import { AccountSpendLimit } from './spend-limits.ts'

const ACTIVITY_KINDS = [
  'limit-reached',
  'limit-changed',
  'key-paused',
  'key-resumed',
  'all-paused',
  'all-resumed',
  'rule-changed',
  'prices-updated',
  'provider-failing',
  'provider-recovered',
  'report-doubted',
  'model-retiring',
  'secret-sent',
  'secret-blocked',
  'backup-restored',
  'signed-in',
] as const

/** The changes of a rule. */
export type RuleChangeKind = 'added' | 'on' | 'off' | 'shadow' | 'changed' | 'moved' | 'deleted'

export const ActivityKind = z.enum(ACTIVITY_KINDS).meta({ id: 'ActivityKind' })
export type ActivityKind = z.infer<typeof ActivityKind>

const ACTORS = ['owner', 'key', 'guard', 'gateway'] as const
const SUBJECTS = ['key', 'account', 'provider', 'backup', 'request', 'model', 'rule'] as const

const ActivityActor = z
  .object({
    kind: z
      .enum(ACTORS)
      .describe(
        "`owner`: the app's window, or a command on this computer. `key`: the bearer of a key. `guard`: the runaway guard. `gateway`: what happens by itself.",
      ),
    id: z.string().nullable().describe('The id of the key; null for the others.'),
    name: z.string().nullable().describe('The name that the key had then; null for the others.'),
  })
  .meta({ id: 'ActivityActor' })
export type ActivityActor = z.infer<typeof ActivityActor>

const ActivitySubject = z
  .object({
    kind: z.enum(SUBJECTS),
    id: z.string().nullable().describe('Null for the account.'),
    name: z
      .string()
      .nullable()
      .describe(
        'The name that it had then, for a request that of its key; null for the account and backups.',
      ),
  })
  .meta({ id: 'ActivitySubject' })
export type ActivitySubject = z.infer<typeof ActivitySubject>

const { usd: _usd, ...LIMIT } = AccountSpendLimit.shape

const ActivityLimit = z
  .object({ ...LIMIT, index: z.number().describe('Its place in `spendLimits` then.') })
  .meta({ id: 'ActivityLimit', description: 'One of the `spendLimits` of a key or of the account.' })
export type ActivityLimit = z.infer<typeof ActivityLimit>

const usd = z.number().nullable()
const time = z.iso.datetime()

export const ActivityEntry = z
  .object({
    id: z.string(),
    kind: ActivityKind,
    at: time,
    actor: ActivityActor,
    subject: ActivitySubject.nullable(),
    limit: ActivityLimit.nullable().describe('Null for the cap of a key and the monthly limit.'),
    spentUsd: usd.describe('What was spent when the limit was reached, or charged instead of a report.'),
    limitUsd: usd.describe('The limit, null where it was removed; what a provider has reported.'),
    previousLimitUsd: usd.describe('The limit before it was changed; null where there was none.'),
    models: z.number().nullable().describe('How many models got another price.'),
    since: time
      .nullable()
      .describe(
        'When the provider failed first; when the backup was made, after which nothing else is known; when the model is retired.',
      ),
    reason: z
      .string()
      .nullable()
      .describe(
        'Why the key was paused; how the provider failed; `requested` or `damaged` for a restore; which secrets were found; which keys, agents and rules use the model; what was done to a rule.',
      ),
    address: z.string().nullable().describe('The network address that somebody signed in from.'),
    unread: z.boolean().describe('Whether it is after the last seen one, and not by the caller.'),
  })
  .meta({
    id: 'ActivityEntry',
    description: 'Something that happened, and who did it. Members that its kind has no use for are null.',
  })
export type ActivityEntry = z.infer<typeof ActivityEntry>

export const ActivityQuery = z
  .strictObject({
    limit: z.coerce.number().int().min(1).max(500).default(50),
    cursor: z.string().optional().describe('`nextCursor` of the previous page.'),
    kind: ActivityKind.optional(),
  })
  .meta({ id: 'ActivityQuery' })
export type ActivityQuery = z.infer<typeof ActivityQuery>

const unread = z.number().describe('How many entries of any kind are unread.')

export const ActivityList = z
  .object({
    data: z.array(ActivityEntry),
    nextCursor: z.string().nullable().describe('Null on the last page.'),
    unread,
  })
  .meta({ id: 'ActivityList' })
export type ActivityList = z.infer<typeof ActivityList>

export const ActivitySeen = z
  .strictObject({
    until: z
      .string()
      .describe('The id of the newest entry that was seen. An older one than before changes nothing.'),
  })
  .meta({ id: 'ActivitySeen' })

export const ActivityUnread = z.object({ unread }).meta({ id: 'ActivityUnread' })
