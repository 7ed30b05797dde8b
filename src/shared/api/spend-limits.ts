import { z } from 'zod'
import { hasHidden } from '../values/text.ts'
import { isMain, MAIN_PERIOD, type MainPeriod } from './terms.ts'

/** Without the cap or the monthly limit. */
const MAX_SPEND_LIMITS = 20
const MAX_PATTERN = 200

/** A text of one line: 1 to `max` characters, without control characters. */
function oneLine(max: number) {
  return z
    .string()
    .refine((text) => [...text].length >= 1 && [...text].length <= max, {
      error: `must have 1 to ${max} characters`,
    })
    .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), { error: 'must not contain control characters' })
}

/** A name that people read: 1 to `max` characters, all of which can be seen. */
export function shortText(max: number) {
  return oneLine(max)
    .refine((text) => !hasHidden(text), { error: 'must not contain invisible characters' })
    .describe(`1 to ${max} characters, without control and invisible characters.`)
}

const MAX_TAG = 100

export const Tag = shortText(MAX_TAG).meta({
  id: 'Tag',
  description: 'The name of a project: 1 to 100 characters, without control and invisible characters.',
})

export const ModelPattern = z
  .string()
  .min(1, { error: 'must not be empty' })
  .max(MAX_PATTERN, { error: `must have at most ${MAX_PATTERN} characters` })
  .refine((pattern) => !/[\p{Cc}\p{Cs}\p{Z}]/u.test(pattern), { error: 'must not contain spaces' })
  .meta({
    id: 'ModelPattern',
    description: 'The id of a model, `provider/id`, or a pattern of either in which `*` stands for any text.',
  })

const PERIODS = ['day', 'week', 'month', 'session', 'subagent', 'lifetime'] as const
const WINDOWS = ['calendar', 'rolling'] as const
const ACTIONS = ['stop', 'ask', 'warn'] as const

/** The periods that end, and so may be of the calendar or rolling. */
const ENDING: ReadonlySet<string> = new Set(['day', 'week', 'month'])

const shape = {
  usd: z.number().nonnegative().describe('The most that may be spent in one period, in USD.'),
  per: z
    .enum(PERIODS)
    .describe(
      'What is limited: each day, week (from Monday) or month, each session, each sub-agent of a session, or everything ever.',
    ),
  window: z
    .enum(WINDOWS)
    .optional()
    .describe(
      '`calendar` (the default): days, weeks and months of your time zone. `rolling`: the last 24 hours, 7 days or 30 days. Only for days, weeks and months.',
    ),
  model: ModelPattern.optional().describe('Only requests that these models serve count.'),
  action: z
    .enum(ACTIONS)
    .optional()
    .describe(
      '`stop` (the default): requests are refused at the limit. `ask`: they wait until you allow more, for at most `askSeconds` of the settings. `warn`: they go on, but there is an alert.',
    ),
}
/** Stored limits are read with it, and tags could once have invisible characters. */
const tag = oneLine(MAX_TAG).optional().describe('Only requests with this tag count.')

function refuseWindow({ per, window }: { per: string; window?: string | undefined }): boolean {
  return window === undefined || ENDING.has(per)
}
const WINDOW_ERROR = { error: 'is only for days, weeks and months', path: ['window'] }

export const SpendLimit = z
  .strictObject(shape)
  .refine(refuseWindow, WINDOW_ERROR)
  .meta({ id: 'SpendLimit', description: 'A limit of what a key may spend.' })
export type SpendLimit = z.infer<typeof SpendLimit>

export const AccountSpendLimit = z
  .strictObject({ ...shape, tag })
  .refine(refuseWindow, WINDOW_ERROR)
  .meta({ id: 'AccountSpendLimit', description: 'A limit of what all keys together may spend.' })
export type AccountSpendLimit = z.infer<typeof AccountSpendLimit>

export type LimitKind = Omit<AccountSpendLimit, 'usd'>

function listLimits<T extends LimitKind>(limit: z.ZodType<T>, period: MainPeriod, main: string) {
  return z
    .array(limit)
    .max(MAX_SPEND_LIMITS + 1)
    .refine((limits) => limits.filter((one) => !isMain(one, period)).length <= MAX_SPEND_LIMITS, {
      error: `must have up to ${MAX_SPEND_LIMITS} limits besides the ${main}`,
    })
}

export const SpendLimits = listLimits(SpendLimit, MAIN_PERIOD.key, 'cap')
export const AccountSpendLimits = listLimits(AccountSpendLimit, MAIN_PERIOD.account, 'monthly limit')

const state = {
  allowedUsd: z
    .number()
    .optional()
    .describe('The amount that was allowed beyond it in the current period, in USD; absent for none.'),
  spentUsd: z
    .number()
    .describe(
      'Spent in the current period, in USD; of a limit for each session or sub-agent, in the one used last.',
    ),
  reservedUsd: z
    .number()
    .describe('Reserved for requests in flight, and for what a provider may still bill, in USD.'),
  resetsAt: z.iso
    .datetime()
    .nullable()
    .describe('When the next period begins; null for rolling periods, sessions and everything ever.'),
}

export const SpendLimitState = z.object({ ...shape, ...state }).meta({ id: 'SpendLimitState' })
export type SpendLimitState = z.infer<typeof SpendLimitState>

export const AccountSpendLimitState = z
  .object({ ...shape, tag, ...state })
  .meta({ id: 'AccountSpendLimitState' })
export type AccountSpendLimitState = z.infer<typeof AccountSpendLimitState>
