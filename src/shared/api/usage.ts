import { z } from 'zod'
import { BranchName, RepositoryName } from './git.ts'
import { Timestamp } from './request-queries.ts'
import { GIT_GROUPS, USAGE_SPLITS } from './terms.ts'

export const USAGE_GROUPS = ['hour', 'day', 'week', 'month', ...USAGE_SPLITS, ...GIT_GROUPS] as const
export const UsageQuery = z
  .strictObject({
    from: Timestamp.optional(),
    to: Timestamp.optional(),
    groupBy: z.enum(USAGE_GROUPS).default('day'),
    splitBy: z
      .enum(USAGE_SPLITS)
      .optional()
      .describe('Divide each group further, for a stacked chart. Not of branches and commits.'),
    timeZone: z.string().optional().describe('An IANA time zone; default: that of the settings.'),
    key: z.string().optional().describe("Only requests of this key: a key's id."),
    model: z.string().optional().describe('Only requests to this model.'),
    provider: z.string().optional().describe('Only requests to this provider.'),
    client: z
      .string()
      .optional()
      .describe('Only requests of this program, by the name that `client` groups have.'),
    tag: z.string().optional().describe('Only requests with this tag. Empty for those without one.'),
    session: z.string().optional().describe("Only requests of this session: a session's id."),
    branch: BranchName.optional().describe(
      'Only requests made on this branch: a repository and a branch, as `branch` groups have them.',
    ),
    repository: RepositoryName.optional().describe('Only requests made in this repository, on any branch.'),
    latency: z
      .enum(['true', 'false'])
      .default('false')
      .describe('Whether to add percentiles of the durations.'),
    history: z
      .enum(['true', 'false'])
      .default('false')
      .describe(
        'Whether to add what was imported from the logs of agents, in rows of their own. Their `client` is the agent, and their `tag` the folder that it worked in; none has a key, or a place in Git.',
      ),
  })
  .meta({ id: 'UsageQuery' })
export type UsageQuery = z.infer<typeof UsageQuery>

const Percentile = z.number().nullable().optional()

const UsageTotals = z
  .object({
    requests: z.number(),
    tokensIn: z.number(),
    tokensOut: z.number(),
    tokensCached: z.number().describe("The part of `tokensIn` that was read from a provider's cache."),
    costUsd: z.number(),
    worthUsd: z.number().describe('What requests that a plan paid for would have cost; not in `costUsd`.'),
    savedUsd: z
      .number()
      .describe('What requests that the response cache answered would have cost; not in `costUsd`.'),
    errors: z.number().describe('Requests with the status `failed`. Canceled ones are not among them.'),
    unpriced: z.number().describe('Requests whose cost is unknown, and not in `costUsd`.'),
    latencyP50Ms: Percentile.describe(
      'Only with `latency`: the median of `timings.totalMs` of the requests that succeeded, to within 5%; null for none.',
    ),
    latencyP95Ms: Percentile.describe('The same for the slowest 5%.'),
    firstByteP50Ms: Percentile.describe('The median of `timings.firstByteMs` of the same requests.'),
  })
  .meta({ id: 'UsageTotals' })

export const UsageRow = UsageTotals.extend({
  group: z
    .string()
    .describe(
      'The start of an hour (an ISO 8601 date-time in UTC); the first calendar day (YYYY-MM-DD) of a day, week (from Monday) or month; otherwise a key id, model, provider, client name, tag, session id, `REPOSITORY BRANCH` or the hash of a commit.',
    ),
  label: z
    .string()
    .describe("A key's name; a session's title, if it has one; otherwise the same as `group`."),
  origin: z
    .literal('import')
    .optional()
    .describe('`import`: from the logs of agents, at list prices, and in no limit. Absent for requests.'),
  split: z.string().optional().describe('The part of the group, with `splitBy`.'),
  splitLabel: z.string().optional().describe("A key's name; otherwise the same as `split`."),
}).meta({ id: 'UsageRow' })
export type UsageRow = z.infer<typeof UsageRow>

export const Usage = z
  .object({
    groupBy: z.enum(USAGE_GROUPS),
    timeZone: z.string(),
    data: z.array(UsageRow),
    total: UsageTotals.describe('Of requests.'),
    importedTotal: UsageTotals.optional().describe('Only with `history`: of what was imported.'),
  })
  .meta({ id: 'Usage' })
export type Usage = z.infer<typeof Usage>
