// Which requests are asked for, and what a list of them has.
import { z } from 'zod'
import { CostStatus, RequestRecord, RequestStatus } from './requests.ts'
import { REQUEST_SORTS, SORT_ORDERS } from './terms.ts'

export const Timestamp = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()])
  .describe('An ISO 8601 date (midnight UTC) or date-time.')

export const RequestQuery = z
  .strictObject({
    limit: z.coerce.number().int().min(1).max(500).default(50),
    cursor: z.string().optional().describe('`nextCursor` of the previous page.'),
    sort: z
      .enum(REQUEST_SORTS)
      .default('time')
      .describe(
        '`duration`: `timings.totalMs`. `tokens`: `tokensIn` and `tokensOut`. Records without the value come last.',
      ),
    order: z.enum(SORT_ORDERS).default('desc'),
    key: z.string().optional().describe("A key's id."),
    model: z.string().optional(),
    provider: z.string().optional(),
    client: z.string().optional().describe('A `clientName`. Empty for requests without one.'),
    session: z.string().optional().describe("A session's id."),
    tag: z.string().optional().describe('A tag. Empty for requests without one.'),
    batch: z.string().optional().describe('The id of a batch. Empty for requests that are no line of one.'),
    status: z
      .union([RequestStatus, z.coerce.number().int().min(100).max(599)])
      .optional()
      .describe('A status of the record or of HTTP.'),
    from: Timestamp.optional(),
    to: Timestamp.optional(),
    q: z
      .string()
      .max(200)
      .optional()
      .describe('Text to search for. A whole request id finds that request, regardless of other filters.'),
    minCostUsd: z.coerce
      .number()
      .nonnegative()
      .optional()
      .describe('Inclusive. Excludes requests with an unknown or pending cost.'),
    maxCostUsd: z.coerce
      .number()
      .nonnegative()
      .optional()
      .describe('Inclusive. Excludes requests with an unknown or pending cost.'),
    costStatus: CostStatus.optional(),
    held: z
      .literal('true')
      .optional()
      .describe('Only requests after which an amount stays reserved: those with `heldUsd`.'),
  })
  .meta({ id: 'RequestQuery' })
export type RequestQuery = z.infer<typeof RequestQuery>

export const RequestList = z
  .object({
    data: z.array(RequestRecord),
    nextCursor: z
      .string()
      .nullable()
      .describe('Null on the last page. A page may have fewer records than `limit`.'),
  })
  .meta({ id: 'RequestList' })

export const RequestTotalsQuery = RequestQuery.omit({
  limit: true,
  cursor: true,
  sort: true,
  order: true,
}).meta({
  id: 'RequestTotalsQuery',
})
export type RequestTotalsQuery = z.infer<typeof RequestTotalsQuery>

export const RequestTotals = z
  .object({
    requests: z
      .number()
      .describe(
        'All requests that the list has with these filters: also running, refused and rejected ones, which cost nothing, and as many as the `count` of a record says.',
      ),
    tokensIn: z.number(),
    tokensOut: z.number(),
    tokensCached: z.number().describe("The part of `tokensIn` that was read from a provider's cache."),
    costUsd: z.number().describe('What was charged. Unsettled requests are in it with their estimate.'),
    worthUsd: z.number().describe('What requests that a plan paid for would have cost; not in `costUsd`.'),
    savedUsd: z
      .number()
      .describe('What requests that the response cache answered would have cost; not in `costUsd`.'),
    unpriced: z.number().describe('Requests whose cost is unknown, and not in `costUsd`.'),
    unsettled: z.number().describe('Requests whose cost is not certain.'),
  })
  .meta({ id: 'RequestTotals' })
export type RequestTotals = z.infer<typeof RequestTotals>
