import { z } from 'zod'
import { ErrorBody } from './errors.ts'
import { PriceOrigin, Pricing } from './models.ts'

export const REQUEST_STATUSES = ['running', 'succeeded', 'failed', 'canceled', 'refused', 'rejected'] as const
export const RequestStatus = z.enum(REQUEST_STATUSES).meta({
  id: 'RequestStatus',
  description:
    '`refused`: stopped by a spend cap or rate limit. `rejected`: invalid or unknown (endpoint, model, field …); ' +
    'only the last 500 are available, until Tollgate exits.',
})
export type RequestStatus = z.infer<typeof RequestStatus>

export const COST_STATUSES = [
  'pending',
  'exact',
  'estimated',
  'unsettled',
  'confirmed',
  'unknown',
  'free',
] as const
export const CostStatus = z.enum(COST_STATUSES).meta({
  id: 'CostStatus',
  description:
    "`pending`: in flight. `exact`: from the provider's own token counts. `estimated`: counted by Tollgate. " +
    '`unsettled`: the outcome is unknown, the cost is between `costLowUsd` and `costHighUsd`. ' +
    '`confirmed`: settled by the user. `unknown`: the model has no price. `free`: nothing was billed.',
})
export type CostStatus = z.infer<typeof CostStatus>

export const UsageBuckets = z
  .object({
    input: z.number(),
    cacheRead: z.number(),
    cacheWrite5m: z.number().describe('Written to the cache for five minutes.'),
    cacheWrite1h: z.number().describe('Written to the cache for an hour.'),
    audioInput: z.number(),
    output: z.number(),
    audioOutput: z.number(),
    reasoning: z.number().describe('How much of `output` was reasoning.'),
    cacheReadAudio: z
      .number()
      .describe('How much of `cacheRead` was audio, which some vendors price differently.'),
    imageInput: z.number().optional().describe('Image tokens, where the vendor counts them separately.'),
    imageOutput: z.number().optional(),
    cacheReadImage: z.number().optional().describe('How much of `cacheRead` was images.'),
    audioSeconds: z.number().optional().describe('Seconds of audio that was transcribed.'),
    characters: z.number().optional().describe('Characters that were spoken.'),
    images: z.number().optional().describe('Images that were generated.'),
    searches: z.number().optional().describe('Searches of a rerank model.'),
    webSearches: z.number().optional().describe('Searches of the web by a tool of the provider.'),
    fileSearches: z.number().optional().describe('Searches of stored files by a tool of the provider.'),
  })
  .meta({
    id: 'TokenUsage',
    description:
      'Token counts in disjoint buckets, and what else is billed. Reasoning tokens are part of `output`.',
  })
export type UsageBuckets = z.infer<typeof UsageBuckets>

export const Attempt = z
  .object({
    provider: z.string(),
    model: z.string(),
    status: z.number().nullable().describe("The provider's HTTP status; null if there was no response."),
    ms: z.number().describe('Milliseconds.'),
    error: z.string().nullable(),
  })
  .meta({ id: 'Attempt', description: 'One request to a provider.' })
export type Attempt = z.infer<typeof Attempt>

export const AppliedPrice = z
  .object({
    pricing: Pricing,
    origin: PriceOrigin,
    tier: z
      .string()
      .optional()
      .describe('The tier (`service_tier`) in which the request was served, if not the standard one.'),
    plan: z.string(),
    discountPercent: z.number(),
    reportedByProvider: z.boolean().describe('Whether the cost is the one that the provider reported.'),
  })
  .meta({ id: 'AppliedPrice', description: 'How a request was priced.' })
export type AppliedPrice = z.infer<typeof AppliedPrice>

export const RequestRecord = z
  .object({
    id: z.string(),
    createdAt: z.iso.datetime(),
    keyId: z.string(),
    keyName: z.string(),
    requestedModel: z.string().nullable().describe('Null for a rejected request that names no known model.'),
    model: z.string().nullable().describe('The model that served the request.'),
    provider: z.string().nullable().describe('The provider that served the request.'),
    stream: z.boolean(),
    status: RequestStatus,
    httpStatus: z
      .number()
      .nullable()
      .describe('The status of the response; null while the request is in flight.'),
    error: ErrorBody.nullable(),
    tokensIn: z.number(),
    tokensOut: z.number(),
    usage: UsageBuckets.nullable(),
    costUsd: z.number().nullable(),
    costStatus: CostStatus,
    costLowUsd: z.number().nullable().describe('The lowest possible cost of an unsettled request.'),
    costHighUsd: z.number().nullable().describe('The highest possible cost of an unsettled request.'),
    reservedUsd: z.number(),
    price: AppliedPrice.nullable(),
    attempts: z.array(Attempt),
    timings: z
      .object({
        queueMs: z.number().nullable().describe('From the request to the first attempt.'),
        firstByteMs: z
          .number()
          .nullable()
          .describe('From the first attempt to the first byte of the response.'),
        totalMs: z.number().nullable().describe('From the request to the end of the response.'),
      })
      .describe('Milliseconds.'),
    client: z.string().nullable().describe('The calling program, as it describes itself.'),
    clientName: z
      .string()
      .nullable()
      .describe('The name of the calling program, without its version, as `GET /v1/usage` groups by it.'),
    endpoint: z
      .string()
      .nullable()
      .describe('The method and path of the request (`POST /v1/responses`); null for one of version 0.1.'),
    sessionId: z
      .string()
      .nullable()
      .describe('The session (`GET /v1/sessions/{id}`) that the request is part of; null for an old record.'),
    tag: z.string().nullable().describe('The tag of the request, or that of its key; null for none.'),
    count: z
      .number()
      .describe(
        'The number of requests in this record: those refused or rejected for the same reason within a minute share one.',
      ),
    lastAt: z.iso.datetime().nullable().describe('The time of the last of several requests; null for one.'),
    bodiesKept: z
      .boolean()
      .describe('Whether `GET /v1/requests/{id}/bodies` returns the prompt and response.'),
  })
  .meta({ id: 'RequestRecord' })
export type RequestRecord = z.infer<typeof RequestRecord>

export const RequestBodies = z
  .object({
    requestId: z.string(),
    request: z.string().nullable(),
    response: z.string().nullable(),
  })
  .meta({
    id: 'RequestBodies',
    description: 'The stored prompt and response as they were sent; null for a missing one.',
  })
export type RequestBodies = z.infer<typeof RequestBodies>

export const SettleRequest = z
  .strictObject({ costUsd: z.number().nonnegative().describe("The cost on the provider's invoice.") })
  .meta({ id: 'Settlement' })
export type SettleRequest = z.infer<typeof SettleRequest>

export const Timestamp = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()])
  .describe('An ISO 8601 date (midnight UTC) or date-time.')

export const REQUEST_SORTS = ['time', 'cost', 'duration', 'tokens'] as const
export const SORT_ORDERS = ['desc', 'asc'] as const

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
    unpriced: z.number().describe('Requests whose cost is unknown, and not in `costUsd`.'),
    unsettled: z.number().describe('Requests whose cost is not certain.'),
  })
  .meta({ id: 'RequestTotals' })
export type RequestTotals = z.infer<typeof RequestTotals>
