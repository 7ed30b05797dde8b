import { z } from 'zod'
import { BranchName, GitPlace } from './git.ts'
import { Timestamp } from './request-queries.ts'
import { SESSION_SOURCES, SORT_ORDERS } from './terms.ts'

export const SessionSource = z.enum(SESSION_SOURCES).meta({
  id: 'SessionSource',
  description:
    'What put requests into one session: the session id of a client, a header, the field `user` or `metadata`; ' +
    '`pause`: the same key and client, without a pause of 30 minutes.',
})
export type SessionSource = z.infer<typeof SessionSource>

export const Session = z
  .object({
    id: z.string(),
    source: SessionSource,
    clientSessionId: z
      .string()
      .nullable()
      .describe("The client's own id of the session; null for one that a pause began."),
    title: z
      .string()
      .nullable()
      .describe('The first words of the first prompt. Null unless prompts are stored; deleted with them.'),
    keyId: z.string(),
    keyName: z.string(),
    clientName: z.string().nullable().describe('The name of the calling program; null for none.'),
    tag: z.string().nullable().describe('The tag of its first request that had one.'),
    startedAt: z.iso.datetime(),
    lastAt: z.iso.datetime().describe('The end of its last request so far.'),
    requests: z.number().describe('Requests that are over, without refused and rejected ones.'),
    running: z.number().describe('Requests in flight. The sums do not contain them.'),
    errors: z.number().describe('Requests with the status `failed`.'),
    refused: z.number().describe('Calls that a cap or limit refused. They cost nothing.'),
    tokensIn: z.number(),
    tokensOut: z.number(),
    tokensCached: z.number().describe("The part of `tokensIn` that was read from a provider's cache."),
    costUsd: z.number().describe('What was charged. Unsettled requests are in it with their estimate.'),
    sampleUsd: z.number().describe("The part of `costUsd` that is the sandbox's, which counts in no total."),
    worthUsd: z.number().describe('What requests that a plan paid for would have cost; not in `costUsd`.'),
    savedUsd: z
      .number()
      .describe('What requests that the response cache answered would have cost; not in `costUsd`.'),
    unpriced: z.number().describe('Requests whose cost is unknown, and not in `costUsd`.'),
    branches: z
      .array(GitPlace)
      .describe('The repositories and branches on which it worked, as far as `POST /v1/git` recorded them.'),
    models: z.array(z.string()).describe('The models that served, the most expensive first.'),
    prunedRequests: z
      .number()
      .describe('How many of its requests have no record any more. The sums still contain them.'),
  })
  .meta({
    id: 'Session',
    description:
      'Requests of one run of a client: the steps of an agent. `GET /v1/requests?session=ID` lists them.',
  })
export type Session = z.infer<typeof Session>

export const SESSION_SORTS = ['time', 'cost', 'requests', 'duration'] as const

const SessionStep = z.object({
  requestId: z.string(),
  text: z.string().describe('The first words of the answer; empty if it has none.'),
  tools: z
    .array(
      z.object({
        name: z.string(),
        argument: z
          .string()
          .describe('The beginning of its main argument, such as a command; empty for none.'),
      }),
    )
    .describe('The tools that the answer called.'),
})
export type SessionStep = z.infer<typeof SessionStep>

export const SessionSteps = z.object({ data: z.array(SessionStep) }).meta({
  id: 'SessionSteps',
  description:
    'What the answers of a session did, the newest first: of the last 300 requests whose answers are stored.',
})

export const SessionFilter = z
  .strictObject({
    q: z
      .string()
      .max(200)
      .optional()
      .describe(
        "Text in the title, or in the client's own id of the session. Upper and lower case are equal.",
      ),
    minRequests: z.coerce
      .number()
      .int()
      .min(1)
      .optional()
      .describe('Sessions with at least so many requests, running and refused ones included.'),
    model: z.string().optional().describe('Sessions in which this model served.'),
    key: z.string().optional().describe("A key's id."),
    client: z.string().optional().describe('A `clientName`. Empty for sessions without one.'),
    tag: z.string().optional().describe('A tag. Empty for sessions without one.'),
    branch: BranchName.optional().describe('A repository and a branch, with a space between them.'),
    from: Timestamp.optional().describe('Sessions that ended, or went on, at or after this time.'),
    to: Timestamp.optional().describe('Sessions that began before this time.'),
  })
  .meta({ id: 'SessionFilter' })
export type SessionFilter = z.infer<typeof SessionFilter>

export const SessionQuery = z
  .strictObject({
    limit: z.coerce.number().int().min(1).max(500).default(50),
    cursor: z.string().optional().describe('`nextCursor` of the previous page.'),
    sort: z
      .enum(SESSION_SORTS)
      .default('time')
      .describe('`time`: `lastAt`. `duration`: from `startedAt` to `lastAt`.'),
    order: z.enum(SORT_ORDERS).default('desc'),
    ...SessionFilter.shape,
  })
  .meta({ id: 'SessionQuery' })
export type SessionQuery = z.infer<typeof SessionQuery>

export const SessionTotals = z
  .object({
    sessions: z.int(),
    costUsd: z.number(),
    medianUsd: z.number().nullable().describe('The cost of the session in the middle; null for none.'),
    hidden: z
      .object({ sessions: z.int(), costUsd: z.number() })
      .describe('The sessions that only `minRequests` leaves out.'),
  })
  .meta({ id: 'SessionTotals', description: 'Sums of the sessions that match, on all pages.' })
export type SessionTotals = z.infer<typeof SessionTotals>

export const SessionList = z
  .object({ data: z.array(Session), nextCursor: z.string().nullable().describe('Null on the last page.') })
  .meta({ id: 'SessionList' })
